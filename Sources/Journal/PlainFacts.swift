import Bluetooth
import Model

/// The facts that are most of a journal, read without `Codable`, which takes several times as long. Their keys are also those
/// of `Codable`: tests compare the two.
extension Fact {
  /// Nil for another kind.
  init?(_ kind: String, _ data: PlainFields) throws {
    switch kind {
    case "device_sighted":
      self = .deviceSighted(
        .init(
          address: try data.text("address") ?? missing(), adapter: try data.text("adapter") ?? missing(),
          profile: try data.id("profile"), rssi: try data.integer("rssi"),
          identity: try data.string("identity").map { DeviceIdentity(recorded: $0) }))
    case "binding_committed":
      self = .bindingCommitted(
        .init(
          room: try data.id("room") ?? missing(), address: try data.text("address") ?? missing(),
          basis: try data.word("basis") ?? missing(), consent: try data.word("consent")))
    case "attempt_started":
      self = .attemptStarted(
        .init(
          room: try data.id("room") ?? missing(), address: try data.text("address") ?? missing(),
          adapter: try data.text("adapter") ?? missing(), number: try data.integer("number") ?? missing(),
          rssi: try data.integer("rssi"), fresh: try data.truth("fresh")))
    case "status_received":
      self = .statusReceived(
        .init(
          room: try data.id("room") ?? missing(), attempt: try data.integer("attempt") ?? missing(),
          text: try data.string("text") ?? missing(), meaning: try data.word("meaning") ?? missing()))
    case "setting_written":
      self = .settingWritten(
        .init(
          room: try data.id("room") ?? missing(), attempt: try data.integer("attempt") ?? missing(),
          setting: try data.id("setting") ?? missing(), bytes: try data.integer("bytes")))
    case "save_submitted":
      self = .saveSubmitted(
        .init(
          room: try data.id("room") ?? missing(), attempt: try data.integer("attempt") ?? missing(),
          address: try data.text("address") ?? missing()))
    case "link_ended":
      self = .linkEnded(
        .init(
          room: try data.id("room") ?? missing(), attempt: try data.integer("attempt") ?? missing(),
          cause: try data.word("cause") ?? missing(), expected: try data.truth("expected") ?? missing()))
    case "proof_received":
      self = .proofReceived(
        .init(
          room: try data.id("room") ?? missing(), attempt: try data.integer("attempt") ?? missing(),
          evidence: try data.fields("evidence").map { try Evidence($0) } ?? missing()))
    case "attempt_ended":
      self = .attemptEnded(
        .init(
          room: try data.id("room") ?? missing(), number: try data.integer("number") ?? missing(),
          seconds: try data.seconds("seconds") ?? missing(), failure: try data.decoded("failure"),
          notCounted: try data.word("not_counted")))
    case "room_finished":
      self = .roomFinished(
        .init(
          room: try data.id("room") ?? missing(), outcome: try data.word("outcome") ?? missing(),
          address: try data.text("address"), adapter: try data.text("adapter"),
          attempts: try data.integer("attempts") ?? missing(),
          seconds: try data.seconds("seconds") ?? missing(), rssi: try data.integer("rssi"),
          evidence: try data.fields("evidence").map { try Evidence($0) },
          settings: try data.each("settings") { try SettingResult($0) } ?? missing(),
          reason: try data.decoded("reason")))
    default: return nil
    }
  }
}

private func missing<Value>() throws -> Value { throw PlainJSON.Refused() }

extension Evidence {
  fileprivate init(_ data: PlainFields) throws {
    self.init(
      grade: try data.word("grade") ?? missing(), address: try data.text("address") ?? missing(),
      identity: try data.string("identity").map { DeviceIdentity(recorded: $0) },
      rssi: try data.integer("rssi"),
      secondsAfterSave: try data.seconds("seconds_after_save"), run: try data.string("run"),
      seenAt: try data.decoded("seen_at", as: Timestamp.self)?.time)
  }
}

extension SettingResult {
  fileprivate init(_ data: PlainFields) throws {
    self.init(
      name: try data.id("name") ?? missing(), value: try data.string("value"),
      state: try data.word("state") ?? missing(), fingerprint: try data.string("fingerprint"))
  }
}

/// The values of an object in a `PlainJSON`, by their keys. Each is nil if there is none, or null; each throws for what
/// it cannot read with certainty as Foundation's decoder would.
struct PlainFields {
  private let json: PlainJSON
  private let object: Int

  /// - Parameter object: Its position in `nodes`.
  init(_ json: PlainJSON, _ object: Int32) { (self.json, self.object) = (json, Int(object)) }

  private func place(_ key: String) -> Int32? {
    var key = key
    let place = key.withUTF8 { json.value(of: $0.span, in: object) }
    return place.flatMap { json.nodes[Int($0)].kind == .null ? nil : $0 }
  }

  private func place(_ key: String, _ kind: PlainJSON.Kind) throws -> Int32? {
    guard let place = place(key) else { return nil }
    guard json.nodes[Int(place)].kind == kind else { throw PlainJSON.Refused() }
    return place
  }

  func string(_ key: String) throws -> String? {
    try place(key, .string).map { json.string(json.nodes[Int($0)].text) }
  }

  func id<Subject>(_ key: String) throws -> Identifier<Subject>? {
    try string(key).map { try Identifier(recorded: $0) ?? missing() }
  }

  func text<Value: WrittenAsText>(_ key: String) throws -> Value? {
    try string(key).map { try Value($0) ?? missing() }
  }

  func word<Word: RawRepresentable<String>>(_ key: String) throws -> Word? {
    try string(key).map { try Word(rawValue: $0) ?? missing() }
  }

  func integer(_ key: String) throws -> Int? {
    guard let place = try place(key, .integer) else { return nil }
    let (value, _) = json.number(json.nodes[Int(place)].text)
    guard RecordedNumbers.integers.contains(value) else { throw PlainJSON.Refused() }
    return value
  }

  func seconds(_ key: String) throws -> Double? {
    guard let value = try decoded(key, as: Double.self) else { return nil }
    guard RecordedNumbers.seconds.contains(value) else { throw PlainJSON.Refused() }
    return value
  }

  func truth(_ key: String) throws -> Bool? { try decoded(key) }

  func fields(_ key: String) throws -> PlainFields? {
    try place(key, .object).map { PlainFields(json, $0) }
  }

  func each<Value>(_ key: String, _ value: (PlainFields) throws -> Value) throws -> [Value]? {
    guard let array = try place(key, .array) else { return nil }
    var next = array + 1
    var values: [Value] = []
    while next < json.nodes[Int(array)].next {
      guard json.nodes[Int(next)].kind == .object else { throw PlainJSON.Refused() }
      values.append(try value(PlainFields(json, next)))
      next = json.nodes[Int(next)].next
    }
    return values
  }

  /// A value that is rare, or of a type of its own.
  func decoded<Value: Decodable>(_ key: String, as type: Value.Type = Value.self) throws -> Value? {
    try place(key).map { try PlainDecoder.decode(json, at: $0) { try Value(from: $0) } }
  }
}
