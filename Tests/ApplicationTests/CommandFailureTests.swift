import Testing

@testable import Application

@Suite("failures of commands") struct CommandFailureTests {
  @Test("an advice lists 20 things and counts the others", arguments: [1, 20, 21, 300])
  func list(count: Int) {
    let lines = CommandFailure.list(Array(1...count)) { "room \($0)" }.split(separator: "\n").map(String.init)
    let others = count > 20 ? ["… and \(count - 20) more."] : []
    #expect(lines == (1...min(count, 20)).map { "- room \($0)" } + others)
  }
}
