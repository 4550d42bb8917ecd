import Bluetooth
import SampleFacts
import Testing
import VirtualBuilding

@Suite("a sensor falls silent and another address advertises its room's minor", .timeLimit(.minutes(60)))
struct OtherAddressTests {
  private static let stranger = BluetoothAddress(rawValue: 0xC47C_8D99_0001)

  @Test(
    "a room whose minor moves to another address is not done, and the report names the address",
    arguments: [true, false])
  func unproved(isSaved: Bool) async throws {
    let fault = isSaved ? Fault.returnsFrom(Self.stranger) : .refusesForStranger("no", Self.stranger)
    try await Site.use { site in
      try site.writeManifest([.numbered(1), .numbered(2)], defaults: ["timeouts: { verify: 10s }"])
      try await site.serve([ServedBuilding.sensor(1, fault), ServedBuilding.sensor(2)]) {
        building in
        let premises = Premises(site: site, building: building)
        let outcome = try await premises.apply().expect(100)
        #expect(try site.outcomes == [101: isSaved ? "unconfirmed" : "failed", 102: "provisioned"])
        let room = try #require(site.report["rooms"].items.first)
        // After a refusal the message of the device is the reason, whatever is on air.
        let named = isSaved ? Self.stranger.description : "error:no"
        #expect(room["reason_code"].text == (isSaved ? "received_from_other_address" : "refused"))
        #expect(room["reason"].text?.contains(named) == true)
        #expect(room["address"].text == ServedBuilding.address(1).description)
        #expect(outcome.output.contains(named), "\(outcome)")
        #expect(try site.text(of: "report.csv").contains(isSaved ? "unconfirmed" : "error:no"))

        // Silence is no proof either.
        await premises.setMuted(true, 1)
        try await premises.apply().expect(100)
        #expect(try site.outcomes[101] == (isSaved ? "unconfirmed" : "unreachable"))
      }
    }
  }

  @Test("a room whose minor moves is done if the manifest expects its firmware to change address")
  func allowed() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)], defaults: ["proof: any_address", "timeouts: { verify: 10s }"])
      try await site.serve([ServedBuilding.sensor(1, .returnsFrom(Self.stranger))]) { building in
        try await Premises(site: site, building: building).apply().expect(0)
        let room = try #require(site.report["rooms"].items.first)
        #expect(room["evidence"]["grade"].text == "fresh_beacon_other_address")
        #expect(room["evidence"]["address"].text == Self.stranger.description)
      }
    }
  }
}
