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
  private var isConnected = false
  private var state = State.ready
  /// Set and not applied.
  private var configuration: EspConfigMessage.SetConfig?
  /// The last network that it got.
  private var lastSSID: [UInt8] = []
  /// What the product's own endpoints got.
  private var product: [String: [UInt8]] = [:]
  private let endpoints: [(name: String, uuid: BluetoothUUID)]
  /// A scan whose request has no answer yet.
  private var scanning: RequestID?
  private var hasScanned = false

  /// Its state machine.
  private enum State: Hashable {
    case ready
    case joining(ssid: [UInt8], passphrase: [UInt8])
    case failed(EspFailReason)
    case joined
    /// Bluetooth is off.
    case over
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
    endpoints = EspGATT.endpoints + EspGATT.productEndpoints(conditions.label)
    flash = Flash(values: conditions.held, isSaved: !conditions.held.isEmpty)
    if flash.isSaved {
      state = .over
    } else if has(.earlierCommand) {
      state = .joining(ssid: [], passphrase: Self.earlierPassphrase)
    } else if has(.failedBefore), !has(.oldVersion) {
      // An old version has reset itself since.
      state = .failed(.authError)
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
        names.map { .init($0.uuid, [.read, .write], description: $0.name, isEncrypted: true) })
    ]
  }

  private var service: BluetoothUUID { has(.ownService) ? EspGATT.ownService : EspGATT.service }

  package mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .connected(let faults):
      (self.faults, session, isConnected) = (FaultsInForce(faults), nil, true)
      // It tries without end: once nothing prevents it, it joins.
      if case .joining = state, !strikes(.neverJoins) { return [.setTimer(Self.join, EspGATT.usualJoin)] }
    case .disconnected:
      (isConnected, session, scanning) = (false, nil, nil)
      if case .failed = state, strikes(.restartsAfterFailure) { return end() }
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
      if case .failed = state { state = .ready }
    case .button:
      (flash, state, configuration, product) = (Flash(), .ready, nil, [:])
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
    var effects: [FirmwareEffect] = []
    guard let answer = answer(to: value, at: name, request, &generator, &effects) else {
      // NimBLE keeps the link, and the old answer.
      return has(.bluedroid) ? [.disconnect] : [.refuse(request, EspGATT.refused)]
    }
    if effects.contains(.loseLink) || scanning != nil || effects.contains(where: \.isRefusal) {
      return effects
    }
    answers[characteristic] = answer
    return [.answer(request, [])] + effects
  }

  /// Nil refuses.
  private mutating func answer(
    to value: [UInt8], at name: String, _ request: RequestID, _ generator: inout SeededGenerator,
    _ effects: inout [FirmwareEffect]
  ) -> [UInt8]? {
    switch name {
    case "proto-ver":
      return EspGATT.version(
        security, old: has(.oldVersion), odd: has(.oddVersion), counts: !has(.sameNonce),
        noProof: has(.noProof))
    case "prov-session":
      if session == nil || EspFirmwareSession.begins(value) {
        session = EspFirmwareSession(
          security: security,
          proof: has(.noProof) ? [] : strikes(.otherCredentials) || has(.impostor) ? [0x58] : proof,
          owner: owner, counts: !has(.sameNonce), trusts: has(.impostor), &generator)
      }
      return session?.handshake(value)
    default:
      guard let text = session?.decrypt(value) else { return nil }
      guard let reply = reply(to: text, at: name, request, &effects) else { return nil }
      // A blocking scan answers at its end.
      return scanning == nil ? session?.encrypt(reply) : []
    }
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
      guard let message = try? EspControlMessage(serializedBytes: text), message.msg == 1 else { return nil }
      return (try? control(&effects).serializedBytes())
    case "prov-scan":
      guard let message = try? EspScanMessage(serializedBytes: text) else { return nil }
      return scan(message, request, &effects).flatMap { try? $0.serializedBytes() }
    default:
      guard let endpoint = endpoints.first(where: { $0.name == name }) else { return nil }
      product[name] = text
      effects.append(.took(endpoint.uuid, text))
      return Array("SUCCESS\0".utf8)
    }
  }

  private mutating func config(
    _ message: EspConfigMessage, _ request: RequestID, _ effects: inout [FirmwareEffect]
  ) -> EspConfigMessage? {
    var reply = EspConfigMessage()
    reply.msg = message.msg + (strikes(.otherMessages) ? 2 : 1)
    switch message.payload {
    case .getStatus?: reply.status = status(&effects)
    case .setConfig(let configuration)?:
      reply.setResponse.status = set(configuration, request, &effects)
    case .apply?:
      if faults.contains(.drops(in: .save)) {
        effects = [.loseLink]
        return reply
      }
      reply.applyResponse.status = apply(&effects)
    default: return nil
    }
    return reply
  }

  private mutating func set(
    _ configuration: EspConfigMessage.SetConfig, _ request: RequestID, _ effects: inout [FirmwareEffect]
  ) -> EspStatus {
    if let code = faults.rejection(of: EspGATT.ssid) {
      effects = [.refuse(request, code)]
      return .success
    }
    guard (1...32).contains(configuration.ssid.count), configuration.passphrase.count <= 63 else {
      return .invalidArgument
    }
    if has(.refusesNetwork) { return .internalError }
    let fate = faults.nextSetting().fate
    if fate != .lost {
      effects += [
        .took(EspGATT.ssid, [UInt8](configuration.ssid)),
        .took(EspGATT.passphrase, [UInt8](configuration.passphrase)),
      ]
      self.configuration = configuration
      lastSSID = [UInt8](configuration.ssid)
    }
    if fate != .taken { effects.append(.loseLink) }
    return .success
  }

  private mutating func apply(_ effects: inout [FirmwareEffect]) -> EspStatus {
    effects.append(.took(EspGATT.apply, [1]))
    guard let configuration, state == .ready else { return .internalError }
    self.configuration = nil
    state = .joining(ssid: [UInt8](configuration.ssid), passphrase: [UInt8](configuration.passphrase))
    let takes = strikes(.joinsSlowly) ? EspGATT.slowJoin : EspGATT.usualJoin
    if !strikes(.neverJoins) { effects.append(.setTimer(Self.join, EspGATT.joinsAfter + takes)) }
    if strikes(.dropsAfterApply) { effects.append(.loseLink) }
    if strikes(.leavesWhileJoining) { effects.append(.setTimer(Self.lost, EspGATT.joinsAfter / 2)) }
    return .success
  }

  private mutating func joined() -> [FirmwareEffect] {
    guard case .joining(let ssid, let passphrase) = state else { return [] }
    if strikes(.wrongPassword) {
      state = .failed(.authError)
    } else if strikes(.networkAbsent) {
      state = .failed(.networkNotFound)
    } else {
      flash = Flash(
        values: product.merging(["wifi_ssid": ssid.isEmpty ? lastSSID : ssid, "wifi_password": passphrase]) {
          $1
        },
        isSaved: true)
      state = .joined
      return [.setTimer(Self.stop, EspGATT.stopsAfter)]
    }
    // Without `prov-ctrl` no client can reset it.
    return has(.oldVersion) ? [.setTimer(Self.selfReset, EspGATT.resetsAfter)] : []
  }

  private func status(_ effects: inout [FirmwareEffect]) -> EspConfigMessage.StatusResponse {
    var status = EspConfigMessage.StatusResponse()
    switch state {
    case .ready, .joining, .over: status.state = .connecting
    case .failed(let reason):
      status.state = .connectionFailed
      status.failReason = reason
    case .joined:
      status.connected.ip4 = strikes(.noAddress) ? "192.168.4" : "192.168.4.20"
      status.connected.auth = 3
      status.connected.ssid = Data(
        has(.joinsAnother) ? Array("Neighbour".utf8) : flash.values["wifi_ssid"] ?? [])
      status.connected.bssid = Data([0x24, 0x0A, 0xC4, 0, 0, 1])
      status.connected.channel = 6
      effects.append(.setTimer(Self.leave, EspGATT.leavesAfter))
    }
    return status
  }

  private mutating func control(_ effects: inout [FirmwareEffect]) -> EspControlMessage {
    var reply = EspControlMessage()
    reply.msg = 2
    effects.append(.took(EspGATT.reset, [1]))
    if case .failed = state { state = .ready } else { reply.status = .internalError }
    reply.resetResponse = .init()
    return reply
  }

  // MARK: Scan

  private mutating func scan(
    _ message: EspScanMessage, _ request: RequestID, _ effects: inout [FirmwareEffect]
  ) -> EspScanMessage? {
    var reply = EspScanMessage()
    reply.msg = message.msg + 1
    switch message.payload {
    case .start?:
      scanning = request
      // After a failed join it never ends.
      if state == .ready { effects.append(.setTimer(Self.scanned, EspGATT.scanTakes)) }
      reply.startResponse = .init()
    case .getStatus?:
      reply.statusResponse.finished = hasScanned
      reply.statusResponse.resultCount = UInt32(networks.count)
    case .getResult(let page)?:
      guard Int(page.startIndex) + Int(page.count) <= networks.count else { return nil }
      reply.resultResponse.entries = networks[Int(page.startIndex)...].prefix(Int(page.count)).map { found in
        var network = EspScanMessage.Network()
        network.ssid = Data(found.ssid.utf8)
        (network.channel, network.rssi, network.auth) = (6, Int32(found.rssi), 3)
        return network
      }
    default: return nil
    }
    return reply
  }

  private var networks: [WiFiNetwork] { conditions.wifiNetworks.sorted { $0.rssi > $1.rssi } }

  /// A blocking scan answers its request at its end.
  private mutating func scanEnded() -> [FirmwareEffect] {
    guard let request = scanning, isConnected else { return [] }
    (scanning, hasScanned) = (nil, true)
    var reply = EspScanMessage()
    reply.msg = 1
    reply.startResponse = .init()
    guard let bytes: [UInt8] = try? reply.serializedBytes() else { return [] }
    answers[EspGATT.uuid(of: "prov-scan")] = session?.encrypt(bytes)
    return [.answer(request, [])]
  }
}

extension FirmwareEffect {
  fileprivate var isRefusal: Bool { if case .refuse = self { true } else { false } }
}

extension FamilyFault {
  /// The Bluedroid host stack: a refusal ends the link.
  package static let bluedroid = Self("bluedroid")
  /// Firmware before IDF 5.0: security 1, which it does not name, and no `prov-ctrl`.
  package static let oldVersion = Self("old_version")
  /// Security 2 of early IDF 5: every message has the same nonce.
  package static let sameNonce = Self("same_nonce")
  package static let security0 = Self("security_0")
  package static let security1 = Self("security_1")
  /// Security 1 without a proof of possession.
  package static let noProof = Self("no_proof")
  /// It has another proof of possession than its label.
  package static let otherCredentials = Self("other_credentials")
  /// Another device with its name: it has no credentials, and takes any.
  package static let impostor = Self("impostor")
  /// A product with a service and a name of its own.
  package static let ownService = Self("own_service")
  package static let joinsSlowly = Self("joins_slowly")
  /// It reports that it joined a network that it was not given.
  package static let joinsAnother = Self("joins_another")
  /// It answers that it cannot keep the network.
  package static let refusesNetwork = Self("refuses_network")
  /// It goes on with Bluetooth once it has joined, as products do that end it by a command of their own.
  package static let staysAfterJoining = Self("stays_after_joining")
  /// The network does not accept the password.
  package static let wrongPassword = Self("wrong_password")
  package static let networkAbsent = Self("network_absent")
  /// It reports "connecting" forever.
  package static let neverJoins = Self("never_joins")
  /// The link is lost when it has accepted the network.
  package static let dropsAfterApply = Self("drops_after_apply")
  /// Another client had it join the room's network with an old password, and it tries until it can.
  package static let earlierCommand = Self("earlier_command")
  /// A join of another client has failed.
  package static let failedBefore = Self("failed_before")
  /// Its answers of `prov-config` have the number of another message.
  package static let otherMessages = Self("other_messages")
  /// It reports that it joined, and no address.
  package static let noAddress = Self("no_address")
  /// Its version has a text where others have a number.
  package static let oddVersion = Self("odd_version")
  /// It has BluFi instead, Espressif's other protocol.
  package static let bluFi = Self("blufi")
  /// It restarts when it is left after a failed join, and never advertises again.
  package static let restartsAfterFailure = Self("restarts_after_failure")
}
