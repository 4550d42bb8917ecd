package import Bluetooth
import Model

extension FirmwareFamily {
  package static let roboSensor = FirmwareFamily(
    name: "robo-sensor",
    settings: [
      .text("wifi_ssid", RoboSensorGATT.ssid, bytes: 1...32),
      .text("wifi_password", RoboSensorGATT.password, bytes: 0...64),
      .text("room_name", RoboSensorGATT.roomName, bytes: 1...64),
      .number("minor", RoboSensorGATT.minor, .bigEndian, isAlwaysHeld: true),
    ],
    dropStages: [.connect, .discover, .subscribe, .write, .confirm, .save],
    faults: [
      .init("without_wifi_scan", .withoutWiFiScan),
      .init("no_ready", .noReady),
      .init("refuses_subscription", .refusesSubscription),
      .init("stale_error", keys: ["text"]) { (order, _) throws(ScenarioProblem) in
        .staleError(try order.required("text", order.text))
      },
      .init("lasting_error", keys: ["text"]) { (order, _) throws(ScenarioProblem) in
        .lastingError(try order.required("text", order.text))
      },
      .init("error_after_first_write", keys: ["text"]) { (order, _) throws(ScenarioProblem) in
        .errorAfterFirstWrite(try order.required("text", order.text))
      },
      .init("error_on_save", keys: ["text"]) { (order, _) throws(ScenarioProblem) in
        .errorOnSave(try order.required("text", order.text))
      },
      .init("saves_only_with_ssid", .savesOnlyWithSSID),
      .init("no_saved", .noSaved),
      .init("restarts_before_confirming", keys: ["saved"]) { (order, _) throws(ScenarioProblem) in
        .restartsBeforeConfirming(saved: try order.flag("saved") ?? true)
      },
      .init("save_not_kept", keys: ["text", "att_error", "wifi_only"]) { (order, _) throws(ScenarioProblem) in
        .saveNotKept(try order.saveAnswer(), wifiOnly: try order.flag("wifi_only") ?? false)
      },
      .init("returns_with_minor", keys: ["minor"]) { (order, _) throws(ScenarioProblem) in
        .returnsWithMinor(try order.minor())
      },
      .init("never_returns", .neverReturns),
      .init("returns_from", keys: ["address"]) { (order, _) throws(ScenarioProblem) in
        .returnsFrom(try order.address())
      },
      .init("refuses_for_stranger", keys: ["text", "address"]) { (order, _) throws(ScenarioProblem) in
        .refusesForStranger(try order.required("text", order.text), try order.address())
      },
    ], hasBuiltInBeacon: true,
    oracle: FirmwareOracle(
      .provisioningMode(save: RoboSensorGATT.command), proofs: [.freshBeacon, .freshBeaconUnacknowledged],
      identity: { $0.isSaved ? $0.values["minor"] : nil },
      isCommand: { write, room in
        switch write.characteristic {
        case RoboSensorGATT.command: write.value == Array("SAVE".utf8)
        // A request for the network list changes nothing, and is only for rooms that want it.
        case RoboSensorGATT.wifiScan: room.checksWiFi && write.value == Array("SCAN".utf8)
        default: false
        }
      }),
    draw: FirmwareDraw(
      number: "minor",
      faults: { secret in
        [
          .drops(in: .subscribe), .drops(in: .write(2)), .drops(in: .confirm(2)), .drops(in: .save),
          .rejectsWrite(to: RoboSensorGATT.minor, code: 0x80), .noReady, .refusesSubscription,
          .staleError("left over"), .errorAfterFirstWrite("flash busy"), .errorOnSave("flash worn out"),
          .errorOnSave("cannot join with \(secret)"),
          .savesOnlyWithSSID, .noSaved, .restartsBeforeConfirming(saved: true),
          .restartsBeforeConfirming(saved: false), .returnsWithMinor(7777), .neverReturns, .withoutWiFiScan,
        ]
      },
      more: { number, room, sensor, faultiness, origin in
        drawMove(number, &room, &sensor, faultiness, origin)
        drawNotKept(number, &sensor, faultiness, origin)
      }
    ) { number, site, chance in
      var settings: [SettingName: SettingValue] = [
        .roomName: .text("Room \(number)"), .minor: .integer(number),
      ]
      if site.hasWiFi {
        let index = Int.random(in: 0...1, using: &chance)
        settings[.wifiSSID] = .text(site.ssids[index])
        settings[.wifiPassword] = .secret(Secret(site.passwords[index]))
      }
      return settings
    }
  ) { RoboSensorFirmware(conditions: $0) }

  /// A sensor that changes its address after `SAVE`, whether or not the manifest permits it.
  private static func drawMove(
    _ number: Int, _ room: inout Room, _ sensor: inout SensorScenario, _ faultiness: Double,
    _ origin: SeededGenerator
  ) {
    var chance = origin.split("move/\(number)")
    if chance.chance(0.15) { room.proofAddress = .any }
    guard chance.chance(faultiness / 4) else { return }
    let other = BluetoothAddress(rawValue: sensor.address.rawValue + 0x10_0000)
    let fault = chance.chance(0.5) ? Fault.returnsFrom(other) : .refusesForStranger("not now", other)
    sensor.faults = [ScheduledFault(fault, attempts: chance.chance(0.5) ? 1 : nil)]
  }

  /// A sensor that leaves provisioning mode with the settings, or the WiFi alone, that it held before.
  private static func drawNotKept(
    _ number: Int, _ sensor: inout SensorScenario, _ faultiness: Double, _ origin: SeededGenerator
  ) {
    var chance = origin.split("not_kept/\(number)")
    guard chance.chance(faultiness / 3) else { return }
    let answers: [Fault.SaveAnswer] = [.error("flash write failed"), .attError(0x80), .silence]
    let answer = answers.randomElement(using: &chance) ?? .silence
    let fault = Fault.saveNotKept(answer, wifiOnly: chance.chance(0.4))
    sensor.faults = [
      ScheduledFault(fault, attempts: chance.chance(0.4) ? Int.random(in: 1...3, using: &chance) : nil)
    ]
  }
}

extension FaultOrder {
  /// The value of `minor`.
  fileprivate func minor() throws(ScenarioProblem) -> UInt16 {
    UInt16(
      try required("minor") { key throws(ScenarioProblem) in try integer(key, in: 0...Int(UInt16.max)) })
  }

  /// The answer to `SAVE`: an error message, an ATT error, or the loss of the link.
  fileprivate func saveAnswer() throws(ScenarioProblem) -> Fault.SaveAnswer {
    if let text = try text("text") { return .error(text) }
    return try integer("att_error", in: 1...255).map { .attError(UInt8($0)) } ?? .silence
  }

  /// The value of `address`.
  fileprivate func address() throws(ScenarioProblem) -> BluetoothAddress {
    let text = try required("address", text)
    guard let address = BluetoothAddress(text) else {
      throw ScenarioProblem("address", .value, "\(text) is no address")
    }
    return address
  }
}

extension Flash {
  package var ssid: String? { text("wifi_ssid") }
  /// A Robo Sensor's WiFi password.
  package var password: String? { text("wifi_password") }
  package var roomName: String? { text("room_name") }
}

extension SensorScenario {
  /// A Robo Sensor; by default it is present from the start, new and without faults.
  package init(
    address: BluetoothAddress, signal: SignalStrength = .init(base: -60), place: Place? = nil,
    appearsAfter: Duration = .zero, holds: [String: String] = [:], beacon: BuiltInBeacon? = nil,
    faults: [ScheduledFault] = []
  ) {
    self.init(
      address: address, family: .roboSensor, signal: signal, place: place, appearsAfter: appearsAfter,
      holds: holds, beacon: beacon, faults: faults)
  }
}
