import Foundation
import Testing

@testable import Application

@Suite("failures of commands") struct CommandFailureTests {
  @Test("an advice lists 20 things and counts the others", arguments: [1, 20, 21, 300])
  func list(count: Int) {
    let lines = CommandFailure.list(Array(1...count)) { "room \($0)" }.split(separator: "\n").map(String.init)
    let others = count > 20 ? ["… and \(count - 20) more."] : []
    #expect(lines == (1...min(count, 20)).map { "- room \($0)" } + others)
  }

  @Test("statuses and codes of errors are those that the page for scripts promises")
  func frozen() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../docs/automation.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    let promised = text.matches(of: /(?m)^\| ([0-9]+) \| `([a-z]+)` \|/)
    #expect(
      promised.map { "\($0.1) \($0.2)" } == ExitStatus.allCases.map { "\($0.rawValue) \($0)" })
    let line = ErrorJSON.line(CommandFailure(.record, "The disk is full."))
    #expect(line.contains(#""code":"record","exit_status":74,"message":"The disk is full.""#))
  }
}
