package import Bluetooth

/// The identity that a configured device sends. Only its family knows its parts; to everyone else it is a value
/// that can be compared and shown.
package struct DeviceIdentity: Hashable, Sendable, CustomStringConvertible {
  /// Its parts with their names; the last one distinguishes the devices of a building: `uuid …, major 1, minor 7`.
  package let description: String

  /// A comma within a part has a backslash before it, so that its parts can be told from its text.
  package init(_ parts: some Sequence<String>) {
    description = parts.map(Self.escaped).joined(separator: Self.separator)
  }

  /// An identity on record, by its `description`.
  package init(recorded description: String) { self.description = description }

  private static let separator = ", "

  /// Most parts have nothing to escape, and advertisements are many.
  private static func escaped(_ part: String) -> String {
    guard part.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: ",") }) else {
      return part
    }
    return part.replacing("\\", with: "\\\\").replacing(",", with: "\\,")
  }

  package var parts: [String] {
    // Most have no such comma, and advertisements are many.
    guard hasEscapes else {
      return description.split(separator: Self.separator, omittingEmptySubsequences: false).map { String($0) }
    }
    var parts = [""]
    var rest = description[...]
    while let character = rest.popFirst() {
      if character == "\\", let escaped = rest.popFirst() {
        parts[parts.count - 1].append(escaped)
      } else if character == ",", rest.first == " " {
        rest.removeFirst()
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }

  /// The part that distinguishes it from others: `minor 7`.
  package var distinction: String {
    // The fold compares it for each sighting. `split` would take far longer.
    let bytes = description.utf8
    guard !hasEscapes, let comma = bytes.lastIndex(of: UInt8(ascii: ",")),
      bytes[comma...].starts(with: Self.separator.utf8)
    else { return parts.last ?? "" }
    return String(description[bytes.index(comma, offsetBy: Self.separator.utf8.count)...])
  }

  private var hasEscapes: Bool { description.utf8.contains(UInt8(ascii: "\\")) }

  /// The name of that part: `minor`.
  package var distinctionName: String { String(distinction.prefix { $0 != " " }) }

  /// Its last part if that tells it from another identity, otherwise all parts.
  package func shown(besides other: DeviceIdentity?) -> String {
    distinction == other?.distinction ? description : distinction
  }

  /// The parts that the devices of a building may share.
  package var shared: String { DeviceIdentity(parts.dropLast()).description }
}

extension DeviceIdentity: Codable {
  package init(from decoder: any Decoder) throws {
    self.init(recorded: try decoder.singleValueContainer().decode(String.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// Where an advertisement has the identity of a device, and which settings are in it.
package struct IdentityRule: Hashable, Sendable {
  /// The data of an advertisement that contains the identity.
  package enum Place: Hashable, Sendable {
    case manufacturerData(company: UInt16)
    case serviceData(BluetoothUUID)
  }

  /// A part of the identity: a setting, as the device sends it.
  package struct Part: Hashable, Sendable {
    /// The name in front of its value.
    package var name: String
    package var setting: SettingName
    package var encoding: WireEncoding
    /// The value that the firmware sends for a room that gives none; nil when each room gives one.
    package var factory: SettingValue?

    package init(
      _ name: String, _ setting: SettingName, _ encoding: WireEncoding, factory: SettingValue? = nil
    ) {
      (self.name, self.setting, self.encoding, self.factory) = (name, setting, encoding, factory)
    }

    func text(_ value: SettingValue) -> String { name + " " + (value.shown ?? "") }
  }

  package var place: Place
  /// The bytes before the parts.
  package var prefix: [UInt8]
  /// The parts, in the order of their bytes.
  package var parts: [Part]
  /// The number of bytes after the parts.
  package var trailing: Int
  /// The shared parts by which devices are recognised: the factory's, and those that rooms expect.
  package var expected: Set<String>

  package init(_ place: Place, prefix: [UInt8] = [], parts: [Part], trailing: Int = 0) {
    (self.place, self.prefix, self.parts, self.trailing) = (place, prefix, parts, trailing)
    let factory = parts.dropLast().map { part in part.factory.map(part.text) }
    expected = factory.contains(nil) ? [] : [DeviceIdentity(factory.compactMap(\.self)).description]
  }

  /// The names of the parts of an iBeacon.
  package static let beaconParts = ["uuid", "major", "minor"]

  /// An iBeacon with these settings; `factory` for what the firmware decides.
  package static func iBeacon(
    uuid: SettingName, _ factoryUUID: BluetoothUUID? = nil, major: SettingName, _ factoryMajor: UInt16? = nil,
    minor: SettingName
  ) -> Self {
    Self(
      .manufacturerData(company: IBeacon.company), prefix: IBeacon.prefix,
      parts: [
        Part("uuid", uuid, .uuid, factory: factoryUUID.map { .uuid($0) }),
        Part("major", major, .uint16(.bigEndian), factory: factoryMajor.map { .integer(Int($0)) }),
        Part("minor", minor, .uint16(.bigEndian)),
      ], trailing: 1)
  }

  /// The identity in an advertisement; nil without one in this format.
  package func identity(in advertisement: Advertisement) -> DeviceIdentity? {
    let data =
      switch place {
      case .manufacturerData(let company): advertisement.manufacturerData[company]
      case .serviceData(let uuid): advertisement.serviceData[uuid]
      }
    guard let data, data.starts(with: prefix) else { return nil }
    var rest = data.dropFirst(prefix.count)
    var texts: [String] = []
    for part in parts {
      let bytes = rest.prefix(part.encoding.length ?? rest.count)
      guard let text = part.encoding.shown(bytes) else { return nil }
      texts.append("\(part.name) \(text)")
      rest = rest.dropFirst(bytes.count)
    }
    return rest.count == trailing ? DeviceIdentity(texts) : nil
  }

  /// The identity of a device with these settings; nil when one is missing.
  package func identity(of settings: [SettingName: SettingValue]) -> DeviceIdentity? {
    var texts: [String] = []
    for part in parts {
      guard let value = settings[part.setting] ?? part.factory else { return nil }
      texts.append(part.text(value))
    }
    return DeviceIdentity(texts)
  }
}
