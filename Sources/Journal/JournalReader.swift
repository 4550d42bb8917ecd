import FoundationEssentials
public import Model

/// A journal as it was found.
public struct JournalRecord: Hashable, Sendable {
  /// The events, up to the first damage.
  public var events: [RunEvent]
  /// The last line, when it was not written whole: the mark of a killed run or a lost disk, and no damage.
  public var tornLine: TornLine?
  /// The first line that is not as it was written. What follows it is not read: it cannot be trusted.
  public var damage: JournalDamage?
  /// SHA-256 of the last whole line that counts, lower-case hex: it stands for all of them.
  public var lastHash = JournalLine.origin

  /// A last line without its end.
  public struct TornLine: Hashable, Sendable {
    /// Its number, from 1.
    public var line: Int
    /// How many bytes there are of it.
    public var bytes: Int
  }
}

/// A damaged line of a journal.
public struct JournalDamage: Hashable, Sendable {
  /// What is wrong with it.
  public enum Kind: Hashable, Sendable {
    /// The first line is none of a journal's: it is another sort of file.
    case foreign
    /// It is not JSON.
    case notJSON
    /// It is JSON without what every event has, or with a part that cannot be read.
    case malformed(String)
    /// It was written by a newer version of roboprov: version of the event.
    case unknownVersion(Int)
    /// It was written by a newer version of roboprov: kind of the event.
    case unknownKind(String)
    /// It was changed after it was written: the line that follows, or its writer, has another hash of it.
    case changed
    /// Its number is not the one that follows, expected and found: lines are missing before it, or were added.
    case outOfOrder(expected: Int, found: Int)
    /// It is missing, with all up to this one: the file was cut off after they were written.
    case missing(through: Int)
    /// It follows the last line that was written.
    case added
  }

  /// Its number, from 1.
  public var line: Int
  /// What is wrong with it.
  public var kind: Kind
}

/// Reads journals back.
public enum JournalReader {
  /// Reads the journal at a path.
  /// - Parameter end: How far it was written, where its writer says so.
  /// - Throws: `JournalError` when the file cannot be opened or read. What is wrong *in* it is no error but
  ///   part of the result: the events before it still count.
  public static func read(_ path: String, writtenTo end: JournalEnd? = nil) throws(JournalError)
    -> JournalRecord
  {
    let bytes = try File.reading(path).readAll()
    return end.map { read(bytes, writtenTo: $0) } ?? read(bytes)
  }

  /// Reads a journal's bytes.
  public static func read(_ bytes: [UInt8]) -> JournalRecord { scan(bytes) }

  /// Reads a journal's bytes, and holds them against what its writer knows. The chain of hashes alone cannot tell whether
  /// the last line was changed, or lines were cut off at the end.
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

  private static func scan(_ bytes: [UInt8], writtenTo end: JournalEnd? = nil) -> JournalRecord {
    var record = JournalRecord(events: [])
    let decoder = JSONDecoder()
    var previous = JournalLine.origin
    var rest = bytes[...]
    while !rest.isEmpty {
      let number = record.events.count + 1
      guard let line = nextLine(&rest) else {
        record.tornLine = .init(line: number, bytes: rest.count)
        return record
      }
      let hash = JournalLine.chain(line)
      switch decode(line, decoder, number: number) {
      case .failure(let damage):
        record.damage = JournalDamage(line: number, kind: damage.kind)
        return record
      case .success(let decoded) where decoded.previous != previous:
        // Either the line before was changed, or this one is not as it was written where it has the hash of that. Whoever
        // has this one's hash tells: the line that follows, or the writer.
        let known =
          nextLine(&rest).flatMap { previousHash($0, decoder) } ?? (number == end?.events ? end?.last : nil)
        let isThis = number == 1 || known.map { $0 != hash } ?? false
        if !isThis { record.events.removeLast() }
        record.damage = JournalDamage(line: isThis ? number : number - 1, kind: .changed)
        return record
      case .success(let decoded):
        record.events.append(decoded.event)
      }
      previous = hash
      record.lastHash = hash
    }
    return record
  }

  /// Takes the next whole line off the front, without its newline; nil where there is none.
  private static func nextLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { rest = rest[(end + 1)...] }
    return rest[..<end]
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

  /// The hash that a line has of the line before it; nil where it cannot be read.
  private static func previousHash(_ bytes: ArraySlice<UInt8>, _ decoder: JSONDecoder) -> String? {
    (try? decoder.decode(Frame.self, from: Data(bytes)))?.prev
  }

  /// Why a line cannot be read.
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

  /// What every line has, whatever its version.
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

  /// Where in the line the trouble is, without repeating what stands there.
  private static func words(_ error: any Error) -> String {
    func path(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
      (context.codingPath + [last].compactMap(\.self)).map(\.stringValue).joined(separator: ".")
    }
    return switch error as? DecodingError {
    case .keyNotFound(let key, let context)?: "no \(path(context, key))"
    case .typeMismatch(_, let context)?: "wrong type of \(path(context))"
    case .valueNotFound(_, let context)?: "no value for \(path(context))"
    // A number that no number holds is found before its place is known.
    case .dataCorrupted(let context)? where context.codingPath.isEmpty: "a value that cannot be read"
    case .dataCorrupted(let context)?: "wrong value of \(path(context))"
    default: "unreadable"
    }
  }
}
