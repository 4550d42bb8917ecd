package import Bluetooth
import Hex

/// A Shelly of generation 2 or later (docs/internals/protocols.md, "Shelly"): its frames, its methods, and how it joins a network.
package struct ShellyFirmware: Firmware {
  /// What it keeps; each request takes effect at once.
  package private(set) var flash: Flash
  private let conditions: FirmwareConditions
  private let id: String
  private var frames = ShellyFrames()
  private var faults = FaultsInForce()
  /// The answer that is being made.
  private var answer: [UInt8]?
  private var wifi = WiFi.idle
  /// Whether some settings take effect only after a restart.
  private var mustRestart = false
  /// Whether its RPC is on since it started.
  private var hasRPC = true
  private var nonce = 1_700_000_000
  /// The requests with the present nonce.
  private var count = 0
  /// Whether a link was made since it started.
  private var wasLinked = false

  /// What it reports of its network.
  private enum WiFi: Hashable {
    case idle
    /// Still shows the network before.
    case lingering(String, next: String)
    case connecting(String)
    case connected(String)
    case hasAddress(String)
  }

  private static let answered = FirmwareTimer("answered")
  private static let scanned = FirmwareTimer("scanned")
  private static let wifi = FirmwareTimer("wifi")
  private static let restarts = FirmwareTimer("restarts")
  private static let lost = FirmwareTimer("lost")

  package init(conditions: FirmwareConditions = .init()) {
    self.conditions = conditions
    id = ShellyGATT.id(conditions.label["name"])
    flash = Flash(values: conditions.held, isSaved: !conditions.held.isEmpty)
    if let ssid = flash.text("wifi_ssid") { wifi = .hasAddress(ssid) }
  }

  private func has(_ fault: FamilyFault) -> Bool { conditions.faults.contains(.own(fault)) }
  private func strikes(_ fault: FamilyFault) -> Bool { faults.contains(.own(fault)) }

  /// Flags, MAC and model. The flag of RPC stays when it is off.
  package var advertising: AdvertisingPayload? {
    let mac = ShellyGATT.mac(id)
    let flags: UInt8 = secret == nil ? 0b00101 : 0b00111
    return AdvertisingPayload(
      isConnectable: true, localName: "ShellyPlus1-" + mac.hex(uppercase: true),
      manufacturerData: [
        ShellyGATT.company: [0x01, flags, 0x00]
          + (has(.withoutMAC) ? [] : [0x0A] + mac.reversed() + [0x0B, 0x01, 0x10])
      ])
  }

  package var services: [ServiceDefinition] {
    guard hasRPC, !has(.windowOver) else { return [] }
    // Their bytes may be secret: `took` says what a request changes.
    return [
      .init(
        ShellyGATT.service,
        [
          .init(ShellyGATT.data, [.read, .write], isEncrypted: true),
          .init(ShellyGATT.length, .write, isEncrypted: true),
          .init(ShellyGATT.waiting, [.read, .notify, .indicate]),
        ])
    ]
  }

  package var pairing: PairingRules? { PairingRules(mostKeys: 20) }

  /// What it keeps of its password; nil without one.
  private var secret: [UInt8]? {
    has(.otherPassword) ? ShellyGATT.secret("of somebody else", id) : flash.values["admin_password"]
  }

  package mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .connected(let faults):
      (self.faults, frames, answer) = (FaultsInForce(faults), ShellyFrames(), nil)
      defer { wasLinked = true }
      if strikes(.refusesSecondLink), wasLinked { return [.disconnect] }
      if strikes(.emptyReads) { frames.emptyReads = 2 }
      if strikes(.unreadAnswer) { frames.send(Array("{\"id\":7,\"result\":{\"left\":\"by another\"}}".utf8)) }
    case .read(let request, ShellyGATT.waiting):
      let length = frames.announce()
      let told = length > 0 && strikes(.garbageLength) ? 0x0BAD_F00D : length
      return [.answer(request, [24, 16, 8, 0].map { UInt8(told >> $0 & 0xFF) })]
    case .read(let request, _):
      return [.answer(request, frames.read(strikes(.longReads) ? 515 : conditions.radio.mtu - 2))]
    case .write(let request?, ShellyGATT.length, let value):
      return [frames.begin(value).map { .refuse(request, $0) } ?? .answer(request, [])]
    case .write(let request?, ShellyGATT.data, let value): return take(value, request, &generator)
    case .write(let request?, _, _): return [.refuse(request, ATTCode.writeNotPermitted)]
    case .subscribe(let request, _, _): return [.answer(request, [])]
    case .timer(Self.answered):
      if strikes(.notifies) { frames.send(Array("{\"method\":\"NotifyStatus\",\"params\":{}}".utf8)) }
      return deliver()
    case .timer(Self.scanned): return deliver()
    case .timer(Self.wifi): return advance()
    case .timer(Self.restarts): return restart()
    case .timer(Self.lost): return [.loseLink]
    case .button:
      (flash, wifi, hasRPC) = (Flash(), .idle, true)
      return restart()
    case .started: return start()
    case .disconnected, .timer, .write: break
    }
    return []
  }

  /// The answer waits, after a notification that is read first.
  private mutating func deliver() -> [FirmwareEffect] {
    guard let answer else { return [] }
    if frames.isWaiting, strikes(.notifies) { return [.setTimer(Self.scanned, ShellyGATT.answers * 10)] }
    self.answer = nil
    frames.send(answer)
    return []
  }

  private mutating func restart() -> [FirmwareEffect] {
    [.restart(takes: conditions.radio.restart.lowerBound)]
  }

  private mutating func start() -> [FirmwareEffect] {
    (mustRestart, wasLinked, answer, frames) = (false, false, nil, ShellyFrames())
    hasRPC = flash.text("ble_rpc") != "off"
    guard let ssid = flash.text("wifi_ssid") else { return [] }
    return join(ssid)
  }

  // MARK: The network

  private mutating func join(_ ssid: String) -> [FirmwareEffect] {
    if case .hasAddress(let old) = wifi, strikes(.oldNetwork), old != ssid {
      wifi = .lingering(old, next: ssid)
      return [.setTimer(Self.wifi, ShellyGATT.lingers)]
    }
    wifi = .connecting(ssid)
    return [.setTimer(Self.wifi, ShellyGATT.associates)]
  }

  private mutating func advance() -> [FirmwareEffect] {
    switch wifi {
    case .lingering(_, let next): wifi = .connecting(next)
    case .connecting(let ssid):
      let networks = conditions.wifiNetworks
      guard networks.isEmpty || networks.contains(where: { $0.ssid == ssid }), !strikes(.neverJoins) else {
        return []
      }
      wifi = .connected(ssid)
      return [.setTimer(Self.wifi, ShellyGATT.getsAddress)]
    case .connected(let ssid):
      wifi = .hasAddress(ssid)
      return []
    case .idle, .hasAddress: return []
    }
    return [.setTimer(Self.wifi, ShellyGATT.associates)]
  }

  private var status: ShellyJSON {
    let (words, ssid): (String, String?) =
      switch wifi {
      case .idle: ("disconnected", nil)
      case .connecting: ("connecting", nil)
      case .connected(let ssid): ("connected", ssid)
      case .lingering(let ssid, _), .hasAddress(let ssid): ("got ip", ssid)
      }
    let own = flash.text("ip").map { String($0.prefix { $0 != "/" }) } ?? "192.168.33.7"
    let address = words == "got ip" && !strikes(.noAddress) ? ShellyJSON.text(own) : .null
    return .object([
      "status": .text(words), "ssid": ssid.map { .text($0) } ?? .null, "sta_ip": address,
      "rssi": .number(-58),
    ])
  }

  // MARK: Requests

  private mutating func take(
    _ piece: [UInt8], _ request: RequestID, _ generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    var failure: UInt8?
    guard let frame = frames.take(piece, &failure) else {
      return [failure.map { .refuse(request, $0) } ?? .answer(request, [])]
    }
    guard let content = ShellyJSON.read(frame), let method = content["method"]?.text else {
      return [.answer(request, [])]
    }
    let (envelope, params) = (content["id"] ?? .null, content["params"] ?? .null)
    var effects: [FirmwareEffect] = []
    var reply: ShellyJSON
    if method != "Shelly.GetDeviceInfo", let refusal = refusal(of: content["auth"], &generator) {
      reply = .object(["code": .number(401), "message": .text(refusal)])
      reply = .object(["id": envelope, "src": .text(id), "error": reply])
    } else {
      switch carryOut(method, params, &effects) {
      case .success(let result):
        reply = .object(["id": envelope, "src": .text(id), "result": result])
      case .failure(.att(let code)): return [.refuse(request, code)]
      case .failure(.lost): return effects + [.loseLink]
      case .failure(.code(let code, let words)):
        reply = .object(["code": .number(code), "message": .text(words)])
        reply = .object(["id": envelope, "src": .text(id), "error": reply])
      case .failure(.silent): return [.answer(request, [])]
      }
    }
    answer = reply.bytes
    let timer = method == "WiFi.Scan" ? (Self.scanned, ShellyGATT.scans) : (Self.answered, ShellyGATT.answers)
    return [.answer(request, [])] + effects + [.setTimer(timer.0, timer.1)]
  }

  /// Why a request is not carried out: it lacks the proof of the password, or has an old one.
  private mutating func refusal(
    of proof: ShellyJSON?, _ generator: inout SeededGenerator
  ) -> String? {
    guard let secret else { return nil }
    if let proof, let number = proof["nc"]?.number, let client = proof["cnonce"]?.text,
      proof["nonce"]?.number == nonce, number > count, proof["realm"]?.text == id,
      proof["username"]?.text == "admin",
      proof["response"]?.text == ShellyGATT.proof(secret, nonce, number, client)
    {
      count = number
      if strikes(.shortNonce) { nonce += 1 }
      return nil
    }
    (nonce, count) = (Int.random(in: 1_000_000...2_000_000_000, using: &generator), 0)
    return """
      {"auth_type": "digest", "nonce": \(nonce), "nc": 1, "realm": "\(id)", "algorithm": "SHA-256"}
      """
  }

  private enum Refusal: Error {
    case code(Int, String)
    /// The request is refused by ATT.
    case att(UInt8)
    case lost
    case silent
  }

  private mutating func carryOut(
    _ method: String, _ params: ShellyJSON, _ effects: inout [FirmwareEffect]
  ) -> Result<ShellyJSON, Refusal> {
    let config = params["config"] ?? .null
    switch method {
    case "Shelly.GetDeviceInfo": return .success(information)
    case "WiFi.GetStatus": return .success(status)
    case "WiFi.GetConfig": return .success(networks)
    case "WiFi.Scan": return strikes(.noScan) ? .failure(.silent) : .success(scan)
    case "Sys.GetStatus" where !has(.withoutStatus):
      return .success(
        .object(["mac": .text(mac), "restart_required": .flag(mustRestart), "uptime": .number(41)]))
    case "Shelly.Reboot":
      effects += [.took(ShellyGATT.restart, []), .setTimer(Self.restarts, .milliseconds(500))]
      return .success(.null)
    case "Sys.SetConfig":
      return keep(
        ["room_name": config["device"]?["name"], "time_zone": config["location"]?["tz"]], &effects)
    case "MQTT.SetConfig":
      return keep(["mqtt_server": config["server"]], restarts: true, &effects)
    case "Cloud.SetConfig": return keep(["cloud": config["enable"]], &effects)
    case "BLE.SetConfig": return keep(["ble_rpc": config["rpc"]?["enable"]], restarts: true, &effects)
    case "WiFi.SetConfig": return setWiFi(config, &effects)
    case "Shelly.SetAuth":
      guard params["realm"]?.text == id, params["user"]?.text == "admin" else {
        return .failure(.code(-103, "Invalid argument"))
      }
      return keep(["admin_password": params["ha1"]], &effects).map { _ in .null }
    default: return .failure(.code(404, "No handler for \(method)"))
    }
  }

  private mutating func setWiFi(
    _ config: ShellyJSON, _ effects: inout [FirmwareEffect]
  ) -> Result<ShellyJSON, Refusal> {
    let station = config["sta"] ?? .null
    if station["enable"]?.flag == false {
      effects.append(.took(ShellyGATT.leave, []))
      for name in ["wifi_ssid", "wifi_password"] { flash.values[name] = nil }
      if !strikes(.staysJoined) { wifi = .idle }
      return .success(.object(["restart_required": .flag(false)]))
    }
    let isStatic = station["ipv4mode"]?.text == "static"
    let password = station["pass"]?.text ?? ""
    guard let ssid = station["ssid"]?.text, (1...32).contains(ssid.utf8.count),
      password.isEmpty || (8...63).contains(password.utf8.count)
    else { return .failure(.code(-103, "Invalid argument 'ssid'")) }
    var values: [String: ShellyJSON?] = [
      "wifi_ssid": station["ssid"], "wifi_password": .text(password), "access_point": config["ap"]?["enable"],
    ]
    if isStatic, let address = station["ip"]?.text, let mask = station["netmask"]?.text {
      let bits = mask.split(separator: ".").compactMap { UInt8($0) }.map(\.nonzeroBitCount).reduce(0, +)
      values["ip"] = .text("\(address)/\(bits)")
      (values["gateway"], values["name_server"]) = (station["gw"], station["nameserver"])
    }
    let result = keep(values, &effects)
    guard flash.text("wifi_ssid") == ssid else { return result }
    effects += join(ssid)
    if strikes(.leavesWhileJoining) { effects.append(.setTimer(Self.lost, .seconds(1))) }
    return result
  }

  /// Keeps values by the names of settings, those that are there.
  private mutating func keep(
    _ values: [String: ShellyJSON?], restarts: Bool = false, _ effects: inout [FirmwareEffect]
  ) -> Result<ShellyJSON, Refusal> {
    var kept: [(String, [UInt8])] = []
    for name in ShellyGATT.settings {
      switch values[name] {
      case .text(let text)??: kept.append((name, Array(text.utf8)))
      case .flag(let flag)??: kept.append((name, Array((flag ? "on" : "off").utf8)))
      default: continue
      }
      if let code = faults.rejection(of: ShellyGATT.characteristic(name)) { return .failure(.att(code)) }
    }
    let fate = faults.nextSetting().fate
    if fate == .lost { return .failure(.lost) }
    for (name, value) in kept {
      if restarts, flash.values[name] != value { mustRestart = true }
      flash.values[name] = value
      effects.append(.took(ShellyGATT.characteristic(name), value))
    }
    flash.isSaved = true
    if fate == .takenAndLost { return .failure(.lost) }
    return .success(.object(["restart_required": .flag(mustRestart)]))
  }

  // MARK: What it says

  private var mac: String {
    has(.otherMAC) ? "A8032AFFFFFF" : ShellyGATT.mac(id).hex(uppercase: true)
  }

  private var information: ShellyJSON {
    let name = has(.otherMAC) ? "shellyplus1-a8032affffff" : id
    return .object([
      "id": .text(name), "mac": .text(mac), "model": .text("SNSW-001X16EU"),
      "gen": .number(has(.generation1) ? 1 : 2), "ver": .text("1.4.4"),
      "fw_id": .text("20241011-114455/1.4.4"),
      "app": .text("Plus1"), "auth_en": .flag(secret != nil),
      "name": flash.text("room_name").map { .text($0) } ?? .null,
    ])
  }

  private var networks: ShellyJSON {
    func station(_ ssid: String?) -> ShellyJSON {
      .object([
        "ssid": ssid.map { .text($0) } ?? .null, "is_open": .flag(ssid == nil), "enable": .flag(ssid != nil),
        "ipv4mode": .text("dhcp"), "ip": .null, "netmask": .null, "gw": .null, "nameserver": .null,
      ])
    }
    return .object([
      "ap": .object([
        "ssid": .text("ShellyPlus1-" + mac), "is_open": .flag(true),
        "enable": .flag(flash.text("access_point") != "off"),
      ]), "sta": station(flash.text("wifi_ssid")), "sta1": station(nil),
      "roam": .object(["rssi_thr": .number(-80), "interval": .number(60)]),
    ])
  }

  private var scan: ShellyJSON {
    let found = conditions.wifiNetworks.enumerated().map { number, network in
      ShellyJSON.object([
        "ssid": network.ssid.isEmpty ? .null : .text(network.ssid),
        "bssid": .text("24:0a:c4:00:00:0\(number % 10)"),
        "auth": .number(3), "channel": .number(6), "rssi": .number(network.rssi),
      ])
    }
    return .object(["results": .list(found)])
  }
}
