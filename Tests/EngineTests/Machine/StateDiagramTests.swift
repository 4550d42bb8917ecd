import Foundation
import Testing

@testable import Engine

/// The state diagrams of docs/internals/engine.md equal the transitions in the code.
@Suite("state diagrams") struct StateDiagramTests {
  private static let document = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs/internals/engine.md")

  /// The arrows of the diagram that begins with this comment.
  private func arrows(_ title: String) throws -> Set<String> {
    let text = try String(contentsOf: Self.document, encoding: .utf8)
    let begin = try #require(text.range(of: "%% \(title)\n"), "no diagram: \(title)")
    let end = try #require(text.range(of: "```", range: begin.upperBound..<text.endIndex))
    let lines = text[begin.upperBound..<end.lowerBound].split(separator: "\n")
    return Set(
      lines.compactMap { line in
        let parts = line.split(separator: ":", maxSplits: 1)[0].components(separatedBy: "-->")
        guard parts.count == 2 else { return nil }
        return parts.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " > ")
      }
    ).filter { !$0.contains("[*]") }
  }

  @Test("the diagram of a room shows every transition")
  func room() throws {
    let code = RoomState.transitions.flatMap { from, next in next.map { "\(from.rawValue) > \($0.rawValue)" }
    }
    #expect(try arrows("states of a room") == Set(code))
  }

  @Test("the diagram of an adapter shows every transition")
  func radio() throws {
    let code = RadioState.transitions.flatMap { from, next in next.map { "\(from.rawValue) > \($0.rawValue)" }
    }
    #expect(try arrows("states of an adapter in use") == Set(code))
  }

  @Test("every room state is reachable and leads to an end")
  func reachable() {
    var reached: Set<RoomState.Kind> = [.unmatched]
    while true {
      let next = reached.union(reached.flatMap { RoomState.transitions[$0] ?? [] })
      if next == reached { break }
      reached = next
    }
    #expect(reached == Set(RoomState.Kind.allCases).subtracting([.finished]))
  }
}
