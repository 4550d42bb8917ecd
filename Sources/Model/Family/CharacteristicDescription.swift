package import Bluetooth
import Hex

/// A characteristic of a family, and what its value contains.
package struct CharacteristicDescription: Hashable, Sendable {
  /// A part of a value.
  package enum Field: Hashable, Sendable {
    case value(SettingName, WireEncoding)
    /// These bytes.
    case constant([UInt8])
    /// As many bytes, written as 0 and read as any; or computed by the GATT session.
    case padding(Int)
    /// The number of bytes after it, up to the check.
    case following(WireEncoding)
    /// The number of bytes of the whole value.
    case whole(WireEncoding)
    /// The last part.
    case check(PacketCheck)

    package init(_ setting: SettingName?, _ encoding: WireEncoding) {
      if let setting { self = .value(setting, encoding) } else { self = .padding(encoding.length ?? 0) }
    }

    package var setting: SettingName? { if case .value(let name, _) = self { name } else { nil } }
    package var encoding: WireEncoding? { if case .value(_, let encoding) = self { encoding } else { nil } }

    /// The number of bytes; nil if it depends on the value.
    package var length: Int? {
      switch self {
      case .value(_, let encoding), .following(let encoding), .whole(let encoding): encoding.length
      case .constant(let bytes): bytes.count
      case .padding(let count): count
      case .check(let check): check.length
      }
    }
  }

  /// The most bytes of a value (Bluetooth Core, Vol 3, Part F, 3.2.9).
  package static let longest = 512

  package var uuid: BluetoothUUID
  /// The service that has it; nil for its family's.
  package var service: BluetoothUUID?
  /// The display name: `room name`.
  package var title: String
  /// The parts of its value, in order; none for a command without settings and for a status.
  package var fields: [Field]
  package var isConfirmed: Bool
  /// The status that the device must send before the next write; nil without one.
  package var answer: StatusPattern?

  package init(
    _ uuid: BluetoothUUID, of service: BluetoothUUID? = nil, _ title: String, _ fields: [Field] = [],
    isConfirmed: Bool = true, answer: StatusPattern? = nil
  ) {
    (self.uuid, self.service, self.title, self.fields) = (uuid, service, title, fields)
    (self.isConfirmed, self.answer) = (isConfirmed, answer)
  }

  package var settings: [SettingName] { fields.compactMap(\.setting) }

  /// Whether it is a text or JSON with settings, which is written and never read.
  package var isCommand: Bool { fields.contains { $0.encoding?.isOfCommand == true } }
}

extension DeviceFamily {
  /// The description of a characteristic; nil for an unknown one.
  package func characteristic(_ uuid: BluetoothUUID) -> CharacteristicDescription? {
    characteristics.first { $0.uuid == uuid } ?? procedure?.unlock.flatMap { $0.uuid == uuid ? $0.code : nil }
  }

  /// The services of its characteristics, its own first.
  package var services: [BluetoothUUID] {
    (characteristics + [procedure?.unlock?.code].compactMap(\.self)).compactMap(\.service)
      .reduce(into: [service]) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Whether the value of a characteristic contains a secret, which is neither read nor shown.
  package func holdsSecret(_ characteristic: CharacteristicDescription) -> Bool {
    (characteristics + [procedure?.unlock?.code].compactMap(\.self)).contains {
      $0.uuid == characteristic.uuid && $0.settings.contains { self[$0]?.isSecret == true }
    }
  }

  /// Whether a session can read what was written to a characteristic.
  package func isReadable(_ characteristic: CharacteristicDescription) -> Bool {
    !characteristic.isCommand && !holdsSecret(characteristic)
  }

  /// Whether bytes from a device must not be shown unless the description has them: they may have a secret in any
  /// encoding.
  package var hidesBytes: Bool {
    givenSettings.contains { setting in
      switch setting.kind {
      case .secret(.text), .secretBytes: false
      case .secret: true
      default: false
      }
    }
  }

  /// The value of a characteristic with these settings; nil when one is missing or cannot be encoded.
  package func encode(
    _ characteristic: CharacteristicDescription, _ values: [SettingName: SettingValue]
  ) -> [UInt8]? {
    characteristic.value { name, encoding in
      values[name].flatMap { self[name]?.encode($0, encoding) }
    }
  }

  /// The settings in the value of a characteristic; without those that cannot be decoded.
  package func decode(
    _ characteristic: CharacteristicDescription, _ bytes: [UInt8]
  ) -> [SettingName: SettingValue] {
    var values: [SettingName: SettingValue] = [:]
    for (name, encoding, part) in characteristic.parts(of: bytes) ?? [] {
      values[name] = self[name]?.decode(part, encoding)
    }
    return values
  }

  /// The settings in the value of a characteristic, as text. What cannot be decoded is shown in hex.
  package func held(_ characteristic: CharacteristicDescription, _ bytes: [UInt8]) -> [HeldSetting] {
    let values = decode(characteristic, bytes)
    return characteristic.settings.map {
      HeldSetting(
        name: $0, value: values[$0]?.shown ?? (hidesBytes ? Secret("").description : "0x\(bytes.hex())"))
    }
  }
}

extension CharacteristicDescription {
  /// The value of these parts; nil when one is missing, or the whole is too long for its length. Bytes that the session
  /// computes are 0.
  package func value(_ part: (SettingName, WireEncoding) -> [UInt8]?) -> [UInt8]? {
    var bytes: [UInt8] = []
    var lengths: [(place: Range<Int>, encoding: WireEncoding, isTotal: Bool)] = []
    var check: PacketCheck?
    func reserve(_ encoding: WireEncoding, isTotal: Bool) {
      let end = bytes.count + (encoding.length ?? 0)
      lengths.append((bytes.count..<end, encoding, isTotal))
      bytes += [UInt8](repeating: 0, count: end - bytes.count)
    }
    for field in fields {
      switch field {
      case .value(let name, let encoding):
        guard let encoded = part(name, encoding) else { return nil }
        bytes += encoded
      case .constant(let constant): bytes += constant
      case .padding(let count): bytes += [UInt8](repeating: 0, count: count)
      case .following(let encoding): reserve(encoding, isTotal: false)
      case .whole(let encoding): reserve(encoding, isTotal: true)
      case .check(let last): check = last
      }
    }
    for (place, encoding, isTotal) in lengths {
      let count = isTotal ? bytes.count + (check?.length ?? 0) : bytes.count - place.upperBound
      guard let encoded = encoding.encoded(count) else { return nil }
      bytes.replaceSubrange(place, with: encoded)
    }
    return bytes + (check?.bytes(of: bytes) ?? [])
  }

  /// The encoded settings in a value; nil for a value that is not built as described.
  package func parts(of bytes: [UInt8]) -> [(SettingName, WireEncoding, ArraySlice<UInt8>)]? {
    var rest = bytes[...]
    var fields = fields[...]
    if case .check(let check)? = fields.last {
      guard rest.count >= check.length,
        check.bytes(of: rest.dropLast(check.length)) == Array(rest.suffix(check.length))
      else { return nil }
      rest = rest.dropLast(check.length)
      fields = fields.dropLast()
    }
    var parts: [(SettingName, WireEncoding, ArraySlice<UInt8>)] = []
    while let field = fields.popFirst() {
      switch field {
      case .value(let name, let encoding):
        guard let part = encoding.take(from: &rest, before: fields) else { return nil }
        parts.append((name, encoding, part))
      case .constant(let constant):
        guard rest.starts(with: constant) else { return nil }
        rest = rest.dropFirst(constant.count)
      case .padding(let count):
        guard rest.count >= count else { return nil }
        rest = rest.dropFirst(count)
      case .following(let encoding), .whole(let encoding):
        let number = encoding.number(in: rest.prefix(encoding.length ?? 0))
        rest = rest.dropFirst(encoding.length ?? 0)
        let isTotal = field == .whole(encoding)
        guard number == (isTotal ? bytes.count : rest.count) else { return nil }
      case .check: return nil
      }
    }
    return rest.isEmpty ? parts : nil
  }
}

extension WireEncoding {
  /// Takes an encoded value from the front; nil if there are too few bytes, or its end is not certain.
  /// - Parameter later: the parts after it.
  fileprivate func take(
    from bytes: inout ArraySlice<UInt8>, before later: ArraySlice<CharacteristicDescription.Field>
  ) -> ArraySlice<UInt8>? {
    let lengths = later.map(\.length)
    let length: Int
    if let fixed = self.length {
      length = fixed
    } else if self == .counted {
      guard let count = bytes.first else { return nil }
      length = Int(count) + 1
    } else if !lengths.contains(nil) {
      length = bytes.count - lengths.compactMap(\.self).reduce(0, +)
    } else {
      guard case .constant(let end)? = later.first, let place = bytes.firstRange(of: end) else { return nil }
      length = place.lowerBound - bytes.startIndex
    }
    guard (0...bytes.count).contains(length) else { return nil }
    defer { bytes = bytes.dropFirst(length) }
    return bytes.prefix(length)
  }
}

package struct HeldSetting: Hashable, Sendable, Codable {
  package var name: SettingName
  package var value: String

  package init(name: SettingName, value: String) {
    (self.name, self.value) = (name, value)
  }
}
