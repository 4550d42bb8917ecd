import Bluetooth
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
      .init("stale_error", text: { .staleError($0) }),
      .init("lasting_error", text: { .lastingError($0) }),
      .init("error_after_first_write", text: { .errorAfterFirstWrite($0) }),
      .init("error_on_save", text: { .errorOnSave($0) }),
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
      })
  ) { RoboSensorFirmware(conditions: $0) }
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
