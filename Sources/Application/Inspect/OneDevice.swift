package import Bluetooth
import Manifest
package import Model

/// The settings that a person gives to one device without a manifest, as the manifest of a building of one room: what holds of
/// manifests holds of them.
package struct OneDevice {
  private let family: DeviceFamily
  /// The building whose families and adapter names apply.
  private let building: Building?
  private let address: BluetoothAddress
  private var values: [SettingName: String] = [:]

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
      let value = String(pair[pair.index(after: sign)...])
      if description.isSecret { _ = try Self.password(value, name) }
      guard values.updateValue(value, forKey: name) == nil else {
        throw CommandFailure(.usage, "--set: \(name) is given twice", advice: "Give it once.")
      }
    }
    let missing = family.givenSettings.filter { $0.isRequired && values[$0.name] == nil }
    guard missing.isEmpty else {
      throw CommandFailure(
        .usage, "--set: a \(family.title) also needs \(missing.map(\.name.rawValue).joined(separator: ", "))",
        advice: missing.map { "\($0.name): \($0.documentation)" }.joined(separator: "\n"))
    }
    if values[.wifiPassword] != nil, values[.wifiSSID] == nil {
      throw CommandFailure(
        .usage, "--set: wifi_password without wifi_ssid", advice: "Give the name of the network, too.")
    }
    if values[.wifiSSID] != nil, values[.wifiPassword] == nil {
      throw CommandFailure(
        .usage, "--set: wifi_ssid without wifi_password",
        advice: "For an open network: --set wifi_password=none")
    }
  }

  /// Reads the manifest.
  /// - Throws: `CommandFailure` if it cannot be applied.
  func source() throws -> ManifestSource {
    var source = try ManifestSource.made(
      manifest, named: "--set", with: building?.families ?? BuiltIn.families)
    source.building.adapters = building?.adapters ?? []
    return source
  }

  var manifest: String {
    let name = "Device \(address)"
    var lines = [
      "building: \(YAMLScalar.quoted(name))", "id: \(Self.id(of: address))", "rooms:",
      "  - room: \(YAMLScalar.quoted(values[.roomName] ?? name))",
      "    address: \(YAMLScalar.quoted("\(address)"))",
      "    profile: \(family.id)",
    ]
    if let ssid = values[.wifiSSID] {
      let password = source(of: .wifiPassword).map { ", password: \($0)" } ?? ""
      lines.append("    wifi: { ssid: \(YAMLScalar.quoted(ssid))\(password) }")
    }
    let beacon = [(SettingName.beaconUUID, "uuid"), (.beaconMajor, "major")].compactMap { name, key in
      values[name].map { "\(key): \(YAMLScalar.quoted($0))" }
    }
    if !beacon.isEmpty { lines.append("    beacon: { \(beacon.joined(separator: ", ")) }") }
    let own: Set<SettingName> = [.roomName, .wifiSSID, .wifiPassword, .beaconUUID, .beaconMajor]
    for setting in family.givenSettings where !own.contains(setting.name) {
      let entries = values.keys.compactMap { setting.entryName(of: $0) }.sorted()
      if !entries.isEmpty {
        let written = entries.map {
          "\(YAMLScalar.quoted($0)): \(source(of: setting.entry($0).name) ?? "\"\"")"
        }
        lines.append("    \(setting.name): { \(written.joined(separator: ", ")) }")
      }
      guard let value = values[setting.name] else { continue }
      let written = setting.isSecret ? source(of: setting.name) ?? "\"\"" : YAMLScalar.quoted(value)
      lines.append("    \(setting.name): \(written)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The source of a secret in the form of a manifest, which `init` has checked; nil without one.
  private func source(of name: SettingName) -> String? {
    values[name].flatMap { (try? Self.password($0, name)) ?? nil }
  }

  /// The source of a password in the form of a manifest; nil for an open network.
  private static func password(_ text: String, _ name: SettingName) throws -> String? {
    if text == "none" { return nil }
    if text == "prompt" { return "{ prompt: true }" }
    for key in ["env", "file"] where text.hasPrefix(key + ":") && text.count > key.count + 1 {
      return "{ \(key): \(YAMLScalar.quoted(String(text.dropFirst(key.count + 1)))) }"
    }
    throw CommandFailure(
      .usage, "--set: \(name) takes no password: other users see the arguments of a command",
      advice: """
        Say where it is: \(name)=env:NAME, \(name)=file:PATH or \(name)=prompt; \(name)=none for an open network.
        If you typed the password itself, delete it from the history of your shell.
        """)
  }
}
