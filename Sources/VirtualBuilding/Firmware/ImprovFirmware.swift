package import Bluetooth
import Model

/// The firmware of an Improv device as ESPHome behaves (docs/internals/protocols.md, "Improv WiFi"). It joins the network that
/// it gets, whether or not the client stays, and ends its service soon after a success.
package struct ImprovFirmware: Firmware {
  private enum State: UInt8 {
    case locked = 1
    case ready = 2
    case joining = 3
    case online = 4
  }

  private let conditions: FirmwareConditions
  package private(set) var flash: Flash
  private var state: State
  private var error: UInt8 = 0
  private var result: [UInt8] = []
  /// The bytes of a command so far. The end of a link does not clear them.
  private var buffer: [UInt8] = []
  /// The network that it tries to join.
  private var wanted: (ssid: [UInt8], password: [UInt8])?
  private var hostname = "improv"
  private var deviceName = "Improv"
  private var hasEnded = false
  /// When the permission of its button ends.
  private var locksAt = MonotonicInstant(sinceZero: .zero)
  /// How often it was asked to blink.
  package private(set) var blinks = 0
  /// Those of the last connection; before the first one, all.
  private var faults: FaultsInForce

  private static let joined = FirmwareTimer("joined")
  private static let gaveUp = FirmwareTimer("gave_up")
  private static let ends = FirmwareTimer("ends")
  private static let locks = FirmwareTimer("locks")
  private static let scanned = FirmwareTimer("scanned")
  private static let lost = FirmwareTimer("lost")

  package init(conditions: FirmwareConditions = .init()) {
    self.conditions = conditions
    flash = Flash(values: conditions.held, isSaved: !conditions.held.isEmpty)
    state = flash.isSaved ? .online : .ready
    faults = FaultsInForce(conditions.faults)
    if let name = conditions.label["name"] { deviceName = name }
    if !flash.isSaved, has(.needsButton) { state = .locked }
    if has(.staleError) { error = 3 }
    if has(.partOfCommand) { buffer = [1, 255, 7] }
  }

  private func has(_ fault: FamilyFault) -> Bool { faults.contains(.own(fault)) }

  package var advertising: AdvertisingPayload? {
    guard !hasEnded else { return nil }
    return AdvertisingPayload(
      isConnectable: true, localName: deviceName, serviceUUIDs: [ImprovGATT.service],
      serviceData: has(.hidesState)
        ? [:] : [ImprovGATT.data: [state.rawValue, capabilities, 0, 0, 0, 0]])
  }

  /// Identify, device info, scan, hostname.
  private var capabilities: UInt8 { has(.withoutOptions) ? 0 : 0x0F }

  package var services: [ServiceDefinition] {
    guard !hasEnded else { return [] }
    var characteristics: [CharacteristicDefinition] = [
      .init(ImprovGATT.state, [.read, .notify]), .init(ImprovGATT.error, [.read, .notify]),
      .init(ImprovGATT.command, .write), .init(ImprovGATT.result, [.read, .notify]),
    ]
    if !has(.withoutOptions) { characteristics.append(.init(ImprovGATT.capabilities, .read)) }
    return [.init(ImprovGATT.service, characteristics)]
  }

  package mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .connected(let faults):
      self.faults = FaultsInForce(faults)
    case .disconnected:
      if !has(.staleError) { error = 0 }
      if has(.returnsAfterLoss), state == .ready, !buffer.isEmpty { state = .online }
    case .subscribe(let request, _, _):
      return [
        has(.refusesSubscription) ? .refuse(request, ATTCode.requestNotSupported) : .answer(request, [])
      ]
    case .read(let request, let characteristic):
      return [
        hasEnded ? .refuse(request, ATTCode.invalidHandle) : .answer(request, value(of: characteristic))
      ]
    case .write(let request?, ImprovGATT.command, let value) where !hasEnded:
      return take(value, request, &generator)
    case .write(let request?, _, _):
      return [.refuse(request, ATTCode.invalidHandle)]
    case .timer(Self.joined): return join()
    case .timer(Self.gaveUp): return giveUp(at: instant)
    case .timer(Self.scanned): return networks()
    case .timer(Self.lost): return [.loseLink]
    case .timer(Self.ends):
      hasEnded = true
    case .timer(Self.locks) where state == .ready && instant >= locksAt:
      return change(to: .locked)
    case .button where state == .locked:
      return change(to: .ready) + permit(at: instant)
    case .button:
      // Its WiFi settings are reset.
      (flash, state, wanted, hasEnded, buffer) = (Flash(), .ready, nil, false, [])
      if has(.needsButton) { state = .locked }
      return [.restart(takes: conditions.radio.restart.lowerBound)]
    case .started where state == .joining:
      // It restarted: what it had in memory is lost.
      (state, wanted, buffer) = (.ready, nil, [])
    case .started, .timer, .write:
      break
    }
    return []
  }

  private func value(of characteristic: BluetoothUUID) -> [UInt8] {
    switch characteristic {
    case ImprovGATT.state: [state.rawValue]
    case ImprovGATT.error: [error]
    case ImprovGATT.result: result
    default: [capabilities]
    }
  }

  // MARK: Reports

  private mutating func change(to state: State) -> [FirmwareEffect] {
    self.state = state
    return [.notify(ImprovGATT.state, [state.rawValue])]
  }

  private mutating func report(_ error: UInt8) -> [FirmwareEffect] {
    guard error != self.error else { return [] }
    self.error = error
    return [.notify(ImprovGATT.error, [error])]
  }

  private mutating func answer(_ command: UInt8, _ strings: [String]) -> [FirmwareEffect] {
    result = ImprovGATT.frame(command, ImprovGATT.list(strings))
    if has(.corruptResult) { result[result.count - 1] ^= 0xFF }
    return [.notify(ImprovGATT.result, Array(result.prefix(conditions.radio.mtu - 3)))]
  }

  // MARK: Commands

  /// Puts a command together from its writes. Bytes beyond its length make it drop all.
  private mutating func take(
    _ value: [UInt8], _ request: RequestID, _ generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    if let code = faults.rejection(of: ImprovGATT.command) { return [.refuse(request, code)] }
    let whole = buffer + value
    guard whole.count >= 2, whole.count >= Int(whole[1]) + 3 else {
      buffer = whole
      return [.answer(request, [])]
    }
    if whole.count > Int(whole[1]) + 3 {
      buffer = []
      return [.answer(request, [])]
    }
    if whole[0] == 1 {
      switch faults.nextSetting().fate {
      // The last piece does not arrive, and the others are kept.
      case .lost: return [.loseLink]
      case .takenAndLost:
        buffer = []
        return carryOut(whole, &generator) + [.loseLink]
      case .taken: break
      }
    }
    buffer = []
    return [.answer(request, [])] + carryOut(whole, &generator)
  }

  private mutating func carryOut(_ frame: [UInt8], _ generator: inout SeededGenerator) -> [FirmwareEffect] {
    let data = Array(frame[2..<frame.count - 1])
    // An error is notified even if it equals the last one: each command first sets the error to 0.
    var effects = has(.staleError) ? [] : report(0)
    guard ImprovGATT.frame(frame[0], data) == frame else { return effects + report(1) }
    switch frame[0] {
    case 1: effects += startJoining(data, &generator)
    case 2 where capabilities != 0: blinks += 1
    case 3 where capabilities != 0:
      effects += answer(3, ["virtual-improv", "2026.1", "ESP32-C3", deviceName])
    case 4 where capabilities != 0: effects.append(.setTimer(Self.scanned, ImprovGATT.scan))
    case 5 where capabilities != 0: effects += rename(5, \.hostname, data, permits: { $0 != " " })
    case 6 where capabilities != 0: effects += rename(6, \.deviceName, data, permits: { _ in true })
    default: effects += report(2)
    }
    return effects
  }

  /// Gets or sets a name. Clients disagree on whether a second length precedes it.
  private mutating func rename(
    _ command: UInt8, _ name: WritableKeyPath<Self, String>, _ data: [UInt8],
    permits: (Character) -> Bool
  ) -> [FirmwareEffect] {
    if !data.isEmpty {
      let bytes = Int(data[0]) == data.count - 1 ? Array(data.dropFirst()) : data
      guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty, text.allSatisfy(permits)
      else {
        return report(5)
      }
      self[keyPath: name] = text
    }
    return answer(command, [self[keyPath: name]])
  }

  // MARK: The network

  private mutating func startJoining(
    _ data: [UInt8], _ generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    // What follows the two strings is ignored.
    guard let length = data.first.map(Int.init), data.count >= length + 2,
      case let end = length + 2 + Int(data[length + 1]), data.count >= end
    else { return report(2) }
    if has(.networkReturns), state == .ready {
      // An earlier network is there again, before it carries out the command.
      return change(to: .online) + report(4)
    }
    if has(.dropsCommand) { return change(to: .online) }
    guard state == .ready else { return report(4) }
    wanted = (Array(data[1..<length + 1]), Array(data[(length + 2)..<end]))
    var effects = change(to: .joining)
    if has(.givesUpLate) { return effects + [.setTimer(Self.gaveUp, ImprovGATT.lateLimit)] }
    let ssid = String(decoding: data[1..<length + 1], as: UTF8.self)
    let isInRange =
      conditions.wifiNetworks.isEmpty || conditions.wifiNetworks.contains { $0.ssid == ssid }
    if has(.cannotJoin) || !isInRange {
      effects.append(.setTimer(Self.gaveUp, ImprovGATT.joinLimit))
    } else {
      effects.append(.setTimer(Self.joined, generator.duration(in: ImprovGATT.join)))
    }
    if has(.malformedReports) {
      effects += [
        .notify(ImprovGATT.result, ImprovGATT.frame(1, [9, 0x78])),
        .notify(ImprovGATT.result, ImprovGATT.frame(1, []) + [0]), .notify(ImprovGATT.result, [1]),
        .notify(ImprovGATT.result, ImprovGATT.frame(3, ImprovGATT.list(["of another command"]))),
        .notify(ImprovGATT.state, [State.online.rawValue, 0, 0, 0]), .notify(ImprovGATT.state, []),
        .notify(ImprovGATT.error, [3, 0]),
      ]
    }
    if has(.leavesWhileJoining) { effects.append(.setTimer(Self.lost, .seconds(1))) }
    return effects
  }

  private mutating func join() -> [FirmwareEffect] {
    guard let wanted else { return [] }
    self.wanted = nil
    flash = Flash(values: ["wifi_ssid": wanted.ssid, "wifi_password": wanted.password], isSaved: true)
    let isOld = has(.oldOrder)
    let farewell = isOld ? ImprovGATT.shortFarewell : ImprovGATT.farewell
    let result =
      has(.noResult) ? [] : answer(1, has(.noURL) ? [] : ["http://192.168.7.31/", "http://improv.local/"])
    let online = change(to: .online)
    var effects = isOld ? online + result : result + online
    if !has(.keepsService) { effects.append(.setTimer(Self.ends, farewell)) }
    if has(.leavesAfterJoining) { effects.append(.disconnect) }
    return effects
  }

  private mutating func giveUp(at instant: MonotonicInstant) -> [FirmwareEffect] {
    wanted = nil
    let reports = report(3)
    return reports + change(to: .ready) + (has(.needsButton) ? permit(at: instant) : [])
  }

  /// The permission of its button, which begins anew after a join that failed.
  private mutating func permit(at instant: MonotonicInstant) -> [FirmwareEffect] {
    locksAt = instant.advanced(by: ImprovGATT.authorized)
    return [.setTimer(Self.locks, ImprovGATT.authorized)]
  }

  /// All networks in one result, or each in one and an empty one at the end.
  private mutating func networks() -> [FirmwareEffect] {
    let found = conditions.wifiNetworks.map { [$0.ssid, "\($0.rssi)", "WPA2"] }
    guard has(.scansOneByOne) else { return answer(4, found.flatMap(\.self)) }
    var effects: [FirmwareEffect] = []
    for network in found { effects += answer(4, network) }
    return effects + answer(4, [])
  }
}

extension FamilyFault {
  /// A person must press the device's button before it accepts commands.
  package static let needsButton = Self("needs_button")
  /// The device does not join the network: it gives up after 30 s.
  package static let cannotJoin = Self("cannot_join")
  /// The device tries to join for minutes, longer than any client waits.
  package static let givesUpLate = Self("gives_up_late")
  /// The device reports its new state before the result, and ends its service 1 s later, as firmware before 2025.
  package static let oldOrder = Self("old_order")
  /// The device reports its new state and no result.
  package static let noResult = Self("no_result")
  /// The device's result has no URL.
  package static let noURL = Self("no_url")
  /// The checksums of the device's results are wrong.
  package static let corruptResult = Self("corrupt_result")
  /// The device keeps a part of a command that another client left, the longest possible one.
  package static let partOfCommand = Self("part_of_command")
  /// The device's error is that of an earlier attempt until a join fails.
  package static let staleError = Self("stale_error")
  /// The device's earlier network returns when it is written: it refuses the command.
  package static let networkReturns = Self("network_returns")
  /// The device drops the command without a sign, and its earlier network returns.
  package static let dropsCommand = Self("drops_command")
  /// The device's earlier network returns after a link was lost within a command.
  package static let returnsAfterLoss = Self("returns_after_loss")
  /// While it joins, the device reports a result with a string longer than its frame, one longer than its length says,
  /// one of a byte, one of another command, and a state and an error of several bytes.
  package static let malformedReports = Self("malformed_reports")
  /// The link is lost while the device joins the network.
  package static let leavesWhileJoining = Self("leaves_while_joining")
  /// The device ends the link when it has joined the network.
  package static let leavesAfterJoining = Self("leaves_after_joining")
  /// The device goes on advertising when it has joined the network.
  package static let keepsService = Self("keeps_service")
  /// The device advertises its service without its state.
  package static let hidesState = Self("hides_state")
  /// The device has no optional commands, and no characteristic for them.
  package static let withoutOptions = Self("without_options")
  /// The device lists each network in a result of its own.
  package static let scansOneByOne = Self("scans_one_by_one")
  /// The device permits no subscription.
  package static let refusesSubscription = Self("refuses_subscription")
}

extension FirmwareFamily {
  private static let improvFaults: [FamilyFault] = [
    .needsButton, .cannotJoin, .givesUpLate, .oldOrder, .noResult, .noURL, .corruptResult, .partOfCommand,
    .staleError,
    .networkReturns, .dropsCommand, .leavesWhileJoining, .leavesAfterJoining, .keepsService, .hidesState,
    .withoutOptions, .scansOneByOne, .refusesSubscription, .returnsAfterLoss, .malformedReports,
  ]

  package static let improvWiFi = FirmwareFamily(
    name: "improv-wifi",
    settings: [
      .text("wifi_ssid", ImprovGATT.command, bytes: 1...32, isAlwaysHeld: true),
      .text("wifi_password", ImprovGATT.command, bytes: 0...64),
    ],
    faults: improvFaults.map { .init($0.name, .own($0)) },
    label: ["name"],
    oracle: FirmwareOracle(
      .provisioningMode(save: ImprovGATT.command), proofs: [.deviceStatus], isAtWork: \.isSaved,
      sendsNothingAtWork: true,
      isHarmless: { ImprovWrites.isHarmless($0.value) },
      isCommand: { ImprovWrites.isPermitted($0.value, for: $1) })
  ) { ImprovFirmware(conditions: $0) }
}

/// What a run may write to the command of an Improv device, in pieces of at most 20 bytes.
private enum ImprovWrites {
  /// The questions: what it is, and which networks it receives; and zeros, which no command has.
  static func isHarmless(_ value: [UInt8]) -> Bool {
    value == ImprovGATT.frame(3, []) || value == ImprovGATT.frame(4, []) || value.allSatisfy { $0 == 0 }
  }

  /// Whether it is a question, or a piece of the command with the room's own network.
  static func isPermitted(_ value: [UInt8], for room: Room) -> Bool {
    if isHarmless(value) { return true }
    guard case .text(let ssid)? = room.settings[.wifiSSID] else { return false }
    var password: [UInt8] = []
    if case .secret(let secret)? = room.settings[.wifiPassword] { password = Array(secret.reveal().utf8) }
    let command = ImprovGATT.join(Array(ssid.utf8), password)
    return stride(from: 0, to: command.count, by: 20).contains {
      Array(command[$0..<min($0 + 20, command.count)]) == value
    }
  }
}
