package import Bluetooth
import EspMessages
import FoundationEssentials
import SwiftProtobuf

/// A device with Espressif's unified provisioning (docs/internals/protocols.md, "ESP-IDF provisioning"): its endpoints, and
/// how it joins its network. Its faults choose host stack, version and security.
package struct EspFirmware: Firmware {
  /// The network that it has joined, with `isSaved`.
  package private(set) var flash: Flash
  private let conditions: FirmwareConditions
  private var session: EspFirmwareSession?
  /// The last answer of each endpoint; it outlives connections.
  private var answers: [BluetoothUUID: [UInt8]] = [:]
  private var faults = FaultsInForce()
  private var state = State.ready
  private var report = Report.connecting
  /// Set and not applied.
  private var configuration: (ssid: [UInt8], passphrase: [UInt8])?
  /// The last network that it got.
  private var lastSSID: [UInt8] = []
  /// What the product's own endpoints got.
  private var product: [String: [UInt8]] = [:]
  private let endpoints: [(name: String, uuid: BluetoothUUID)]
  private var scan = EspFirmwareScan()

  /// Its state machine.
  private enum State: Hashable {
    case ready
    case joining(ssid: [UInt8], passphrase: [UInt8])
    case failed
    case joined
    /// Bluetooth is off.
    case over
  }

  /// Its state, as it reports it. Only another command to join changes it; a reset does not.
  private enum Report: Hashable {
    /// Also before any command.
    case connecting
    case failed(EspFailReason)
    case connected
  }

  private static let join = FirmwareTimer("join")
  private static let leave = FirmwareTimer("leave")
  private static let stop = FirmwareTimer("stop")
  private static let selfReset = FirmwareTimer("self_reset")
  private static let scanned = FirmwareTimer("scanned")
  private static let lost = FirmwareTimer("lost")

  /// The password of the command of another client, for the network that it gets next.
  package static let earlierPassphrase = Array("as it was before".utf8)

  /// Creates a device that waits, or one that has joined before.
  package init(conditions: FirmwareConditions = .init()) {
    self.conditions = conditions
    let isOwn = conditions.faults.contains(.own(.ownService))
    endpoints = EspGATT.endpoints(conditions.label, of: isOwn ? EspGATT.ownService : EspGATT.service)
    flash = Flash(values: conditions.held, isSaved: !conditions.held.isEmpty)
    if flash.isSaved {
      state = .over
    } else if has(.earlierCommand) {
      state = .joining(ssid: [], passphrase: Self.earlierPassphrase)
    } else if has(.failedBefore) {
      report = .failed(.authError)
      // An old version has reset itself since.
      if !has(.oldVersion) { state = .failed }
    }
  }

  private func has(_ fault: FamilyFault) -> Bool { conditions.faults.contains(.own(fault)) }
  private func strikes(_ fault: FamilyFault) -> Bool { faults.contains(.own(fault)) }

  package var advertising: AdvertisingPayload? {
    if state == .over { return nil }
    if has(.bluFi) {
      return AdvertisingPayload(
        isConnectable: true, localName: "BLUFI_DEVICE", serviceUUIDs: [EspGATT.bluFiService])
    }
    let name = has(.ownService) ? "Pump" : conditions.label["name"] ?? EspGATT.localName
    return AdvertisingPayload(isConnectable: true, localName: name, serviceUUIDs: [service])
  }

  package var services: [ServiceDefinition] {
    if has(.bluFi) {
      return [
        .init(
          EspGATT.bluFiService,
          [.init(EspGATT.bluFiWrite, [.write]), .init(EspGATT.bluFiRead, [.read, .notify])])
      ]
    }
    let names = endpoints.filter { $0.name != "prov-ctrl" || !has(.oldVersion) }
    return [
      .init(
        service,
        names.map {
          .init(
            $0.uuid, [.read, .write], description: $0.name, isEncrypted: true,
            security: pairing == nil ? .plain : .encrypted)
        })
    ]
  }

  package var pairing: PairingRules? { conditions.label["pairing"] == "just_works" ? PairingRules() : nil }

  private var service: BluetoothUUID { has(.ownService) ? EspGATT.ownService : EspGATT.service }

  package mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .connected(let faults):
      (self.faults, session) = (FaultsInForce(faults), nil)
      // It tries without end: once nothing prevents it, it joins.
      if case .joining = state, !strikes(.neverJoins) { return [.setTimer(Self.join, EspGATT.usualJoin)] }
    case .disconnected:
      (session, scan.waiting) = (nil, nil)
      if state == .failed, strikes(.restartsAfterFailure) { return end() }
    case .read(let request, let characteristic): return [.answer(request, answers[characteristic] ?? [])]
    case .write(let request?, let characteristic, let value):
      return write(value, characteristic, request, &generator)
    case .subscribe(let request, _, _): return [.refuse(request, ATTCode.requestNotSupported)]
    case .timer(Self.join): return joined()
    case .timer(Self.leave), .timer(Self.stop):
      return state == .joined && !has(.staysAfterJoining) ? end() : []
    case .timer(Self.scanned): return scanEnded()
    case .timer(Self.lost): return [.loseLink]
    case .timer(Self.selfReset):
      if state == .failed { state = .ready }
    case .button:
      (flash, state, report, configuration, product) = (Flash(), .ready, .connecting, nil, [:])
      scan = EspFirmwareScan()
      return [.restart(takes: conditions.radio.restart.lowerBound)]
    case .started, .timer, .write: break
    }
    return []
  }

  /// Takes its Bluetooth stack down.
  private mutating func end() -> [FirmwareEffect] {
    state = .over
    return [.disconnect, .restart(takes: nil)]
  }

  // MARK: Requests

  private mutating func write(
    _ value: [UInt8], _ characteristic: BluetoothUUID, _ request: RequestID,
    _ generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    guard let name = endpoints.first(where: { $0.uuid == characteristic })?.name else {
      return [.refuse(request, ATTCode.writeNotPermitted)]
    }
    if value.isEmpty, !has(.bluedroid) { return [.answer(request, [])] }
    if value.isEmpty || value.count > longest { return [.refuse(request, ATTCode.invalidLength)] }
    var effects: [FirmwareEffect] = []
    guard let answer = answer(to: value, at: name, request, &generator, &effects) else {
      // NimBLE keeps the link, and the old answer.
      return has(.bluedroid) ? [.disconnect] : [.refuse(request, EspGATT.refused)]
    }
    if effects.contains(.loseLink) || scan.waiting != nil || effects.contains(where: \.isRefusal) {
      return effects
    }
    answers[characteristic] = answer
    return [.answer(request, [])] + effects
  }

  /// The most bytes of a value.
  private var longest: Int { !has(.bluedroid) ? 512 : security == 2 ? 481 : 257 }

  /// Nil refuses.
  private mutating func answer(
    to value: [UInt8], at name: String, _ request: RequestID, _ generator: inout SeededGenerator,
    _ effects: inout [FirmwareEffect]
  ) -> [UInt8]? {
    switch name {
    case "proto-ver":
      return EspGATT.version(
        security, old: has(.oldVersion), odd: has(.oddVersion), counts: !has(.sameNonce),
        noProof: has(.noProof), thread: has(.threadOnly))
    case "prov-session":
      if session == nil || EspFirmwareSession.begins(value, security) {
        session = EspFirmwareSession(
          security: security,
          proof: has(.noProof) ? [] : strikes(.otherCredentials) || has(.impostor) ? [0x58] : proof,
          owner: owner, counts: !has(.sameNonce), trusts: has(.impostor), &generator)
      }
      return session?.handshake(value)
    default:
      // Security 0 needs no session.
      guard let text = security == 0 ? value : session?.decrypt(value) else { return nil }
      guard let reply = reply(to: text, at: name, request, &effects) else { return nil }
      // A blocking scan answers at its end.
      return scan.waiting == nil ? encrypt(reply) : []
    }
  }

  private mutating func encrypt(_ text: [UInt8]) -> [UInt8]? {
    security == 0 ? text : session?.encrypt(text)
  }

  private var proof: [UInt8] { conditions.label["pop"].map { Array($0.utf8) } ?? EspGATT.proof }

  private var owner: [UInt8] {
    conditions.label["username"].flatMap { $0.isEmpty ? nil : Array($0.utf8) } ?? EspGATT.username
  }

  private var security: Int { has(.security0) ? 0 : has(.security1) || has(.oldVersion) ? 1 : 2 }

  private mutating func reply(
    to text: [UInt8], at name: String, _ request: RequestID, _ effects: inout [FirmwareEffect]
  ) -> [UInt8]? {
    switch name {
    case "prov-config":
      guard let message = try? EspConfigMessage(serializedBytes: text) else { return nil }
      return config(message, request, &effects).flatMap { try? $0.serializedBytes() }
    case "prov-ctrl":
      guard let message = try? EspControlMessage(serializedBytes: text) else { return nil }
      return control(message.msg, &effects)
    case "prov-scan":
      guard let message = try? EspScanMessage(serializedBytes: text) else { return nil }
      let wasRunning = scan.isRunning
      let reply = scan.answer(message, request)
      // It goes on only while the device is ready: after a failed join it never ends.
      if scan.isRunning, !wasRunning, state == .ready {
        effects.append(.setTimer(Self.scanned, EspGATT.scanTakes))
      }
      return reply.flatMap { try? $0.serializedBytes() }
    default:
      guard let endpoint = endpoints.first(where: { $0.name == name }) else { return nil }
      product[name] = text
      effects.append(.took(endpoint.uuid, text))
      return name == EspGATT.userMapping ? EspGATT.mapped(text) : Array("SUCCESS\0".utf8)
    }
  }

  /// As in Espressif's firmware the number of a message decides, and only a command with content needs its part.
  private mutating func config(
    _ message: EspConfigMessage, _ request: RequestID, _ effects: inout [FirmwareEffect]
  ) -> EspConfigMessage? {
    var reply = EspConfigMessage()
    switch (message.msg, message.payload) {
    case (0, _): reply.status = status(&effects)
    case (2, .setConfig(let configuration)?):
      reply.setResponse.status = set(configuration, request, &effects)
    case (4, _):
      if faults.contains(.drops(in: .save)) {
        effects = [.loseLink]
        return reply
      }
      reply.applyResponse.status = apply(&effects)
    default: return nil
    }
    reply.msg = message.msg + (strikes(.otherMessages) ? 2 : 1)
    return reply
  }

  private mutating func set(
    _ configuration: EspConfigMessage.SetConfig, _ request: RequestID, _ effects: inout [FirmwareEffect]
  ) -> EspStatus {
    if let code = faults.rejection(of: EspGATT.ssid) {
      effects = [.refuse(request, code)]
      return .success
    }
    guard configuration.ssid.count <= 32, configuration.passphrase.count <= 63,
      [0, 6].contains(configuration.bssid.count)
    else { return .invalidArgument }
    if has(.refusesNetwork) { return .internalError }
    if has(.threadOnly) { return .invalidArgument }
    let fate = faults.nextSetting().fate
    if fate != .lost {
      effects += [
        .took(EspGATT.ssid, [UInt8](configuration.ssid)),
        .took(EspGATT.passphrase, [UInt8](configuration.passphrase)),
      ]
      // It copies both as C strings, up to the first zero, and uses neither BSSID nor channel.
      let (ssid, passphrase) = (
        configuration.ssid.prefix { $0 != 0 }, configuration.passphrase.prefix { $0 != 0 }
      )
      self.configuration = ([UInt8](ssid), [UInt8](passphrase))
      lastSSID = [UInt8](ssid)
    }
    if fate != .taken { effects.append(.loseLink) }
    return .success
  }

  private mutating func apply(_ effects: inout [FirmwareEffect]) -> EspStatus {
    effects.append(.took(EspGATT.apply, [1]))
    let wanted = configuration
    // It discards the network, also when it refuses.
    configuration = nil
    guard let wanted, state == .ready else { return .internalError }
    (state, report) = (.joining(ssid: wanted.ssid, passphrase: wanted.passphrase), .connecting)
    let takes = strikes(.joinsSlowly) ? EspGATT.slowJoin : EspGATT.usualJoin
    if !strikes(.neverJoins) { effects.append(.setTimer(Self.join, EspGATT.joinsAfter + takes)) }
    if strikes(.dropsAfterApply) { effects.append(.loseLink) }
    if strikes(.leavesWhileJoining) { effects.append(.setTimer(Self.lost, EspGATT.joinsAfter / 2)) }
    return .success
  }

  private mutating func joined() -> [FirmwareEffect] {
    guard case .joining(let ssid, let passphrase) = state else { return [] }
    if strikes(.wrongPassword) {
      (state, report) = (.failed, .failed(.authError))
    } else if strikes(.networkAbsent) {
      (state, report) = (.failed, .failed(.networkNotFound))
    } else {
      flash = Flash(
        values: product.merging(["wifi_ssid": ssid.isEmpty ? lastSSID : ssid, "wifi_password": passphrase]) {
          $1
        },
        isSaved: true)
      (state, report) = (.joined, .connected)
      return [.setTimer(Self.stop, EspGATT.stopsAfter)]
    }
    // Without `prov-ctrl` no client can reset it.
    return has(.oldVersion) ? [.setTimer(Self.selfReset, EspGATT.resetsAfter)] : []
  }

  private func status(_ effects: inout [FirmwareEffect]) -> EspConfigMessage.StatusResponse {
    var status = EspConfigMessage.StatusResponse()
    switch report {
    case .connecting: status.state = .connecting
    case .failed(let reason):
      status.state = .connectionFailed
      status.failReason = reason
    case .connected:
      status.connected.ip4 = strikes(.noAddress) ? "192.168.4" : "192.168.4.20"
      status.connected.auth = 3
      status.connected.ssid = Data(
        has(.joinsAnother) ? Array("Neighbour".utf8) : flash.values["wifi_ssid"] ?? [])
      status.connected.bssid = Data([0x24, 0x0A, 0xC4, 0x11, 0x22, 0x33])
      status.connected.channel = 6
      effects.append(.setTimer(Self.leave, EspGATT.leavesAfter))
    }
    return status
  }

  private mutating func control(_ number: UInt32, _ effects: inout [FirmwareEffect]) -> [UInt8]? {
    switch number {
    case 1:
      effects.append(.took(EspGATT.reset, [1]))
      var reply = EspControlMessage()
      (reply.msg, reply.resetResponse) = (2, .init())
      if state == .failed { state = .ready } else { reply.status = .internalError }
      return try? reply.serializedBytes()
    case 3:
      // To be provisioned again, which a product permits that does not end Bluetooth by itself. The answer is no
      // message of ours: number 4, the status, the empty part 14.
      guard has(.staysAfterJoining) else { return [0x08, 4, 0x10, 5, 0x72, 0] }
      state = .ready
      return [0x08, 4, 0x72, 0]
    default: return nil
    }
  }

  // MARK: Scan

  /// A blocking scan answers its request at its end.
  private mutating func scanEnded() -> [FirmwareEffect] {
    guard let (request, reply) = scan.end(with: conditions.wifiNetworks),
      let bytes: [UInt8] = try? reply.serializedBytes(),
      let uuid = endpoints.first(where: { $0.name == "prov-scan" })?.uuid
    else { return [] }
    answers[uuid] = encrypt(bytes)
    return [.answer(request, [])]
  }
}

extension FirmwareEffect {
  fileprivate var isRefusal: Bool { if case .refuse = self { true } else { false } }
}
