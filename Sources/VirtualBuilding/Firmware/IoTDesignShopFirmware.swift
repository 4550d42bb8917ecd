package import Bluetooth
import Model

/// The IoT Design Shop beacon's firmware (docs/internals/protocols.md): an iBeacon that can be configured at any time.
/// It does not check values: each write is stored as it is and confirmed.
///
/// The advertisement changes when the link ends [assumed; see `takesEffect`].
package struct IoTDesignShopFirmware: Firmware {
  /// Raw values as they were written, of any length.
  private struct Values: Hashable {
    var uuid: [UInt8]
    var identity: [UInt8]
    var transmission: [UInt8]

    static let factory = Values(
      uuid: IoTDesignShopGATT.service.bytes, identity: [0, 0, 0, 0],
      transmission: bytes(2) + bytes(IoTDesignShopGATT.factoryInterval))

    // If the value is too short or too long, the existing bytes count.
    var major: [UInt8] { Array(identity.prefix(2)) }
    var minor: [UInt8] { Array(identity.dropFirst(2)) }
    var power: [UInt8] { Array(transmission.prefix(2)) }
    var interval: [UInt8] { Array(transmission.dropFirst(2)) }

    static func bytes(_ number: UInt16) -> [UInt8] {
      [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
    }

    static func number(_ bytes: [UInt8]) -> UInt16 {
      bytes.prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
    }
  }

  private let conditions: FirmwareConditions
  private var stored: Values
  private var isWritten: Bool
  /// The values that the radio uses; nil if it hangs.
  private var onAir: Values?
  private var faults = FaultsInForce()

  /// Creates a beacon in factory state, or one that was configured before.
  package init(conditions: FirmwareConditions = .init()) {
    self.conditions = conditions
    let (held, new) = (conditions.held, Values.factory)
    stored = Values(
      uuid: held["uuid"] ?? new.uuid,
      identity: (held["major"] ?? new.major) + (held["minor"] ?? new.minor),
      transmission: (held["power"] ?? new.power) + (held["interval"] ?? new.interval))
    isWritten = !held.isEmpty
  }

  /// The stored values, including factory values.
  package var flash: Flash {
    Flash(
      values: [
        "uuid": stored.uuid, "major": stored.major, "minor": stored.minor, "power": stored.power,
        "interval": stored.interval,
      ], isSaved: isWritten, byteOrder: .littleEndian)
  }

  /// The iBeacon and the service, because it can always be connected to.
  package var advertising: AdvertisingPayload? {
    onAir.map {
      AdvertisingPayload(
        isConnectable: true, serviceUUIDs: [IoTDesignShopGATT.service],
        manufacturerData: [IBeacon.company: Self.beacon($0)])
    }
  }

  /// The interval that last took effect.
  package var advertisingInterval: Duration? {
    .microseconds(625) * Int(Values.number((onAir ?? .factory).interval))
  }

  package var services: [ServiceDefinition] {
    [
      .init(
        IoTDesignShopGATT.service,
        [
          .init(IoTDesignShopGATT.beaconUUID, [.read, .write]),
          .init(IoTDesignShopGATT.beaconID, [.read, .write]),
          .init(IoTDesignShopGATT.transmission, [.read, .write]),
        ])
    ]
  }

  /// Encodes the iBeacon, which uses the other byte order. With values of the correct length the result is
  /// valid.
  private static func beacon(_ values: Values) -> [UInt8] {
    [0x02, 0x15] + values.uuid + values.major.reversed() + values.minor.reversed()
      + [UInt8(bitPattern: IoTDesignShopGATT.measuredPower(Values.number(values.power)))]
  }

  package mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .started:
      takesEffect()
    case .connected(let faults):
      self.faults = FaultsInForce(faults)
    case .disconnected:
      if !faults.contains(.own(.oldBeacon)) { takesEffect() }
    case .read(let request, let characteristic):
      return [
        value(of: characteristic).map { .answer(request, $0) } ?? .refuse(request, ATTCode.readNotPermitted)
      ]
    case .write(let request, let characteristic, let value):
      return write(value, to: characteristic, request)
    case .subscribe(let request, _, _):
      return [.refuse(request, ATTCode.requestNotSupported)]
    case .timer:
      break
    case .button:
      // Factory reset.
      stored = .factory
      isWritten = false
      return [.restart(takes: conditions.radio.restart.lowerBound)]
    }
    return []
  }

  /// Applies the stored values. An interval that is too short hangs the radio until it is reset.
  private mutating func takesEffect() {
    onAir = Values.number(stored.interval) < IoTDesignShopGATT.shortestInterval ? nil : stored
  }

  private func value(of characteristic: BluetoothUUID) -> [UInt8]? {
    switch characteristic {
    case IoTDesignShopGATT.beaconUUID: stored.uuid
    case IoTDesignShopGATT.beaconID: stored.identity
    case IoTDesignShopGATT.transmission: stored.transmission
    default: nil
    }
  }

  private mutating func write(
    _ value: [UInt8], to characteristic: BluetoothUUID, _ request: RequestID?
  ) -> [FirmwareEffect] {
    guard let request else { return [] }
    if let code = faults.rejection(of: characteristic) { return [.refuse(request, code)] }
    let fate = faults.nextSetting().fate
    if fate == .lost { return [.loseLink] }
    if !faults.contains(.own(.keepsOld(characteristic))) {
      let isCorrupted = faults.contains(.own(.storesWrong(characteristic)))
      store(isCorrupted ? value.dropLast() + value.suffix(1).map { $0 ^ 1 } : value, characteristic)
    }
    return fate == .takenAndLost ? [.loseLink] : [.answer(request, [])]
  }

  private mutating func store(_ value: [UInt8], _ characteristic: BluetoothUUID) {
    isWritten = true
    switch characteristic {
    case IoTDesignShopGATT.beaconUUID: stored.uuid = value
    case IoTDesignShopGATT.beaconID: stored.identity = value
    default: stored.transmission = value
    }
  }
}

/// The IoT Design Shop beacon's names and numbers, defined independently of the engine's profile.
package enum IoTDesignShopGATT {
  /// Configuration service [S]; from the factory also the beacon's UUID.
  package static let service: BluetoothUUID = "2173E519-9155-4862-AB64-7953AB146156"
  /// Beacon UUID: read, write, 16 bytes as written.
  package static let beaconUUID: BluetoothUUID = "2173E519-9155-4862-AB64-7953AB146157"
  /// Beacon ID: read, write, major and minor, each uint16, little-endian [A].
  package static let beaconID: BluetoothUUID = "2173E519-9155-4862-AB64-7953AB146158"
  /// Transmit settings: read, write, power and interval, each uint16, little-endian [A].
  package static let transmission: BluetoothUUID = "2173E519-9155-4862-AB64-7953AB146159"

  /// The interval from the factory in units of 0.625 ms: 1 s [assumed, as are power 2, major 0 and minor 0].
  package static let factoryInterval: UInt16 = 1600
  /// Below this interval the radio can hang [S]; in units of 0.625 ms.
  package static let shortestInterval: UInt16 = 160

  /// The measured power at 1 m for a transmit power, in dBm [assumed: −59 at 0 dBm, otherwise lower by the
  /// same difference]. An undefined power counts as the highest one.
  static func measuredPower(_ power: UInt16) -> Int8 {
    switch power {
    case 0: -59 - 23
    case 1: -59 - 6
    default: -59
    }
  }
}

extension FamilyFault {
  /// The beacon confirms writes to this characteristic and does not store them.
  package static func keepsOld(_ characteristic: BluetoothUUID) -> Self { Self("keeps_old", characteristic) }
  /// The beacon stores a value of this characteristic with the lowest bit of the last byte inverted.
  package static func storesWrong(_ characteristic: BluetoothUUID) -> Self {
    Self("stores_wrong", characteristic)
  }
  /// The beacon stores all values and returns them on reads, but still advertises the old ones.
  package static let oldBeacon = Self("old_beacon")
}

extension FirmwareFamily {
  package static let iotDesignShop = FirmwareFamily(
    name: "iot-design-shop",
    settings: [
      .init("uuid", IoTDesignShopGATT.beaconUUID, "a UUID") { text in
        text.utf8.count == 36 ? BluetoothUUID(text)?.bytes : nil
      },
      .number("major", IoTDesignShopGATT.beaconID, .littleEndian),
      .number("minor", IoTDesignShopGATT.beaconID, .littleEndian),
      .init("power", IoTDesignShopGATT.transmission, "low, medium or high") { text in
        ["low": [0, 0], "medium": [1, 0], "high": [2, 0]][text]
      },
      .init("interval", IoTDesignShopGATT.transmission, "a time from 100ms to 40s") { text in
        guard let milliseconds = Self.milliseconds(text), (100...40_000).contains(milliseconds) else {
          return nil
        }
        let units = milliseconds * 1000 / 625
        return [UInt8(units & 0xFF), UInt8(units >> 8)]
      },
    ],
    faults: [
      .init("keeps_old", ofSetting: { .keepsOld($0) }),
      .init("stores_wrong", ofSetting: { .storesWrong($0) }),
      .init("old_beacon", .own(.oldBeacon)),
    ],
    oracle: FirmwareOracle(
      .rewritable, proofs: [.freshBeacon],
      identity: { flash in
        guard let uuid = flash.values["uuid"], uuid != IoTDesignShopGATT.service.bytes else { return nil }
        return uuid + (flash.values["major"] ?? []) + (flash.values["minor"] ?? [])
      })
  ) { IoTDesignShopFirmware(conditions: $0) }

  /// Parses `500ms` or `10s`.
  private static func milliseconds(_ text: String) -> Int? {
    if text.hasSuffix("ms") { return Int(text.dropLast(2), in: 0...1_000_000) }
    return text.hasSuffix("s") ? Int(text.dropLast(), in: 0...1000).map { $0 * 1000 } : nil
  }
}
