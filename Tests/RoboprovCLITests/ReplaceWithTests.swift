import Bluetooth
import Foundation
import Journal
import Model
import SampleFacts
import RecordedText
import Testing
import VirtualBuilding

@Suite("`replace --with` gives the address of the new sensor", .timeLimit(.minutes(60)))
struct ReplaceWithTests {
  private static let replace = ["room", "replace", "building.yaml", "Room 101", "--without-scan", "--with"]
  private static let old = ServedBuilding.address(1).description
  private static let new = ServedBuilding.address(2).description

  private static func manifest(_ site: Site) throws -> String {
    try String(contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
  }

  /// The recorded sensors that were taken out of service.
  private static func released(_ site: Site) throws -> [BindingReleased] {
    try site.runs.flatMap { run -> [BindingReleased] in
      let path = site.directory.appending(path: "reports/\(Site.building)/\(run)/journal.jsonl").path
      guard FileManager.default.fileExists(atPath: path) else { return [] }
      return try JournalReader.read(path).events.compactMap { event in
        if case .bindingReleased(let fact) = event.fact { fact } else { nil }
      }
    }
  }

  @Test("the new address is recorded and in the manifest, and the next run provisions the sensor")
  func replaced() async throws {
    try await Premises.serve(2) { premises in
      let site = premises.site
      try site.writeManifest([.numbered(1)])
      #expect(try await premises.apply().status == 0)
      // The target of a link is changed; the link and the file mode stay.
      let text = try Self.manifest(site) + "# kept\n"
      try site.write("harbour.yaml", text)
      let manifest = site.directory.appending(path: "building.yaml").path
      try FileManager.default.removeItem(atPath: manifest)
      try FileManager.default.createSymbolicLink(atPath: manifest, withDestinationPath: "harbour.yaml")

      await premises.setMuted(true, 1)
      try await premises.run(Self.replace + ["https://example.com/?mac=c47c8d000002"]).expect(
        0, errors: "\(Self.old) is out of service", notErrors: "manifest still has")
      #expect(try Self.manifest(site) == text.replacing(Self.old, with: Self.new))
      let attributes = try FileManager.default.attributesOfItem(
        atPath: site.directory.appending(path: "harbour.yaml").path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: manifest) == "harbour.yaml")
      let leftovers = try FileManager.default.contentsOfDirectory(atPath: site.directory.path)
        .filter { $0.contains("roboprov-") }
      #expect(leftovers.isEmpty)
      #expect(try Self.released(site).map { $0.successor?.description } == [Self.new])

      try await premises.run(["room", "history", "building.yaml", "room-101"]).expect(
        output: "replaced by \(Self.new)")
      #expect(try await premises.apply().status == 0)
      #expect(await premises.minor(2) == 101)
    }
  }

  @Test("an address that cannot be the room's is refused, and nothing is changed")
  func refused() async throws {
    try await Premises.serveDone(2) { premises in
      let manifest = try Self.manifest(premises.site)
      for (address, words) in [
        (Self.new, "\(Self.new) is the device of Room 102"), (Self.old, "is already the device of Room 101"),
        ("C4:7C:8D", "12 hex digits"), ("00:00:00:00:00:00", "cannot be the address of a device"),
      ] {
        try await premises.expectRefused(Self.replace + [address], with: 64, saying: [words])
      }
      try await premises.expectRefused(
        ["room", "replace", Site.building, "Room 101", "--without-scan", "--with", "C47C8D000003"], with: 64,
        saying: ["Name the building by its manifest"])
      // A recorded sensor belongs to a room even if the manifest no longer names it.
      try premises.site.writeManifest([.numbered(1)])
      try await premises.expectRefused(
        Self.replace + [Self.new], with: 64, saying: ["\(Self.new) is the device of Room 102"])
      try premises.site.write("building.yaml", manifest)
      let place = premises.site.directory.appending(path: "building.yaml").path
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place)
      #expect(try Self.manifest(premises.site) == manifest)
    }
  }

  @Test(
    "a killed `replace --with` leaves a whole manifest that is not ahead of the record; a repetition completes it",
    .notRecorded
  )
  func killed() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let manifest = try Self.manifest(site)
      let before = try site.saveRecord()
      var halves = 0
      for call in 1...200 {
        try site.restoreRecord(before)
        try site.write("building.yaml", manifest)
        let outcome = try await site.run(Self.replace + [Self.new], environment: KillSwitch.at(call: call))
        guard outcome.signal == SIGKILL else {
          #expect(outcome.status == 0, "\(outcome)")
          break
        }
        let text = try Self.manifest(site)
        let isChanged = text == manifest.replacing(Self.old, with: Self.new)
        #expect(isChanged || text == manifest, "call \(call)")
        let isRecorded = try Self.released(site).contains { $0.successor?.description == Self.new }
        #expect(isRecorded || !isChanged, "call \(call)")
        if isRecorded, !isChanged { halves += 1 }

        try await site.run(Self.replace + [Self.new]).expect(0, "call \(call)")
        #expect(try Self.manifest(site) == manifest.replacing(Self.old, with: Self.new), "call \(call)")
        #expect(try Self.released(site).count == 1, "call \(call)")
      }
      #expect(halves > 0, "some were killed between the record and the manifest")
    }
  }
}
