import Bluetooth
import Foundation
import Testing
import VirtualBuilding

@testable import Application
@testable import RoboprovCLI

@Suite("`doctor` checks a computer before a run", .timeLimit(.minutes(60)))
struct DoctorCommandTests {
  /// The codes of all findings with a severity in a document.
  private static func codes(_ severity: String, _ document: JSON) -> [String] {
    document["findings"].items.filter { $0["severity"].text == severity }.compactMap { $0["code"].text }
  }

  @Test("`doctor` with a manifest reports which rooms are received and writes nothing")
  func received() async throws {
    try await Premises.serve(4) { premises in
      for number in 2...4 { await premises.setMuted(true, number) }
      try await premises.run(["doctor", "building.yaml", "--scan-time", "2"]).expect(
        0, output: "1 of 4 rooms received in 2 s on hci0; not received: Room 102–104.",
        "✓ hci0: \(ServedBuilding.adapter), controller unknown, switched on, 0 links.")
      #expect(await premises.building.isUntouched([1, 2, 3, 4]))
      #expect(!premises.site.has("reports"))
      let document = try await premises.run([
        "doctor", "building.yaml", "--scan-time", "2", "--output", "json",
      ]).json
      #expect(document["building"].text == Site.building)
      #expect(document["reception"]["received"].items.map { $0["room"].text } == ["Room 101"])
      #expect(document["reception"]["not_received"].count == 3)
      #expect(Self.codes("error", document).isEmpty)
    }
  }

  @Test("`doctor` without a bus reports what files show and ends with 69")
  func noBus() async throws {
    try await Site.use([.numbered(1)]) { site in
      let document = try await site.start(["doctor", "building.yaml", "--output", "json"]).ended().expect(69)
        .json
      #expect(Self.codes("error", document) == ["bus_unavailable"])
      #expect(Self.codes("note", document).contains("reception"))
      #expect(Self.codes("ok", document).contains("storage"))
      #expect(document["reception"].isNull)
      try await site.run(["doctor"]).expect(69, output: "sudo systemctl start dbus")
    }
  }

  @Test("`doctor` says of each computer, once, why it cannot be used")
  func hosts() async throws {
    try await Site.use { site in
      let doctor = ["doctor", "--host", "floor-3=ssh://nobody@127.0.0.1:1", "--output", "json"]
      let findings = try await site.start(doctor).ended().expect(69, notErrors: "floor-3").json["findings"]
        .items
      let said = ["bus_unavailable", "host"].map { code in
        findings.filter { $0["code"].text == code }.compactMap { $0["sentence"].text }
      }
      #expect(said[0].count == 1 && said[0][0].contains("/no-bus"), "\(said)")
      #expect(said[1].count == 1 && said[1][0].contains("Connection refused"), "\(said)")
    }
  }

  @Test("`doctor` names the command for a stopped bluetoothd and for an adapter that is off")
  func stopped() async throws {
    try await Premises.serve(1) { premises in
      await premises.building.world.setPowered(false, ServedBuilding.adapter)
      let off = try await premises.run(["doctor"])
      #expect(off.status == 69, "\(off)")
      #expect(off.output.contains("✗ hci0 is switched off."), "\(off)")
      #expect(off.output.contains("\n    busctl set-property org.bluez /org/bluez/hci0 "), "\(off)")
      await premises.building.stack.killDaemon()
      try await premises.run(["doctor"]).expect(69, output: "\n    sudo systemctl start bluetooth\n")
    }
  }

  @Test("a missing password is an error in `doctor`, and no other program inherits a password")
  func password() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      try premises.site.writeManifest([.numbered(1)], password: "{ env: GUESTS }")
      let outcome = try await premises.run(["doctor", "building.yaml", "--scan-time", "1"]).expect(69)
      let text = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(
        text.contains("✗ The password of Harbour Guests: the environment variable GUESTS is not set."),
        "\(text)")
      let set = try await premises.site.run(
        ["doctor", "building.yaml", "--scan-time", "1"], bus: premises.building.bus,
        environment: ["GUESTS": Site.password])
      #expect(set.status == 0 && !"\(set)".contains(Site.password), "\(set)")
      #expect(set.output.contains("✓ Passwords that are set: 1 of 1."), "\(set)")
      try premises.site.writeManifest([.numbered(1)], password: "{ command: [touch, ran] }")
      let command = try await premises.run(["doctor", "building.yaml", "--scan-time", "1"])
      let words = command.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(
        command.status == 0 && words.contains("is unknown: it is the output of a program"), "\(command)")
      #expect(!premises.site.has("ran"), "no program is run")
    }
  }

  @Test("an unusable record is an error in `doctor`")
  func damaged() async throws {
    try await Premises.serveDone(1) { premises in
      let journal = try premises.site.latest.appending(path: "journal.jsonl")
      let text = try String(contentsOf: journal, encoding: .utf8)
      try text.replacing("Room 101", with: "Room 109").write(to: journal, atomically: true, encoding: .utf8)
      try await premises.run(["doctor", "building.yaml", "--scan-time", "1"]).expect(
        69, output: "✗ The building's record cannot be used:")
    }
  }

  @Test("`doctor` does not disturb a run that uses the adapter")
  func taken() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      try await premises.whileAdapterIsTaken {
        let outcome = try await premises.run(["doctor", "building.yaml", "--scan-time", "1"]).expect(0)
        let text = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("is unknown: hci0 is in use"), "\(text)")
      }
    }
  }

  @Test("another program that scans is a warning in `doctor`")
  func foreignScan() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      let scan = try premises.site.start(["scan", "--watch"], bus: premises.building.bus)
      try await scan.prints("Scanning on hci0")
      try await scan.prints("\(ServedBuilding.address(1))")
      try await premises.run(["doctor"]).expect(output: "! Another program scans with hci0")
      scan.send(SIGINT)
      _ = try await scan.ended()
    }
  }

  @Test("`doctor --simulate` scans a virtual building; --scan-time without a building is refused")
  func simulated() async throws {
    try await Site.use((1...3).map { .numbered($0) }) { site in
      try await site.run(["doctor", "building.yaml", "--simulate", "--scan-time", "2"]).expect(
        0, output: "✓ 3 of 3 rooms received in 2 s on hci0.")
      #expect(try await site.run(["doctor", "--scan-time", "2"]).status == 64)
    }
  }

  @Test("Ctrl-C during the scan ends `doctor` with 130")
  func interrupted() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      let run = try premises.site.start(
        ["doctor", "building.yaml", "--scan-time", "600"], bus: premises.building.bus)
      try await run.prints("Scanning on hci0")
      run.send(SIGINT)
      #expect(try await run.ended().status == 130)
    }
  }

  @Test("`apply` prints warnings that come from files and ends if the record has no space")
  func beforeRun() async throws {
    try await Premises.serve(1) { premises in
      // Root may write anywhere, but not into a file.
      try premises.site.write("reports", "")
      try await premises.apply().expect(74)
      #expect(await premises.building.isUntouched([1]))
    }
  }
}
