import Foundation
import Testing

@testable import Application
@testable import RoboprovCLI

@Suite("the manual has a page for each command", .timeLimit(.minutes(60)))
struct ManualTests {
  private static let tree = CommandTree(of: Roboprov.self)

  @Test("the program and each command in its help have a manual page")
  func pages() {
    let names = ManualPage.pages(of: Self.tree).map(\.name)
    #expect(names.first == "roboprov")
    #expect(names.contains("roboprov-apply") && names.contains("roboprov-report-sign"))
    #expect(!names.contains("roboprov-help") && !names.contains("roboprov-manual"))
    #expect(Set(names).count == names.count)
  }

  @Test("a help text is parsed into examples, paragraphs and exit statuses")
  func helpText() {
    let help = HelpText(
      """
        roboprov scan
        roboprov scan --watch

      Scans for
      10 s.

      EXIT STATUS
        0    all is well
        Otherwise:
        100  some room is not done
      """)
    #expect(help.examples == ["roboprov scan", "roboprov scan --watch"])
    #expect(help.paragraphs == ["Scans for 10 s."])
    #expect(
      help.exitStatus
        == [.status("0", "all is well"), .remark("Otherwise:"), .status("100", "some room is not done")])
  }

  @Test("text that roff interprets is escaped")
  func escaped() {
    #expect(Roff.escaped(#".so \x 'a' -n"#) == #"\&.so \ex \(aqa\(aq \-n"#)
    #expect(Roff.prose("see `apply --yes`, or .yaml") == #"see \fBapply \-\-yes\fR, or .yaml"#)
    #expect(Roff.prose("a ` alone") == #"a \(ga alone"#)
  }

  @Test("man shows each page without a warning and with all its options")
  func shown() async throws {
    try await Site.use { site in
      try FileManager.default.createDirectory(
        at: site.directory.appending(path: "man1"), withIntermediateDirectories: false)
      let written = try await site.run(["manual", "--into", "man1"])
      #expect(written.status == 0 && written.output.isEmpty, "\(written)")
      let pages = ManualPage.pages(of: Self.tree)
      let files = try FileManager.default.contentsOfDirectory(
        atPath: site.directory.appending(path: "man1").path)
      #expect(files.sorted() == pages.map { $0.name + ".1" }.sorted())
      for command in Self.tree.command.all where command.shouldDisplay && command.commandName != "help" {
        let name = command.path.joined(separator: "-")
        let file = "man1/\(name).1"
        let typeset = try await site.runTool(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file])
        #expect(typeset.status == 0 && typeset.errors.isEmpty, "\(name)\n\(typeset.errors)")
        let shown = try await site.runTool([
          "env", "MANWIDTH=80", "LC_ALL=C.UTF-8", "man", "-P", "cat", "-l", file,
        ])
        #expect(shown.status == 0 && shown.output.contains("SYNOPSIS"), "\(shown)")
        for option in command.arguments ?? [] where option.shouldDisplay {
          for name in option.names ?? [] {
            #expect(shown.output.contains(name.text), "\(name.text)\n\(shown)")
          }
        }
      }
    }
  }

  @Test("the page of one command is printed, and an unknown command is refused")
  func printed() async throws {
    try await Site.use { site in
      let page = try await site.run(["manual", "report", "sign"])
      #expect(page.status == 0 && page.output.contains(#".TH "ROBOPROV\-REPORT\-SIGN" 1"#), "\(page)")
      let configured = try await site.run(
        ["manual", "status"], environment: ["ROBOPROV_REPORTS": "/elsewhere"])
      #expect(
        configured.output.contains("Default: reports."), "the page is that of every user\n\(configured)")
      let unknown = try await site.run(["manual", "nonsense"])
      #expect(unknown.status == 64, "\(unknown)")
    }
  }
}
