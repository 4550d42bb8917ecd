import Foundation
import Testing

@Suite("`validate` reports findings", .timeLimit(.minutes(60)))
struct ValidateTests {
  private static let manifest = """
    building: House   # in the harbour
    assign: any

    rooms:
      - { room: 007, minor: 7, register: true, address: C4:7C:8D:00:00:07 }   # the spy
      - { room: Bar, minor: 8, register: Yes, address: C4:7C:8D:00:00:08 }
    rooms_from: more.csv

    """

  @Test("--fix corrects only unambiguous findings and keeps comments, layout and file mode")
  func fix() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      try site.write("more.csv", "room;minor;register;address\r\nCellar;9;true;C4:7C:8D:00:00:09\r\n")
      let path = site.directory.appending(path: "building.yaml").path
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
      try await site.run(["validate", "building.yaml"]).expect(65)

      let outcome = try await site.run(["validate", "building.yaml", "--fix"]).expect(0)
      let table = "more.csv: 1 row, with semicolons between the cells\n"
      #expect(outcome.errors == "building.yaml: 3 findings corrected\n" + table, "\(outcome)")
      #expect(outcome.output.contains("3 rooms"), "\(outcome)")
      let fixed = Self.manifest.replacing("assign:", with: "match:").replacing("007", with: "\"007\"")
        .replacing("Yes", with: "true")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == fixed)
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o640)

      let again = try await site.run(["validate", "building.yaml", "--fix"]).expect(0)
      #expect(
        again.errors == "No finding has a correction that is certain; nothing was changed.\n" + table,
        "\(again)")
    }
  }

  @Test("findings are coloured on a terminal unless NO_COLOR is set", arguments: [true, false])
  func colors(isColored: Bool) async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      let run = try site.startAtTerminal(
        ["validate", "building.yaml"], environment: isColored ? [:] : ["NO_COLOR": "1"])
      let outcome = try await run.ended().expect(65)
      #expect(outcome.output.contains("\u{1B}[31merror\u{1B}[0m: unknown key") == isColored, "\(outcome)")
      #expect(outcome.output.contains("\u{1B}") == isColored, "\(outcome)")
    }
  }
}
