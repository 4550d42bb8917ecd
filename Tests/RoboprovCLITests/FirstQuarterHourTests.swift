import Bluetooth
import Foundation
import RecordedText
import Testing
import VirtualBuilding

@Suite("The first quarter of an hour of an installer", .timeLimit(.minutes(60)))
struct FirstQuarterHourTests {
  /// The command that the screen names as the next one, as words.
  private static func next(_ outcome: Invocation.Outcome) -> [String]? {
    let screen = outcome.errors + "\n" + outcome.output
    return screen.matches(of: #/Next: roboprov ([^\n]*)/#).last?.output.1.split(separator: " ").map(
      String.init)
  }

  @Test(
    "leads from a German workbook to a provisioned building by what the screen says",
    arguments: [true, false])
  func excel(hasAddresses: Bool) async throws {
    try await Site.use { site in
      let table = projectFile("Tests/Tables/forty-rooms\(hasAddresses ? "" : "-without-addresses").xlsx")
      try FileManager.default.copyItem(at: table, to: site.directory.appending(path: "Räume.xlsx"))
      let sensors = (1...40).map { ServedBuilding.sensor($0) }
      try await site.serve(sensors, toPrograms: true) { building in
        var environment: [String: String] = [:]
        var command = ["init", "--name", "Haus am See", "--network", "gaeste=Gäste", "--from", "Räume.xlsx"]
        command += ["--password", "env"]
        var typed: [String] = []
        while typed.count < 8 {
          typed.append(command[0])
          // Without a terminal the labels come from standard input, as from a scanner.
          let labels = (1...40).map { "\(ServedBuilding.address($0))\\n" }.joined()
          let outcome = try await site.run(
            command, bus: building.bus, environment: environment,
            through: command[0] == "capture" ? ["sh", "-c", "printf '\(labels)' | \"$@\"", "sh"] : [])
          if outcome.output.contains("40 of 40 rooms done") { break }
          if let missing = outcome.errors.firstMatch(of: #/export (WIFI_[A-Z]+)/#) {
            environment[String(missing.output.1)] = "made up for this test"
            continue
          }
          command = try #require(Self.next(outcome), "after \(command): \(outcome)")
        }
        let expected =
          hasAddresses ? ["init", "plan", "plan", "apply"] : ["init", "capture", "plan", "plan", "apply"]
        // On a busy machine a sensor can need another run.
        #expect(Array(typed.prefix(expected.count)) == expected, "\(typed)")
        #expect(typed.dropFirst(expected.count).allSatisfy { $0 == "apply" }, "\(typed)")
        for number in 1...40 {
          #expect(await building.flash(number)?.minor == UInt16(100 + number))
        }
      }
    }
  }
}
