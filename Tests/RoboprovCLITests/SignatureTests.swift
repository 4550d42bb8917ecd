import Foundation
import Testing

@Suite("reports are verified and signed", .timeLimit(.minutes(60)))
struct SignatureTests {
  private static let check = ["report", "check", Site.building]
  private static let sign = ["report", "sign", "building.yaml", "--key", "qa"]

  @Test("a finished building is signed, and any later change is detected")
  func signed() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      try await Self.makeKey("qa", at: site)
      let unsigned = try await site.run(Self.check)
      #expect(unsigned.status == 0 && unsigned.output.hasPrefix("Not signed."), "\(unsigned)")
      let key = try String(contentsOf: site.directory.appending(path: "qa.pub"), encoding: .utf8)
      try site.write("signers", "qa@example.org \(key)")
      try await site.run(Self.check + ["--signers", "signers", "--as", "qa@example.org"]).expect(
        74, errors: "is not signed")
      try await site.run(Self.sign).expect(0)
      try await site.run(Self.check).expect(0, output: "SHA256:")

      for (name, arguments) in [("signature", Self.sign), ("check", Self.check)] {
        let outcome = try await site.run(arguments + ["--output", "json"])
        let document = try outcome.json
        #expect(outcome.status == 0 && document["schema"].text == "roboprov/\(name)/1", "\(outcome)")
        #expect(document["files"].count > 0, "\(outcome)")
        try OutputPage.expectExample(of: outcome.output)
      }

      try await site.run(Self.check + ["--signers", "signers", "--as", "qa@example.org"]).expect(
        0, output: "qa@example.org")
      try await site.run(Self.check + ["--signers", "signers", "--as", "eve@example.org"]).expect(
        74, errors: "is not valid")

      try await site.run(["status", Site.building]).expect(
        output: "Signed on ", "SHA256:", "No run since then.")

      let csv = try site.latest.appending(path: "report.csv")
      let whole = try Data(contentsOf: csv)
      try Self.replace("provisioned", with: "provisioneD", in: csv)
      try await site.run(Self.check).expect(100, errors: "report.csv does not match")
      try whole.write(to: csv)

      let states = site.folder.appending(path: "signed")
      let names = try FileManager.default.contentsOfDirectory(atPath: states.path).sorted()
      #expect(names.count == 2)
      let state = states.appending(path: try #require(names.first))
      let copy = state.appending(path: "building.csv")
      let signedCopy = try Data(contentsOf: copy)
      try Self.replace("Room 101", with: "Room 1O1", in: copy)
      let changed = try await site.run(Self.check)
      #expect(changed.status == 74, "\(changed)")
      #expect(
        changed.errors.contains("changed after signing") && changed.errors.contains("building.csv"),
        "\(changed)")
      try signedCopy.write(to: copy)

      // A later run is not signed; what was signed stays.
      #expect(try await premises.apply().status == 0)
      let later = try await site.run(Self.check).expect(100, errors: "is not among what was signed on")
      #expect(later.output.components(separatedBy: " is valid: ").count == 3, "\(later)")
      try await site.run(["status", "building.yaml"]).expect(output: "Not signed, 1 run: ")
      // Only the newest state must be signed by a certain key.
      try await Self.makeKey("new", at: site)
      let new = try String(contentsOf: site.directory.appending(path: "new.pub"), encoding: .utf8)
      try site.write("signers", "new@example.org \(new)")
      try await site.run(["report", "sign", "building.yaml", "--key", "new"]).expect(0)
      try await site.run(
        ["report", "check", "./building.yaml", "--signers", "signers", "--as", "new@example.org"]
      ).expect(0)

      try Self.replace("building.csv", with: "building.cSv", in: state.appending(path: "building.sums"))
      try await site.run(Self.check).expect(74)
    }
  }

  @Test("a report that differs from the journals is named and not signed")
  func altered() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      try await Self.makeKey("qa", at: site)
      try Self.replace("Room 101", with: "Room 1O1", in: site.folder.appending(path: "building.html"))
      let csv = try site.latest.appending(path: "report.csv")
      let whole = try Data(contentsOf: csv)
      try Self.replace("provisioned", with: "provisioneD", in: csv)
      let both = try await site.run(Self.check)
      #expect(Self.words(both).contains("building.html does not match the journals, and 1 more"), "\(both)")
      try whole.write(to: csv)
      try await site.run(Self.check).expect(
        100, errors: "building.html does not match the journals", notErrors: "1 more")
      let signed = try await site.run(Self.sign)
      #expect(signed.status == 100 && !site.has("reports/\(Site.building)/signed"), "\(signed)")
      try await site.run(["status", "building.yaml", "--write"]).expect(0)
      #expect(try await site.run(Self.sign).status == 0)
    }
  }

  @Test("a building with an open room is signed only after the room is accepted")
  func open() async throws {
    try await Premises.serve(2) { premises in
      let site = premises.site
      try await Self.makeKey("qa", at: site)
      let defaults = ["retries: 0", "timeouts: { connect: 10s }"]
      try site.writeManifest([.numbered(1), .numbered(2)], defaults: defaults)
      await premises.setMuted(true, 2)
      #expect(try await premises.apply().status == 100)
      try await site.run(Self.sign).expect(100, errors: "1 room is open: Room 102")
      try site.writeManifest((1...9).map { .numbered($0) }, defaults: defaults)
      let many = try await site.run(Self.sign)
      let names = (2...6).map { "Room 10\($0)" }.joined(separator: ", ")
      #expect(Self.words(many).contains("8 rooms are open: \(names) …"), "\(many)")
      try site.writeManifest([.numbered(1), .numbered(2)], defaults: defaults)
      let accept = [
        "room", "accept", "building.yaml", "Room 102", "--by", "Ada", "--reason", "behind a wall",
      ]
      #expect(try await site.run(accept).status == 0)
      #expect(try await site.run(Self.sign).status == 0)
    }
  }

  /// What it wrote to stderr, in one line.
  private static func words(_ outcome: Invocation.Outcome) -> String {
    outcome.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func makeKey(_ name: String, at site: Site) async throws {
    let made = try await site.runTool(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name])
    try #require(made.status == 0, "\(made)")
  }

  private static func replace(_ old: String, with new: String, in file: URL) throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    try #require(text.contains(old))
    try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: file)
  }
}

extension Site {
  /// The building's folder.
  fileprivate var folder: URL { directory.appending(path: "reports/\(Self.building)") }
}
