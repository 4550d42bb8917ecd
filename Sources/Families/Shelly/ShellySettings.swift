import Model

/// The requests that give a device the settings of a room.
struct ShellySettings: Sendable {
  /// One request, and the settings of the room in it.
  struct Request: Sendable {
    let method: String
    let params: ShellyValue
    let settings: [SettingName]
  }

  private let room: Room

  init(_ room: Room) { self.room = room }

  /// Those before the network.
  var requests: [Request] {
    var requests: [Request] = []
    var system: [String: ShellyValue] = [:]
    if let name = text(.roomName) { system["device"] = ["name": .text(name)] }
    if let zone = text(.timeZone) { system["location"] = ["tz": .text(zone)] }
    add("Sys.SetConfig", system, [.roomName, .timeZone], to: &requests)
    if let server = text(.mqttServer) {
      add("MQTT.SetConfig", ["enable": true, "server": .text(server)], [.mqttServer], to: &requests)
    }
    if let cloud = text(.cloud) {
      add("Cloud.SetConfig", ["enable": .flag(cloud == "on")], [.cloud], to: &requests)
    }
    return requests
  }

  /// The network, and whether the device has one of its own.
  var join: Request {
    guard let ssid = text(.wifiSSID) else { preconditionFailure("the settings of a room must be checked") }
    var password = ""
    if case .secret(let secret)? = room.settings[.wifiPassword] { password = secret.reveal() }
    var station: [String: ShellyValue] = [
      "ssid": .text(ssid), "pass": password.isEmpty ? .null : .text(password),
      "is_open": .flag(password.isEmpty), "enable": true, "ipv4mode": "dhcp",
    ]
    if let interface = text(.staticAddress).flatMap({ IPv4Interface($0) }) {
      station["ipv4mode"] = "static"
      station["ip"] = .text(interface.address.description)
      station["netmask"] = .text(interface.mask.description)
      station["gw"] = text(.gateway).map { .text($0) } ?? .null
      station["nameserver"] = text(.nameServer).map { .text($0) } ?? .null
    }
    let ofAddress: [SettingName] =
      text(.staticAddress) == nil ? [] : [.staticAddress, .gateway, .nameServer]
    var config: [String: ShellyValue] = ["sta": .object(station)]
    if let point = text(.accessPoint) { config["ap"] = ["enable": .flag(point == "on")] }
    return Request(
      method: "WiFi.SetConfig", params: ["config": .object(config)],
      settings: own([.wifiSSID, .wifiPassword] + ofAddress + [.accessPoint]))
  }

  /// Takes the network away.
  static let leave: ShellyValue = ["config": ["sta": ["enable": false]]]

  /// Those after the proof, which may shut the device; the password last.
  func last(of device: String) -> [Request] {
    var requests: [Request] = []
    if text(.bluetoothRPC) != nil {
      add("BLE.SetConfig", ["rpc": ["enable": false]], [.bluetoothRPC], to: &requests)
    }
    if case .secret(let password)? = room.settings[.adminPassword] {
      let secret = ShellyChallenge.secret(password.reveal(), in: device)
      requests.append(
        Request(
          method: "Shelly.SetAuth",
          params: ["user": .text(ShellyChallenge.user), "realm": .text(device), "ha1": .text(secret)],
          settings: [.adminPassword]))
    }
    return requests
  }

  /// The settings of the room that the device has before its proof.
  var beforeProof: [SettingName] { requests.flatMap(\.settings) + join.settings }

  private func add(
    _ method: String, _ config: [String: ShellyValue], _ settings: [SettingName],
    to requests: inout [Request]
  ) {
    guard !config.isEmpty else { return }
    requests.append(
      Request(method: method, params: ["config": .object(config)], settings: own(settings)))
  }

  private func own(_ settings: [SettingName]) -> [SettingName] {
    settings.filter { room.settings[$0] != nil }
  }

  private func text(_ name: SettingName) -> String? {
    if case .text(let text)? = room.settings[name] { text } else { nil }
  }
}
