import Digest
import FoundationEssentials
package import Model

/// The content of a journal file.
package struct JournalRecord: Hashable, Sendable {
  /// The events before the first damage.
  package var events: [RunEvent]
  /// The last line, when it has no newline. A kill or a lost disk leaves one; it is not damage.
  package var tornLine: TornLine?
  /// The first line that differs from what was written. The lines after it are not read, because they cannot
  /// be trusted.
  package var damage: JournalDamage?
  /// SHA-256 of the last valid line, lower-case hex. Through the chain it covers all lines before.
  package var lastHash: String { end.hash.hex }
  /// The end of the valid lines.
  package internal(set) var end = JournalPlace()
  /// The latest time of the lines whose events were left out.
  var latestOmitted: Date?

  package init(events: [RunEvent] = []) { self.events = events }

  package var hasEnded: Bool { if case .runFinished? = events.last?.fact { true } else { false } }

  /// The latest time of its lines. The last line need not have it: the clock may have been set.
  var latest: Date? { (events.lazy.map(\.at) + [latestOmitted].compactMap(\.self)).max() }

  /// A last line without its newline.
  package struct TornLine: Hashable, Sendable {
    /// Line number, from 1.
    package var line: Int
    /// The length of the fragment.
    package var bytes: Int
  }
}

/// A place in a journal after some whole lines, from which it can be read on.
package struct JournalPlace: Hashable, Sendable {
  /// The bytes of these lines, with their newlines.
  package internal(set) var bytes = 0
  var lines = 0
  /// SHA-256 of the last one.
  var hash = SHA256(of: Array(JournalLine.schema.utf8))
}

package struct JournalDamage: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The first line is not a journal line: the file has another format.
    case foreign
    case notJSON
    /// The line is JSON but lacks a required key, or a value cannot be decoded. The text says where.
    case malformed(String)
    /// A newer version of roboprov wrote this event version.
    case unknownVersion(Int)
    /// A newer version of roboprov wrote this event kind.
    case unknownKind(String)
    /// The line was changed after it was written: the next line, or the writer, has another hash of it.
    case changed
    /// The sequence number is not the next one: lines before it are missing or were added.
    case outOfOrder(expected: Int, found: Int)
    /// The lines from this one through that number are missing: the end of the file was cut off.
    case missing(through: Int)
    /// The line follows the last line that the writer wrote.
    case added
  }

  /// Line number, from 1.
  package var line: Int
  package var kind: Kind
}

/// How much of a journal is decoded. The chain and the form of each line are checked in either case.
package enum JournalExtent: Sendable {
  case whole
  /// Without the stages of attempts, if the run has ended: then every room has its outcome, and the stages only say how it
  /// came about. They are half of a journal.
  case outcomes
}

package enum JournalReader {
  /// Reads the journal at a path.
  /// - Parameter end: The end of the journal that its writer reports, if known.
  /// - Throws: `JournalError` when the file cannot be opened or read. Damage *in* the file is part of the
  ///   result: the events before it still count.
  package static func read(
    _ path: String, _ extent: JournalExtent = .whole, writtenTo end: JournalEnd? = nil
  ) throws(JournalError) -> JournalRecord {
    let bytes = try File.reading(path).readAll()
    return end.map { read(bytes, writtenTo: $0) } ?? read(bytes, extent)
  }

  package static func read(_ bytes: [UInt8], _ extent: JournalExtent = .whole) -> JournalRecord {
    if extent == .outcomes, hasEnded(bytes) {
      let record = scan(bytes, without: stages)
      // What is damaged, only the whole journal shows.
      if record.damage == nil { return record }
    }
    return scan(bytes)
  }

  private static let stages: [Fact.Kind] = ["stage_started", "stage_ended"]

  /// Whether the last line is the end of the run.
  private static func hasEnded(_ bytes: [UInt8]) -> Bool {
    let newline = UInt8(ascii: "\n")
    guard bytes.last == newline, let before = bytes.dropLast().lastIndex(of: newline) else { return false }
    var line = PlainLine(of: bytes)
    return line.read(before + 1..<bytes.count - 1) && line.kind == "run_finished"
  }

  /// Whether a journal has a whole line with this SHA-256.
  static func hasLine(hashed hash: String, in path: String) throws(JournalError) -> Bool {
    var lines = Lines(bytes: try File.reading(path).readAll())
    while let line = lines.next() { if JournalLine.chain(lines.bytes, in: line) == hash { return true } }
    return false
  }

  /// Reads a journal and compares it with its writer's end. The hash chain alone cannot show that the last
  /// line was changed or that lines were cut off at the end.
  static func read(_ bytes: [UInt8], writtenTo end: JournalEnd) -> JournalRecord {
    var record = scan(bytes, writtenTo: end)
    guard record.damage == nil else { return record }
    let found = record.events.count
    if found < end.events {
      record.damage = JournalDamage(line: found + 1, kind: .missing(through: end.events))
    } else if found > end.events {
      record.events.removeLast(found - end.events)
      record.damage = JournalDamage(line: end.events + 1, kind: .added)
    } else if record.lastHash != end.last {
      record.events.removeLast()
      record.damage = JournalDamage(line: found, kind: .changed)
    }
    return record
  }

  /// Reads the lines that follow a place; with damage, only the whole journal shows for certain which line was changed.
  static func read(_ bytes: [UInt8], after place: JournalPlace) -> JournalRecord { scan(bytes, after: place) }

  private static func scan(
    _ bytes: [UInt8], after place: JournalPlace = JournalPlace(), without omitted: [Fact.Kind] = [],
    writtenTo end: JournalEnd? = nil
  ) -> JournalRecord {
    var record = JournalRecord(events: [])
    record.end = place
    let decoder = JSONDecoder()
    let omitted = omitted.map(\.rawValue)
    var previous = record.end.hash
    var lines = Lines(bytes: bytes)
    var plain = PlainLine(of: bytes)
    var number = place.lines
    while lines.left > 0 {
      number += 1
      guard let line = lines.next() else {
        record.tornLine = .init(line: number, bytes: lines.left)
        break
      }
      let hash = SHA256(of: bytes, in: line)
      let isPlain = plain.read(line) && plain.follows(previous, as: number)
      if isPlain, omitted.contains(plain.kind), let time = plain.time?.time {
        record.latestOmitted = max(record.latestOmitted ?? time, time)
      } else if let event = isPlain ? plain.event : nil {
        record.events.append(event)
      } else {
        switch decode(bytes[line], decoder, number: number) {
        case .failure(let damage):
          record.damage = JournalDamage(line: number, kind: damage.kind)
        case .success(let decoded) where decoded.previous != previous.hex:
          // Either the previous line was changed, or `prev` of this line was. The hash of this line in the next
          // line, or in the writer's end, decides which.
          let known =
            lines.next().flatMap { previousHash(bytes[$0], decoder) }
            ?? (number == end?.events ? end?.last : nil)
          let isThis = number == 1 || known.map { $0 != hash.hex } ?? false
          if !isThis { _ = record.events.popLast() }
          record.damage = JournalDamage(line: isThis ? number : number - 1, kind: .changed)
        case .success(let decoded):
          record.events.append(decoded.event)
        }
        if record.damage != nil { break }
      }
      previous = hash
      record.end = JournalPlace(bytes: place.bytes + bytes.count - lines.left, lines: number, hash: hash)
    }
    return record
  }

  /// The whole lines of a text, in order.
  private struct Lines {
    let bytes: [UInt8]
    private var start = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// The number of bytes after the lines so far.
    var left: Int { bytes.count - start }

    /// The positions of the next whole line, without its newline; nil when there is none.
    mutating func next() -> Range<Int>? {
      let newline = UInt8(ascii: "\n")
      var end = bytes.span.firstControl(from: start, or: newline, newline).index
      while end < bytes.count, bytes[end] != newline {
        end = bytes.span.firstControl(from: end + 1, or: newline, newline).index
      }
      guard end < bytes.count else { return nil }
      defer { start = end + 1 }
      return start..<end
    }
  }

  private struct Damage: Error {
    var kind: JournalDamage.Kind
  }

  private static func decode(
    _ bytes: ArraySlice<UInt8>, _ decoder: JSONDecoder, number: Int
  ) -> Result<JournalLine, Damage> {
    let line: JournalLine
    do {
      line = try decoder.decode(JournalLine.self, from: Data(bytes))
    } catch {
      return .failure(Damage(kind: diagnose(bytes, decoder, error, number: number)))
    }
    guard line.event.sequence == number else {
      return .failure(Damage(kind: .outOfOrder(expected: number, found: line.event.sequence)))
    }
    return .success(line)
  }

  /// `prev` of a line; nil when it cannot be decoded.
  private static func previousHash(_ bytes: ArraySlice<UInt8>, _ decoder: JSONDecoder) -> String? {
    (try? decoder.decode(Frame.self, from: Data(bytes)))?.prev
  }

  /// Why a line cannot be decoded.
  private static func diagnose(
    _ bytes: ArraySlice<UInt8>, _ decoder: JSONDecoder, _ error: any Error, number: Int
  ) -> JournalDamage.Kind {
    guard let frame = try? decoder.decode(Frame.self, from: Data(bytes)) else {
      return number == 1 ? .foreign : .notJSON
    }
    guard frame.prev != nil, let version = frame.v, let kind = frame.kind else {
      return number == 1 ? .foreign : .malformed("no event")
    }
    if version != RunEvent.version { return .unknownVersion(version) }
    if Fact.Kind(rawValue: kind) == nil { return .unknownKind(kind) }
    return .malformed(words(error))
  }

  /// The keys that every line has, in every version.
  private struct Frame: Decodable {
    var v: Int?
    var kind: String?
    var prev: String?

    enum CodingKeys: CodingKey {
      case v
      case kind
      case prev
    }

    init(from decoder: any Decoder) throws {
      guard let container = try? decoder.container(keyedBy: CodingKeys.self) else { return }
      v = try? container.decode(Int.self, forKey: .v)
      kind = try? container.decode(String.self, forKey: .kind)
      prev = try? container.decode(String.self, forKey: .prev)
    }
  }

  /// The place of the decoding error in the line. The text does not repeat values, which may be secret.
  private static func words(_ error: any Error) -> String {
    func path(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
      (context.codingPath + [last].compactMap(\.self)).map(\.stringValue).joined(separator: ".")
    }
    return switch error as? DecodingError {
    case .keyNotFound(let key, let context)?: "no \(path(context, key))"
    case .typeMismatch(_, let context)?: "wrong type of \(path(context))"
    case .valueNotFound(_, let context)?: "no value for \(path(context))"
    // The decoder reports a number out of range without its key.
    case .dataCorrupted(let context)? where context.codingPath.isEmpty: "a value that cannot be read"
    case .dataCorrupted(let context)?: "wrong value of \(path(context))"
    default: "unreadable"
    }
  }
}
