import Bluetooth
import Model
import Simulation

@testable import VirtualBuilding

/// The lamp's firmware, with names and encodings of its own.
struct LampFirmware: Firmware {
  private(set) var flash: Flash
  /// What was written since the connection began.
  private var memory: [String: [UInt8]] = [:]
  private var faults = FaultsInForce()
  private var isConnected = false

  private static let work = FirmwareTimer("work")
  private static let leave = FirmwareTimer("leave")

  init(_ conditions: FirmwareConditions) {
    flash = Flash(values: conditions.held, isSaved: !conditions.held.isEmpty)
  }

  var advertising: AdvertisingPayload? {
    guard flash.isSaved else {
      return AdvertisingPayload(isConnectable: true, manufacturerData: [0x0B0B: [0x4C, 0, 0xFF]])
    }
    let identity = (flash.values["zone"] ?? [0]) + (flash.values["lamp"] ?? [0, 0])
    return AdvertisingPayload(isConnectable: false, manufacturerData: [0x0B0B: [0x4C, 1] + identity])
  }

  var services: [ServiceDefinition] {
    [
      .init(
        Self.uuid(1),
        [
          .init(Self.uuid(2), .write), .init(Self.uuid(3), .write), .init(Self.uuid(4), .write),
          .init(Self.uuid(5), .write), .init(Self.uuid(6), .notify), .init(Self.uuid(7), .notify),
        ])
    ]
  }

  static func uuid(_ number: Int) -> BluetoothUUID {
    guard let uuid = BluetoothUUID("1A3B0000-7C44-4C61-6D70-00000000000\(number)") else {
      preconditionFailure("no UUID")
    }
    return uuid
  }

  mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .connected(let faults):
      (self.faults, memory, isConnected) = (FaultsInForce(faults), [:], true)
    case .disconnected:
      isConnected = false
    case .subscribe(let request, _, _): return [.answer(request, [])]
    case .read(let request, _): return [.refuse(request, ATTCode.readNotPermitted)]
    case .write(let request?, let characteristic, let value): return write(value, characteristic, request)
    case .timer(Self.work) where isConnected:
      flash = Flash(values: memory, isSaved: true)
      return [
        .notify(Self.uuid(7), [100]), .notify(Self.uuid(6), [2]), .setTimer(Self.leave, .milliseconds(200)),
      ]
    case .timer(Self.leave) where isConnected: return [.disconnect]
    case .button:
      flash = Flash()
      return [.restart(takes: .seconds(1))]
    case .started, .timer, .write: break
    }
    return []
  }

  private mutating func write(
    _ value: [UInt8], _ characteristic: BluetoothUUID, _ request: RequestID
  ) -> [FirmwareEffect] {
    if let code = faults.rejection(of: characteristic) { return [.refuse(request, code)] }
    if characteristic == Self.uuid(5) {
      if faults.contains(.own(.refuses)) { return [.answer(request, []), .notify(Self.uuid(6), [3])] }
      return [.answer(request, []), .notify(Self.uuid(6), [1]), .setTimer(Self.work, .milliseconds(300))]
    }
    let fate = faults.nextSetting().fate
    if fate == .lost { return [.loseLink] }
    switch characteristic {
    case Self.uuid(2): (memory["lamp"], memory["zone"]) = (Array(value.prefix(2)), Array(value.dropFirst(2)))
    case Self.uuid(3): memory["wifi_ssid"] = value
    default: (memory["level"], memory["wifi_password"]) = (Array(value.prefix(1)), Array(value.dropFirst()))
    }
    return fate == .takenAndLost ? [.loseLink] : [.answer(request, [])]
  }
}

extension FamilyFault {
  /// The lamp refuses to apply what it got.
  static let refuses = Self("refuses")
}

extension FirmwareFamily {
  static let lamp = FirmwareFamily(
    name: "lamp",
    settings: [
      .number("lamp", LampFirmware.uuid(2), .littleEndian, isAlwaysHeld: true),
      .init("zone", LampFirmware.uuid(2), "a whole number from 0 to 99") { UInt8($0).map { [$0] } },
      .text("wifi_ssid", LampFirmware.uuid(3), bytes: 1...32),
      .init("level", LampFirmware.uuid(4), "a whole number from 0 to 255") { UInt8($0).map { [$0] } },
      .text("wifi_password", LampFirmware.uuid(4), bytes: 0...64),
    ],
    faults: [.init("refuses", .own(.refuses))],
    oracle: FirmwareOracle(
      .provisioningMode(save: LampFirmware.uuid(5)),
      proofs: [.deviceStatus, .freshBeacon, .freshBeaconUnacknowledged],
      identity: { $0.isSaved ? ($0.values["zone"] ?? []) + ($0.values["lamp"] ?? []) : nil },
      isCommand: { write, _ in write.characteristic == LampFirmware.uuid(5) && write.value == [1] })
  ) { LampFirmware($0) }
}

extension FirmwareDraw {
  static let lamp = FirmwareDraw(number: "lamp", faults: { _ in [.own(.refuses), .drops(in: .write(2))] }) {
    number, site, _ in
    [
      "lamp": .integer(number), "zone": .integer(site.major % 100), "level": .integer(128),
      .wifiSSID: .text(site.ssids[0]), .wifiPassword: .secret(Secret(site.passwords[0])),
    ]
  }
}
