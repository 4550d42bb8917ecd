import ArgumentParser
import RecordedText
import Testing

@testable import RoboprovCLI

@Suite("Help")
struct HelpTests {
  /// The help of a command and of those below it.
  private static func pages(of command: any ParsableCommand.Type) -> [String] {
    [Roboprov.helpMessage(for: command, columns: 80)]
      + command.configuration.subcommands.flatMap { pages(of: $0) }
  }

  @Test("each page is as it was reviewed")
  func pages() throws {
    let pages = Self.pages(of: Roboprov.self)
    #expect(pages.count > 25)
    try expectRecorded(
      pages.joined(separator: "\n\n") + "\n", in: projectFile("Tests/Snapshots/RoboprovCLI/help.txt"))
  }

  @Test("each command is in one group")
  func groups() {
    #expect(Roboprov.configuration.ungroupedSubcommands.isEmpty)
    let names = Roboprov.configuration.subcommands.map { $0.configuration.commandName ?? "" }
    #expect(Set(names).count == names.count)
  }
}
