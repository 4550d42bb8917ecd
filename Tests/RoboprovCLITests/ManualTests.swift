import ArgumentParser
import Foundation
import Testing

@testable import Application
@testable import RoboprovCLI

@Suite("the manual has a page for each command", .timeLimit(.minutes(60)))
struct ManualTests {
  @Test("man shows the page of each command without a warning and with all its options")
  func pages() async throws {
    try await Site.use { site in
      let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Scripts/manual"
      )
      .standardizedFileURL.path
      let written = try await site.runTool(["python3", script, Invocation.program.path, "."])
      #expect(written.status == 0 && written.errors.isEmpty, "\(written)")
      let pages = try FileManager.default.contentsOfDirectory(atPath: site.directory.path).filter {
        $0.hasSuffix(".1")
      }
      let commands = Roboprov.configuration.subcommands
      let names = commands.map { "roboprov-\($0.configuration.commandName ?? "").1" }
      #expect(Set(pages).isSuperset(of: names + ["roboprov.1", "roboprov-report-sign.1"]))
      #expect(!pages.contains("roboprov-help.1"))
      for page in pages { try await Self.expectShown(page, top: names.contains(page), at: site) }
    }
  }

  /// - Parameter top: Whether it is the page of a command directly below the program.
  private static func expectShown(_ page: String, top: Bool, at site: Site) async throws {
    let typeset = try await site.runTool(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page])
    #expect(typeset.status == 0 && typeset.errors.isEmpty, "\(page): \(typeset.errors)")
    let shown = try await site.runTool(
      ["env", "MANWIDTH=80", "LC_ALL=C.UTF-8", "man", "-P", "cat", "-l", page]).expect(0, output: "SYNOPSIS")
    let name = String(page.dropLast(2).dropFirst("roboprov-".count))
    let command = top ? [name] : name.split(separator: "-").map(String.init)
    let help = try await site.run(["help"] + command)
    let options = help.output.split(separator: "\n").filter { $0.hasPrefix("  -") }
    let words = options.flatMap { $0.split { !$0.isLetter && $0 != "-" } }
    for option in Set(words) where option.hasPrefix("--") {
      #expect(shown.output.contains(option), "\(option) of \(page)")
    }
  }
}
