public import FoundationEssentials
import Model

/// Who holds a lock, in its own words: what whoever is refused is told.
public struct LockHolder: Hashable, Sendable {
  /// Its process id.
  public var process: Int32
  /// Its run's id, which names its host.
  public var run: String
  /// Since when it holds it: wall-clock time, kept to the millisecond.
  public var since: Date

  /// A holder.
  public init(process: Int32, run: String, since: Date) {
    self.process = process
    self.run = run
    self.since = since
  }
}

extension LockHolder: CustomStringConvertible {
  /// `process 4711, run 20261121T090000Z-laptop-1f3a9c, since 2026-11-21T09:00:00.000Z`.
  public var description: String { "process \(process), run \(run), since \(RunEvent.timestamp(since))" }
}

/// The line in the lock file: `{"pid":4711,"run":"…","since":"2026-11-21T09:00:00.000Z"}`.
extension LockHolder {
  private struct Line: Codable {
    var pid: Int32
    var run: String
    var since: String
  }

  /// A line is not longer than this; more than that is not read.
  static let longest = 1024

  /// The line, with its end.
  var line: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = Line(pid: process, run: run, since: RunEvent.timestamp(since))
    // Two texts and a number: there is nothing in it that JSON could not hold.
    guard let bytes = try? encoder.encode(line) else { preconditionFailure("no line for \(self)") }
    return Array(bytes) + [UInt8(ascii: "\n")]
  }

  /// Reads the first line of a lock file. Every user of the machine may have written what stands there, so it is
  /// nobody unless it is whole and its run's id could be one of ours.
  init?(line bytes: [UInt8]) {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let line = try? JSONDecoder().decode(Line.self, from: Data(bytes[..<end])),
      line.pid > 0, RunDirectory.isSafeName(line.run),
      let since = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(line.since)
    else { return nil }
    self.init(process: line.pid, run: line.run, since: since)
  }
}
