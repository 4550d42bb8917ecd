import Foundation
import Testing

@testable import Reporting

@Suite("A text as a word of a command line")
struct ShellQuotingTests {
  @Test(
    "a text is quoted if a shell would change it",
    arguments: [
      ("building.yaml", "building.yaml"), ("C4:7C:8D:00:00:01", "C4:7C:8D:00:00:01"), ("Räume", "Räume"),
      ("", "''"), ("my reports", "'my reports'"), ("it's", #"'it'\''s'"#), ("$(reboot)", "'$(reboot)'"),
      ("a;b", "'a;b'"), ("`x`", "'`x`'"), ("~", "'~'"), ("*", "'*'"), ("a\nb", "'a\nb'"),
    ])
  func quoted(_ text: String, _ word: String) {
    #expect(text.shellQuoted == word)
  }

  @Test(
    "a shell reads a quoted text unchanged",
    arguments: ["", "it's", "'", "a 'b' $(c) \\ \"d\"", "`x`;&|<>*?[a]!#~", "ä\nb"])
  func read(_ text: String) throws {
    let shell = Process()
    let output = Pipe()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", "printf '%s|' \(text.shellQuoted)"]
    shell.standardOutput = output
    try shell.run()
    let written = try output.fileHandleForReading.readToEnd() ?? Data()
    shell.waitUntilExit()
    #expect(String(decoding: written, as: UTF8.self) == text + "|")
  }
}
