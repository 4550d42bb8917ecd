package import Bluetooth

/// The Robo Sensor's firmware (docs/internals/protocols.md, "Robo Sensor"): a GATT peripheral until it is provisioned,
/// then an iBeacon.
///
/// Written settings are in RAM until `SAVE` and survive a disconnect [assumed; the worst case]. `SAVE`
/// requires only room name and minor [assumed; `Fault.savesOnlyWithSSID` is the alternative].
package struct RoboSensorFirmware: Firmware {
  /// The current phase.
  private enum Life: Hashable {
    /// Provisioning mode, no central connected.
    case waiting
    /// Provisioning mode, a central connected.
    case connected
    /// Saved. It does not advertise until the restart is complete.
    case restarting
    case beacon
  }

  package private(set) var flash: Flash
  private let conditions: FirmwareConditions
  private var life = Life.waiting
  /// Written but not saved.
  private var written: [String: [UInt8]] = [:]
  private var status = ""
  private var faults = FaultsInForce()
  private var hasError = false
  /// The beacon of another address that advertises instead of this device.
  private var elsewhere: (address: BluetoothAddress, minor: UInt16)?

  /// The time from the connection to `ready` [assumed].
  private static let readyAfter = Duration.milliseconds(150)
  /// The time from `saved` to the restart [assumed].
  package static let restartAfter = Duration.milliseconds(300)
  /// The duration of a WiFi scan, less than the 5 s that a host waits [S].
  private static let wifiScanTakes = Duration.milliseconds(2200)

  private static let ready = FirmwareTimer("ready")
  private static let restart = FirmwareTimer("restart")
  private static let wifiScanned = FirmwareTimer("wifi_scanned")

  /// Creates a sensor in factory state, or one that was configured before.
  package init(conditions: FirmwareConditions = .init()) {
    self.conditions = conditions
    flash = Flash(values: conditions.held, isSaved: !conditions.held.isEmpty)
  }

  /// The name in provisioning mode, the iBeacon when saved.
  package var advertising: AdvertisingPayload? {
    switch life {
    case .waiting: AdvertisingPayload(isConnectable: true, localName: RoboSensorGATT.localName)
    case .connected, .restarting: nil
    case .beacon: beaconing
    }
  }

  private var beaconing: AdvertisingPayload {
    var payload = AdvertisingPayload(
      isConnectable: false, manufacturerData: [IBeacon.company: beacon.manufacturerData])
    payload.address = elsewhere?.address
    return payload
  }

  package var services: [ServiceDefinition] {
    var characteristics: [CharacteristicDefinition] = [
      .init(RoboSensorGATT.ssid, .write), .init(RoboSensorGATT.password, .write),
      .init(RoboSensorGATT.roomName, .write), .init(RoboSensorGATT.minor, .write),
      .init(RoboSensorGATT.command, .write), .init(RoboSensorGATT.status, [.read, .notify]),
    ]
    if !conditions.faults.contains(.withoutWiFiScan) {
      characteristics.append(.init(RoboSensorGATT.wifiScan, [.write, .notify]))
    }
    return [.init(RoboSensorGATT.service, characteristics)]
  }

  private var beacon: IBeacon {
    IBeacon(
      uuid: conditions.beacon?.uuid ?? RoboSensorGATT.beaconUUID,
      major: conditions.beacon?.major ?? RoboSensorGATT.beaconMajor,
      minor: elsewhere?.minor ?? flash.minor ?? 0, measuredPower: RoboSensorGATT.measuredPower)
  }

  package mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .started: started()
    case .connected(let faults): connected(faults)
    case .disconnected: disconnected()
    case .read(let request, let characteristic): read(characteristic, request)
    case .write(let request, let characteristic, let value): write(value, to: characteristic, request)
    case .subscribe(let request, _, _): subscribe(request)
    case .timer(let timer): timerRanOut(timer, &generator)
    case .button: buttonPressed()
    }
  }

  // MARK: Life

  private mutating func started() -> [FirmwareEffect] {
    life = flash.isSaved || elsewhere != nil ? .beacon : .waiting
    written = [:]
    status = ""
    return []
  }

  private mutating func connected(_ faults: [Fault]) -> [FirmwareEffect] {
    self.faults = FaultsInForce(faults)
    life = .connected
    hasError = false
    status = ""
    for fault in faults {
      switch fault {
      case .staleError(let text), .lastingError(let text):
        status = "error:" + text
        return []
      default: break
      }
    }
    return faults.contains(.noReady) ? [] : [.setTimer(Self.ready, Self.readyAfter)]
  }

  private mutating func disconnected() -> [FirmwareEffect] {
    if life == .connected { life = .waiting }
    return []
  }

  private mutating func buttonPressed() -> [FirmwareEffect] {
    flash.isSaved = false
    elsewhere = nil
    life = .restarting
    return [.restart(takes: conditions.radio.restart.lowerBound)]
  }

  private mutating func timerRanOut(
    _ timer: FirmwareTimer, _ generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch timer {
    case Self.ready where life == .connected && status.isEmpty:
      return say("ready")
    case Self.restart where life == .restarting:
      let isGone = faults.contains(.neverReturns)
      return [
        .disconnect,
        .restart(takes: isGone ? nil : generator.duration(in: conditions.radio.restart)),
      ]
    case Self.wifiScanned where life == .connected:
      return WiFiScanAnswer(networks: conditions.wifiNetworks, longest: min(512, conditions.radio.mtu - 3))
        .notifications.map { .notify(RoboSensorGATT.wifiScan, $0) }
    default:
      return []
    }
  }

  // MARK: Requests

  private func read(_ characteristic: BluetoothUUID, _ request: RequestID) -> [FirmwareEffect] {
    characteristic == RoboSensorGATT.status
      ? [.answer(request, Array(status.utf8))] : [.refuse(request, ATTCode.readNotPermitted)]
  }

  private func subscribe(_ request: RequestID) -> [FirmwareEffect] {
    if faults.contains(.drops(in: .subscribe)) { return [.loseLink] }
    if faults.contains(.refusesSubscription) { return [.refuse(request, ATTCode.writeNotPermitted)] }
    return [.answer(request, [])]
  }

  private mutating func write(
    _ value: [UInt8], to characteristic: BluetoothUUID, _ request: RequestID?
  ) -> [FirmwareEffect] {
    if let code = faults.rejection(of: characteristic) {
      return request.map { [.refuse($0, code)] } ?? []
    }
    let confirmed: [FirmwareEffect] = request.map { [.answer($0, [])] } ?? []
    switch characteristic {
    case RoboSensorGATT.command:
      return command(value, confirmed, request)
    case RoboSensorGATT.wifiScan:
      guard value == Array("SCAN".utf8) else { return confirmed }
      return confirmed + [.setTimer(Self.wifiScanned, Self.wifiScanTakes)]
    default:
      guard let setting = RoboSensorGATT.settings.first(where: { $0.uuid == characteristic }) else {
        return request.map { [.refuse($0, ATTCode.writeNotPermitted)] } ?? []
      }
      guard setting.lengths.contains(value.count) else {
        return request.map { [.refuse($0, ATTCode.invalidLength)] } ?? []
      }
      return take(value, setting.name, confirmed)
    }
  }

  private mutating func take(
    _ value: [UInt8], _ name: String, _ confirmed: [FirmwareEffect]
  ) -> [FirmwareEffect] {
    let (fate, number) = faults.nextSetting()
    if fate == .lost { return [.loseLink] }
    written[name] = value
    if fate == .takenAndLost { return [.loseLink] }
    if number == 1 {
      for case .errorAfterFirstWrite(let text) in faults.all {
        hasError = true
        return confirmed + say("error:" + text)
      }
      if !faults.keepOldError, status.hasPrefix("error:") { status = "" }
    }
    return confirmed
  }

  private mutating func command(
    _ value: [UInt8], _ confirmed: [FirmwareEffect], _ request: RequestID?
  ) -> [FirmwareEffect] {
    if faults.contains(.drops(in: .save)) { return [.loseLink] }
    guard value == Array("SAVE".utf8) else { return confirmed + say("error:unknown command") }
    for case .errorOnSave(let text) in faults.all { return confirmed + say("error:" + text) }
    for case .refusesForStranger(let text, let address) in faults.all {
      elsewhere = written["minor"].map { (address, UInt16($0[0]) << 8 | UInt16($0[1])) }
      life = .restarting
      return say("error:" + text) + confirmed + [.setTimer(Self.restart, Self.restartAfter)]
    }
    if hasError { return confirmed + say("error:not ready to save") }
    guard written["minor"] != nil, written["room_name"] != nil else {
      return confirmed + say("error:incomplete")
    }
    if faults.contains(.savesOnlyWithSSID), written["wifi_ssid"] == nil {
      return confirmed + say("error:no ssid")
    }
    for case .saveNotKept(let answer, let wifiOnly) in faults.all {
      return keepEarlier(wifiOnly: wifiOnly, answer, confirmed, request)
    }
    if faults.contains(.restartsBeforeConfirming(saved: false)) {
      life = .restarting
      return [.restart(takes: conditions.radio.restart.lowerBound)]
    }
    save()
    life = .restarting
    if faults.contains(.restartsBeforeConfirming(saved: true)) {
      return [.restart(takes: conditions.radio.restart.lowerBound)]
    }
    let statuses = faults.contains(.noSaved) ? [] : say("saved")
    return statuses + confirmed + [.setTimer(Self.restart, Self.restartAfter)]
  }

  /// Leaves provisioning mode with what it held before.
  private mutating func keepEarlier(
    wifiOnly: Bool, _ answer: Fault.SaveAnswer, _ confirmed: [FirmwareEffect], _ request: RequestID?
  ) -> [FirmwareEffect] {
    if wifiOnly {
      flash.values.merge(written.filter { !$0.key.hasPrefix("wifi_") }) { _, new in new }
    }
    flash.isSaved = !flash.values.isEmpty
    elsewhere = nil
    life = .restarting
    let restart = FirmwareEffect.setTimer(Self.restart, Self.restartAfter)
    switch answer {
    case .error(let text): return say("error:" + text) + confirmed + [restart]
    case .attError(let code): return (request.map { [.refuse($0, code)] } ?? []) + [restart]
    case .silence: return [.restart(takes: conditions.radio.restart.lowerBound)]
    }
  }

  private mutating func save() {
    flash.values.merge(written) { _, new in new }
    flash.isSaved = true
    for case .returnsWithMinor(let minor) in faults.all {
      flash.values["minor"] = [UInt8(minor >> 8), UInt8(truncatingIfNeeded: minor)]
    }
    elsewhere = nil
    for case .returnsFrom(let address) in faults.all { elsewhere = (address, flash.minor ?? 0) }
  }

  private mutating func say(_ status: String) -> [FirmwareEffect] {
    self.status = status
    return [.notify(RoboSensorGATT.status, Array(status.utf8))]
  }
}
