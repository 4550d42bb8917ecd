package import FoundationEssentials
import Model

/// The run that holds a lock, as the lock file describes it. The message to a refused run names it.
package struct LockHolder: Hashable, Sendable {
  package var process: Int32
  /// The run's id, which contains the host's name.
  package var run: String
  /// Wall-clock time at which the lock was taken, to the millisecond.
  package var since: Date

  package init(process: Int32, run: String, since: Date) {
    (self.process, self.run, self.since) = (process, run, since)
  }
}

extension LockHolder: CustomStringConvertible {
  /// `process 4711, run 20261121T090000Z-laptop-1f3a9c, since 2026-11-21T09:00:00.000Z`.
  package var description: String { "process \(process), run \(run), since \(RunEvent.timestamp(since))" }
}

/// The line in the lock file: `{"pid":4711,"run":"…","since":"2026-11-21T09:00:00.000Z"}`.
extension LockHolder {
  private struct Line: Codable {
    var pid: Int32
    var run: String
    var since: String
  }

  /// The longest line that is read, in bytes.
  static let longest = 1024

  /// The line, with its newline.
  package var line: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = Line(pid: process, run: run, since: RunEvent.timestamp(since))
    // Two strings and an integer: JSON can encode every value.
    guard let bytes = try? encoder.encode(line) else { preconditionFailure("cannot encode \(self)") }
    return Array(bytes) + [UInt8(ascii: "\n")]
  }

  /// Parses the first line of a lock file. Every user of the machine may have written the file, so the result
  /// is nil unless the line is complete and its run id is a safe file name.
  package init?(line bytes: [UInt8]) {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let line = try? JSONDecoder().decode(Line.self, from: Data(bytes[..<end])),
      line.pid > 0, line.run.isFileName,
      let since = Timestamp(line.since)?.time
    else { return nil }
    self.init(process: line.pid, run: line.run, since: since)
  }
}
