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
    /// The line before it was changed, or lines are missing before it.
    case brokenChain
    /// Its number is not the one that follows: expected, found.
    case gap(expected: Int, found: Int)
  }

  /// Its number, from 1.
  public var line: Int
  /// What is wrong with it.
  public var kind: Kind
}

/// Reads journals back.
public enum JournalReader {
  /// Reads the journal at a path.
  /// - Throws: `JournalError` when the file cannot be opened or read. What is wrong *in* it is no error but
  ///   part of the result: the events before it still count.
  public static func read(_ path: String) throws(JournalError) -> JournalRecord {
    read(try File.reading(path).readAll())
  }

  /// Reads a journal's bytes.
  public static func read(_ bytes: [UInt8]) -> JournalRecord {
    var record = JournalRecord(events: [])
    let decoder = JSONDecoder()
    var previous = JournalLine.origin
    var rest = bytes[...]
    var number = 0
    while !rest.isEmpty {
      number += 1
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
        record.tornLine = .init(line: number, bytes: rest.count)
        return record
      }
      let line = rest[..<end]
      rest = rest[(end + 1)...]
      switch decode(line, decoder, number: number, previous: previous) {
      case .success(let event): record.events.append(event)
      case .failure(let damage):
        record.damage = JournalDamage(line: number, kind: damage.kind)
        return record
      }
      previous = JournalLine.chain(line)
      record.lastHash = previous
    }
    return record
  }

  private struct Damage: Error {
    var kind: JournalDamage.Kind
  }

  private static func decode(
    _ bytes: ArraySlice<UInt8>, _ decoder: JSONDecoder, number: Int, previous: String
  ) -> Result<RunEvent, Damage> {
    let line: JournalLine
    do {
      line = try decoder.decode(JournalLine.self, from: Data(bytes))
    } catch {
      return .failure(Damage(kind: diagnose(bytes, decoder, error, number: number)))
    }
    guard line.previous == previous else { return .failure(Damage(kind: .brokenChain)) }
    guard line.event.sequence == number else {
      return .failure(Damage(kind: .gap(expected: number, found: line.event.sequence)))
    }
    return .success(line.event)
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
    case .dataCorrupted(let context)?: "wrong value of \(path(context))"
    default: "unreadable"
    }
  }
}
