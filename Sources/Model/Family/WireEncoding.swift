import Bluetooth
import Hex

/// How a value is sent.
package enum WireEncoding: Hashable, Sendable {
  /// Text: the rest of the value.
  case utf8
  /// Text, with zero bytes after it, up to this many bytes.
  case filled(Int)
  /// A byte with the length of the text, then the text.
  case counted
  /// A whole number in this many bytes, 1…8; a negative one in two's complement.
  case number(bytes: Int, isSigned: Bool, ByteOrder)
  /// 16 bytes in the UUID's own order.
  case uuid
  /// Bytes as they are; nil for the rest of the value.
  case bytes(Int?)
  /// The value as manifests write it, between the constants of a command.
  case written
  /// A value of JSON: a number, or a text in quotes.
  case json

  package enum ByteOrder: Hashable, Sendable, CaseIterable {
    /// Most significant first.
    case bigEndian
    /// Least significant first.
    case littleEndian
  }

  package static let uint8 = number(bytes: 1, isSigned: false, .bigEndian)
  package static func uint16(_ order: ByteOrder) -> Self { .number(bytes: 2, isSigned: false, order) }

  /// The number of bytes; nil for a value of any length.
  package var length: Int? {
    switch self {
    case .utf8, .counted, .written, .json: nil
    case .filled(let count): count
    case .number(let count, _, _): count
    case .uuid: 16
    case .bytes(let count): count
    }
  }

  /// Whether only the end of the value, or what follows, ends it.
  package var isUnbounded: Bool { length == nil && self != .counted }

  /// The text of an encoded value, without the meaning that a setting gives it; nil for other bytes.
  func shown(_ bytes: ArraySlice<UInt8>) -> String? {
    switch self {
    case .utf8, .filled, .counted: text(bytes)
    case .uuid: BluetoothUUID(bytes: bytes)?.description
    case .number: number(in: bytes).map { String($0) }
    case .bytes: bytes.hex(uppercase: true)
    case .written, .json: nil
    }
  }

  /// Whether a command has the value between its constants.
  var isOfCommand: Bool { self == .written || self == .json }

  /// The text in these bytes; nil for another encoding, and if they are not exactly a text.
  fileprivate func text(_ bytes: ArraySlice<UInt8>) -> String? {
    var bytes = bytes
    switch self {
    case .utf8: break
    case .counted: if bytes.popFirst().map({ Int($0) }) != bytes.count { return nil }
    case .filled:
      let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
      guard bytes[end...].allSatisfy({ $0 == 0 }) else { return nil }
      bytes = bytes[..<end]
    case .number, .uuid, .bytes, .written, .json: return nil
    }
    return String(validating: bytes, as: UTF8.self)
  }

  fileprivate func encoded(_ text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    switch self {
    case .utf8: return bytes
    case .counted: return UInt8(exactly: bytes.count).map { [$0] + bytes }
    case .filled(let count):
      guard bytes.count <= count, !bytes.contains(0) else { return nil }
      return bytes + [UInt8](repeating: 0, count: count - bytes.count)
    case .number, .uuid, .bytes, .written, .json: return nil
    }
  }

  /// The number in these bytes; nil for another encoding or length, and beyond 63 bits.
  func number(in bytes: ArraySlice<UInt8>) -> Int? {
    guard case .number(let count, let isSigned, let order) = self, bytes.count == count else { return nil }
    let bytes = order == .littleEndian ? Array(bytes.reversed()) : Array(bytes)
    let isNegative = isSigned && bytes[0] >= 0x80
    let pattern = bytes.reduce(isNegative ? UInt64.max : 0) { $0 << 8 | UInt64($1) }
    return isSigned ? Int(truncatingIfNeeded: pattern) : Int(exactly: pattern)
  }

  /// The encoded number; nil if the encoding does not hold it.
  func encoded(_ number: Int) -> [UInt8]? {
    guard case .number(let count, _, let order) = self else { return nil }
    let bytes = (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    let ordered = order == .littleEndian ? bytes.reversed() : bytes
    // What was cut off must follow from the rest.
    return self.number(in: ordered[...]) == number ? ordered : nil
  }
}

extension SettingDescription {
  /// The encoded value; nil if the encoding does not fit it.
  package func encode(_ value: SettingValue, _ encoding: WireEncoding) -> [UInt8]? {
    if case (.secret(let secret), .secret) = (value, kind) {
      return plain.value(secret.reveal()).flatMap { plain.encode($0, encoding) }
    }
    if encoding.isOfCommand { return written(value, isJSON: encoding == .json) }
    switch (value, kind) {
    case (.secret(let secret), _): return encoding.encoded(secret.reveal())
    case (.text(let name), .choice(let choices)):
      return choices.first { $0.name == name }.flatMap { encoding.encoded($0.code) }
    case (.text(let text), .decimal(_, let step)): return step.count(text).flatMap { encoding.encoded($0) }
    case (.text(let digits), .bytes):
      guard case .bytes(let count) = encoding, let bytes = [UInt8](hex: digits) else { return nil }
      return count == nil || count == bytes.count ? bytes : nil
    case (.text(let text), _): return encoding.encoded(text)
    case (.uuid(let uuid), _): return encoding == .uuid ? uuid.bytes : nil
    case (.integer(let number), _): return encoding.encoded(number)
    case (.duration(let duration), .duration(_, let step)): return encoding.encoded(Int(duration / step))
    case (.duration, _): return nil
    }
  }

  /// The value between the constants of a command: as manifests write it, a duration in its steps.
  private func written(_ value: SettingValue, isJSON: Bool) -> [UInt8]? {
    let number: String? =
      switch (value, kind) {
      case (.integer, _), (.text, .decimal): value.shown
      case (.duration(let duration), .duration(_, let step)): "\(Int(duration / step))"
      default: nil
      }
    if let number { return Array(number.utf8) }
    let text = if case .secret(let secret) = value { secret.reveal() } else { value.shown ?? "" }
    return isJSON ? JSONMessage.quoted(text) : Array(text.utf8)
  }

  /// The value in these bytes; nil if they hold none. A secret is not decoded.
  package func decode(_ bytes: ArraySlice<UInt8>, _ encoding: WireEncoding) -> SettingValue? {
    switch kind {
    case .text: return encoding.text(bytes).map { .text($0) }
    case .bytes:
      guard case .bytes(let count) = encoding, count == nil || count == bytes.count else { return nil }
      return .text(bytes.hex(uppercase: true))
    case .uuid: return encoding == .uuid ? BluetoothUUID(bytes: bytes).map { .uuid($0) } : nil
    case .wifiPassword, .wifiPassphrase, .secret, .secretBytes, .passkey: return nil
    case .integer, .decimal, .choice, .duration: break
    }
    guard let number = encoding.number(in: bytes) else { return nil }
    switch kind {
    case .decimal(_, let step): return .text(step.text(number))
    case .choice(let choices): return choices.first { $0.code == number }.map { .text($0.name) }
    // A longer one than any setting could not be shown.
    case .duration(_, let step): return (0...1 << 24).contains(number) ? .duration(step * number) : nil
    default: return .integer(number)
    }
  }
}
