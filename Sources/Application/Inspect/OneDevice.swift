package import Bluetooth
import Manifest
package import Model
import Source
import YAML

/// The settings that a person gives to one device without a manifest. They are decoded as those of the only room of a building,
/// so the rules of manifests apply to them.
package struct OneDevice {
  private let family: DeviceFamily
  /// The building whose families and adapter names apply.
  private let building: Building?
  private let address: BluetoothAddress
  /// The pairs, each on a line.
  private let text: SourceText
  /// The same, with their places in it.
  private var given: [YAMLNode.Entry] = []

  /// The id of the building: the name of its folder in the reports directory.
  static func id(of address: BluetoothAddress) -> String {
    "device-" + address.description.lowercased().replacing(":", with: "")
  }

  /// Reads `key=value` pairs. All users of the computer can read the arguments of a process, so the value for
  /// a password is only its source.
  /// - Throws: `CommandFailure`, which quotes no value.
  package init(
    _ pairs: [String], for family: DeviceFamily, of building: Building? = nil, at address: BluetoothAddress
  ) throws {
    (self.family, self.building, self.address) = (family, building, address)
    let names = family.givenSettings.map { "\($0.name)" + ($0.reservedNames == nil ? "" : ".NAME") }
      .joined(separator: ", ")
    text = SourceText(Array(pairs.joined(separator: "\n").utf8))
    var start = 0
    for pair in pairs {
      guard let sign = pair.firstIndex(of: "=") else {
        throw CommandFailure(
          .usage, "--set takes KEY=VALUE", advice: "The keys of a \(family.title): \(names)")
      }
      let name = SettingName(rawValue: String(pair[..<sign]))
      guard let description = family[name], description.reservedNames == nil else {
        throw CommandFailure(
          .usage, "--set: a \(family.title) has no such setting", advice: "Its settings: \(names)")
      }
      let written = String(pair[pair.index(after: sign)...])
      if description.isSecret { _ = try Self.source(written, of: name) }
      guard self[name] == nil else {
        throw CommandFailure(.usage, "--set: \(name) is given twice", advice: "Give it once.")
      }
      let (middle, end) = (start + name.rawValue.utf8.count + 1, start + pair.utf8.count)
      let value = YAMLNode(.scalar(written, isPlain: false), range: text.range(middle..<end))
      given.append(.init(key: name.rawValue, keyRange: text.range(start..<middle), value: value))
      start = end + 1
    }
    let missing = family.givenSettings.filter { $0.isRequired && self[$0.name] == nil }
    guard missing.isEmpty else {
      throw CommandFailure(
        .usage, "--set: a \(family.title) also needs \(missing.map(\.name.rawValue).joined(separator: ", "))",
        advice: missing.map { "\($0.name): \($0.documentation)" }.joined(separator: "\n"))
    }
    if self[.wifiPassword] != nil, self[.wifiSSID] == nil {
      throw CommandFailure(
        .usage, "--set: wifi_password without wifi_ssid", advice: "Give the name of the network, too.")
    }
    if self[.wifiSSID] != nil, self[.wifiPassword] == nil {
      throw CommandFailure(
        .usage, "--set: wifi_ssid without wifi_password",
        advice: "For an open network: --set wifi_password=none")
    }
  }

  private subscript(name: SettingName) -> YAMLNode.Entry? { given.first { $0.key == name.rawValue } }

  /// The building of the device's room.
  /// - Throws: `CommandFailure` if a value cannot be written.
  func source() throws -> ManifestSource {
    var source = try ManifestSource.made(reading, named: Self.file)
    source.building.adapters = building?.adapters ?? []
    return source
  }

  /// The name of the settings in messages.
  private static let file = "--set"

  var reading: ManifestReading {
    ManifestReader.read(
      manifest, in: text, with: given, file: Self.file, families: building?.families ?? BuiltIn.families)
  }

  /// The building as a manifest describes it.
  private var manifest: YAMLNode {
    let name = "Device \(address)"
    let own: Set<SettingName> = [.roomName, .wifiSSID, .wifiPassword, .beaconUUID, .beaconMajor]
    let others = family.givenSettings.filter { !own.contains($0.name) }.flatMap {
      setting -> [YAMLNode.Entry] in
      let key = setting.name.rawValue
      if setting.reservedNames == nil { return [entry(key, of: setting.name)].compactMap(\.self) }
      let names = given.compactMap { setting.entryName(of: SettingName(rawValue: $0.key)) }.sorted()
      return group(key, names.map { entry($0, of: setting.entry($0).name) })
    }
    var room = [
      entry("room", of: .roomName) ?? made("room", name), made("address", "\(address)"),
      made("profile", family.id.rawValue),
    ]
    room += group("wifi", [entry("ssid", of: .wifiSSID), entry("password", of: .wifiPassword)])
    room += group("beacon", [entry("uuid", of: .beaconUUID), entry("major", of: .beaconMajor)])
    room += others
    var rooms = made("rooms", "")
    rooms.value.content = .sequence([YAMLNode(.mapping(room), range: rooms.value.range)])
    return YAMLNode(
      .mapping([made("building", name), made("id", Self.id(of: address)), rooms]), range: rooms.value.range)
  }

  /// A setting under its key in a manifest; nil if it is not given.
  private func entry(_ key: String, of name: SettingName) -> YAMLNode.Entry? {
    guard var entry = self[name] else { return nil }
    entry.key = key
    guard family[name]?.isSecret == true, let written = entry.value.text else { return entry }
    let range = entry.value.range
    entry.value.content = .scalar("", isPlain: false)
    if let source = try? Self.source(written, of: name) {
      let node = YAMLNode(.scalar(source.value, isPlain: false), range: range)
      // An empty range: the decoder shows the key, but hides a value that may be a password.
      let keyRange = SourceRange(start: range.start, end: range.start)
      entry.value.content = .mapping([.init(key: source.key, keyRange: keyRange, value: node)])
    }
    return entry
  }

  /// The settings of a mapping; none if none of them is given.
  private func group(_ key: String, _ entries: [YAMLNode.Entry?]) -> [YAMLNode.Entry] {
    let entries = entries.compactMap(\.self)
    guard let range = entries.first?.keyRange else { return [] }
    return [.init(key: key, keyRange: range, value: YAMLNode(.mapping(entries), range: range))]
  }

  /// A key with a value that the person did not give.
  private func made(_ key: String, _ value: String) -> YAMLNode.Entry {
    let range = text.range(0..<0)
    return .init(key: key, keyRange: range, value: YAMLNode(.scalar(value, isPlain: false), range: range))
  }

  /// The source of a secret as a manifest names it; nil for none.
  private static func source(_ text: String, of name: SettingName) throws -> (key: String, value: String)? {
    if text == "none" { return nil }
    if text == "prompt" { return ("prompt", "true") }
    for key in ["env", "file"] where text.hasPrefix(key + ":") && text.count > key.count + 1 {
      return (key, String(text.dropFirst(key.count + 1)))
    }
    throw CommandFailure(
      .usage, "--set: \(name) takes no password: other users see the arguments of a command",
      advice: """
        Say where it is: \(name)=env:NAME, \(name)=file:PATH or \(name)=prompt; \(name)=none for an open network.
        If you typed the password itself, delete it from the history of your shell.
        """)
  }
}
