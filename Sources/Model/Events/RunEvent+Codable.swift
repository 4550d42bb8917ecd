package import FoundationEssentials

/// The encoded form: `{"v":1,"seq":7,"at":"2026-11-21T09:00:00.123Z","elapsed_us":4711,"kind":"…","data":{…}}`.
extension RunEvent: Codable {
  private enum Key: String, CodingKey {
    case version = "v"
    case sequence = "seq"
    case at
    case elapsed = "elapsed_us"
    case kind, data
  }

  /// The format of a wall-clock time in the record: UTC, to the nearest millisecond,
  /// `2026-11-21T09:00:00.123Z`.
  package static func timestamp(_ time: Date) -> String { Timestamp(time).text }

  /// Parses a time of the record; nil for another format.
  package static func time(_ text: String) -> Date? { Timestamp(text)?.time }

  /// - Throws: `DecodingError`; a newer version or an unknown kind is `dataCorrupted`.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version == Self.version else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container, debugDescription: "event version \(version) is not known here")
    }
    let at = try container.decode(Timestamp.self, forKey: .at).time
    let elapsed = try container.decode(Int64.self, forKey: .elapsed)
    guard RecordedNumbers.elapsed.contains(elapsed) else {
      throw DecodingError.dataCorruptedError(
        forKey: .elapsed, in: container, debugDescription: "a number out of range")
    }
    self.init(
      sequence: try container.decode(Int.self, forKey: .sequence),
      at: at,
      elapsed: .microseconds(elapsed),
      fact: try Fact(
        kind: container.decode(Fact.Kind.self, forKey: .kind), from: Payload(container: container)))
  }

  private struct Payload: PayloadSource {
    let container: KeyedDecodingContainer<Key>

    func payload<Payload: FactPayload>(_ type: Payload.Type) throws -> Payload {
      try container.decode(type, forKey: .data)
    }
  }

  /// The event of these recorded values; nil if the time since the run began is out of range.
  package init?(sequence: Int, at: Timestamp, microseconds: Int64, fact: Fact) {
    guard RecordedNumbers.elapsed.contains(microseconds) else { return nil }
    (self.sequence, self.at, self.fact) = (sequence, at.time, fact)
    elapsed = .microseconds(microseconds)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.version, forKey: .version)
    try container.encode(sequence, forKey: .sequence)
    try container.encode(Timestamp(at), forKey: .at)
    try container.encode(elapsed.inMicroseconds, forKey: .elapsed)
    try container.encode(fact.kind, forKey: .kind)
    try container.encode(fact.payload, forKey: .data)
  }
}
