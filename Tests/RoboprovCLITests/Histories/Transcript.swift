import Foundation
import RecordedText
import Synchronization

/// What the commands of a history wrote: for each step a line per command with fingerprints of its output, and one with those of
/// the record's files. A change of any output shows here, whether a check looks at it or not.
final class Transcript: Sendable {
  private struct State {
    var lines: [String] = []
    /// The commands of the present step by name: how often, and what they wrote.
    var commands: [String: (count: Int, written: Fingerprint)] = [:]
  }

  private let state = Mutex(State())

  /// The folder of the test.
  private let place: String

  init(in place: URL) { self.place = place.path }

  var lines: [String] { state.withLock(\.lines) }

  /// The bytes that are compared: not the folder of the test, the line breaks that follow from its length, and the names of
  /// keys that the test made.
  static func compared(_ text: String, in place: String) -> [UInt8] {
    var text = text.replacingOccurrences(of: place, with: "")
    if text.contains("SHA256:") { text = text.replacing(#/SHA256:[A-Za-z0-9+\/]+/#, with: "") }
    return Array(text.utf8.filter { $0 > 0x20 })
  }

  private func compared(_ text: String) -> [UInt8] { Self.compared(text, in: place) }

  func add(_ arguments: [String], _ outcome: Invocation.Outcome) {
    let name = arguments.prefix(["report", "room"].contains(arguments.first) ? 2 : 1).joined(separator: " ")
    state.withLock { state in
      var command = state.commands[name] ?? (0, Fingerprint())
      command.count += 1
      command.written.add(compared("\(outcome)"))
      state.commands[name] = command
    }
  }

  /// Ends a step with the files of the record.
  func end(_ step: String, in folder: URL) throws {
    let kinds: [(name: String, matches: (String) -> Bool)] = [
      ("journals", { $0.hasSuffix(".jsonl") }), ("logs", { $0.hasSuffix(".log") }),
      ("pages", { $0.hasSuffix(".html") }), ("tables", { $0.hasSuffix(".csv") || $0.hasSuffix(".xml") }),
      ("reports", { $0.hasSuffix("report.json") }), ("building", { $0.hasSuffix("building.json") }),
    ]
    let paths = (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? [])
      .sorted()
    var files: [String] = []
    for kind in kinds {
      var written = Fingerprint()
      // The signed copies have a folder of their own.
      let own = paths.filter { kind.matches($0) && !$0.contains("signed/") && !$0.hasPrefix("latest/") }
      for path in own {
        let text = String(decoding: try Data(contentsOf: folder.appending(path: path)), as: UTF8.self)
        written.add(compared(path + text))
      }
      files.append("\(own.count) \(kind.name) \(written)")
    }
    state.withLock { state in
      state.lines.append(step)
      for (name, command) in state.commands.sorted(by: { $0.key < $1.key }) {
        state.lines.append("  \(name) × \(command.count): \(command.written)")
      }
      state.lines.append("  " + files.joined(separator: ", "))
      state.commands = [:]
    }
  }
}
