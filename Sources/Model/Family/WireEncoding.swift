package import Bluetooth
import Hex

package enum WireEncoding: Hashable, Sendable {
  /// The rest of the value.
  case utf8
  case uint8
  case uint16(ByteOrder)
  /// 16 bytes in the UUID's own order.
  case uuid

  package enum ByteOrder: Hashable, Sendable {
    /// Most significant first.
    case bigEndian
    /// Least significant first.
    case littleEndian
  }

  /// The number of bytes; nil for a value of any length.
  package var length: Int? {
    switch self {
    case .utf8: nil
    case .uint8: 1
    case .uint16: 2
    case .uuid: 16
    }
  }

  /// The text of an encoded value, without the meaning that a setting gives it; nil for other bytes.
  func shown(_ bytes: ArraySlice<UInt8>) -> String? {
    switch self {
    case .utf8: String(validating: bytes, as: UTF8.self)
    case .uuid: BluetoothUUID(bytes: bytes)?.description
    case .uint8, .uint16: number(bytes).map { String($0) }
    }
  }

  fileprivate func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count == length else { return nil }
    return (self == .uint16(.littleEndian) ? Array(bytes.reversed()) : Array(bytes)).reduce(0) {
      $0 << 8 | Int($1)
    }
  }

  fileprivate func bytes(_ number: Int) -> [UInt8]? {
    switch self {
    case .utf8, .uuid: return nil
    case .uint8: return UInt8(exactly: number).map { [$0] }
    case .uint16(let order):
      guard let number = UInt16(exactly: number) else { return nil }
      let bytes = [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
      return order == .bigEndian ? bytes : bytes.reversed()
    }
  }
}

/// A characteristic of a family's service, and what its value contains.
package struct CharacteristicDescription: Hashable, Sendable {
  package struct Field: Hashable, Sendable {
    /// The setting; nil for bytes that the GATT session computes.
    package var setting: SettingName?
    package var encoding: WireEncoding

    package init(_ setting: SettingName?, _ encoding: WireEncoding) {
      (self.setting, self.encoding) = (setting, encoding)
    }
  }

  package var uuid: BluetoothUUID
  /// The display name: `room name`.
  package var title: String
  /// The parts of its value, in order; none for a command or a status.
  package var fields: [Field]
  package var isConfirmed: Bool

  package init(_ uuid: BluetoothUUID, _ title: String, _ fields: [Field] = [], isConfirmed: Bool = true) {
    (self.uuid, self.title, self.fields, self.isConfirmed) = (uuid, title, fields, isConfirmed)
  }

  package var settings: [SettingName] { fields.compactMap(\.setting) }
}

extension DeviceFamily {
  /// The description of a characteristic; nil for an unknown one.
  package func characteristic(_ uuid: BluetoothUUID) -> CharacteristicDescription? {
    characteristics.first { $0.uuid == uuid }
  }

  /// Whether the value of a characteristic contains a secret, which is neither read nor shown.
  package func holdsSecret(_ characteristic: CharacteristicDescription) -> Bool {
    characteristic.settings.contains { self[$0]?.isSecret == true }
  }

  /// The value of a characteristic with these settings; nil when one is missing or cannot be encoded. Bytes
  /// that the session computes are 0.
  package func encode(
    _ characteristic: CharacteristicDescription, _ values: [SettingName: SettingValue]
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    for field in characteristic.fields {
      guard let name = field.setting else {
        bytes += [UInt8](repeating: 0, count: field.encoding.length ?? 0)
        continue
      }
      guard let value = values[name], let encoded = self[name]?.encode(value, field.encoding) else {
        return nil
      }
      bytes += encoded
    }
    return bytes
  }

  /// The settings in the value of a characteristic; without those that cannot be decoded.
  package func decode(
    _ characteristic: CharacteristicDescription, _ bytes: [UInt8]
  ) -> [SettingName: SettingValue] {
    let lengths = characteristic.fields.compactMap(\.encoding.length)
    if lengths.count == characteristic.fields.count, lengths.reduce(0, +) != bytes.count { return [:] }
    var rest = bytes[...]
    var values: [SettingName: SettingValue] = [:]
    for field in characteristic.fields {
      let part = rest.prefix(field.encoding.length ?? rest.count)
      rest = rest.dropFirst(part.count)
      if let name = field.setting { values[name] = self[name]?.decode(part, field.encoding) }
    }
    return values
  }

  /// The settings in the value of a characteristic, as text. What cannot be decoded is shown in hex.
  package func held(_ characteristic: CharacteristicDescription, _ bytes: [UInt8]) -> [HeldSetting] {
    let values = decode(characteristic, bytes)
    return characteristic.settings.map {
      HeldSetting(name: $0, value: values[$0]?.shown ?? "0x\(bytes.hex())")
    }
  }
}

extension SettingDescription {
  /// The encoded value; nil if the encoding does not fit it.
  package func encode(_ value: SettingValue, _ encoding: WireEncoding) -> [UInt8]? {
    switch (value, encoding, kind) {
    case (.text(let name), .uint8, .choice(let choices)), (.text(let name), .uint16, .choice(let choices)):
      choices.first { $0.name == name }.flatMap { encoding.bytes($0.code) }
    case (.text(let text), .utf8, _): Array(text.utf8)
    case (.secret(let secret), .utf8, _): Array(secret.reveal().utf8)
    case (.uuid(let uuid), .uuid, _): uuid.bytes
    case (.integer(let number), _, _): encoding.bytes(number)
    case (.duration(let duration), _, .duration(_, let step)): encoding.bytes(Int(duration / step))
    default: nil
    }
  }

  /// The value in these bytes; nil if they hold none. A secret is not decoded.
  package func decode(_ bytes: ArraySlice<UInt8>, _ encoding: WireEncoding) -> SettingValue? {
    switch (encoding, kind) {
    case (.utf8, .text): return String(validating: bytes, as: UTF8.self).map { .text($0) }
    case (.uuid, .uuid): return BluetoothUUID(bytes: bytes).map { .uuid($0) }
    case (.uint8, _), (.uint16, _):
      guard let number = encoding.number(bytes) else { return nil }
      return switch kind {
      case .integer: .integer(number)
      case .choice(let choices): choices.first { $0.code == number }.map { .text($0.name) }
      case .duration(_, let step): .duration(step * number)
      case .text, .wifiPassword, .wifiPassphrase, .secretText, .secretBytes, .passkey, .uuid: nil
      }
    default: return nil
    }
  }
}

package struct HeldSetting: Hashable, Sendable, Codable {
  package var name: SettingName
  package var value: String

  package init(name: SettingName, value: String) {
    (self.name, self.value) = (name, value)
  }
}
