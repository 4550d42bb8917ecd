import Bluetooth
import Model
import Simulation
import VirtualBuilding
import VirtualCentral

/// An IoT Design Shop beacon that only advertises its service: its other advertisements are lost.
private struct ShyBeaconFirmware: Firmware {
  private var inner: IoTDesignShopFirmware

  init(_ conditions: FirmwareConditions) { inner = IoTDesignShopFirmware(conditions: conditions) }

  var services: [ServiceDefinition] { inner.services }
  var flash: Flash { inner.flash }
  var advertisingInterval: Duration? { inner.advertisingInterval }
  var advertising: AdvertisingPayload? {
    AdvertisingPayload(isConnectable: true, serviceUUIDs: [IoTDesignShopGATT.service])
  }

  mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    inner.handle(event, at: instant, generator: &generator)
  }
}

/// An iBeacon of another make. It cannot be connected to.
private struct PlainBeaconFirmware: Firmware {
  let beacon: IBeacon
  let advertisingInterval: Duration?

  var services: [ServiceDefinition] { [] }
  var flash: Flash { Flash() }
  var advertising: AdvertisingPayload? {
    AdvertisingPayload(
      isConnectable: false, manufacturerData: [IBeacon.company: beacon.manufacturerData])
  }

  mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] { [] }
}

extension FirmwareFamily {
  /// The firmware of a room's device.
  static func of(_ room: Room) -> FirmwareFamily {
    guard let family = all[name: room.family.id.rawValue] else { preconditionFailure("no firmware") }
    return family
  }

  /// An IoT Design Shop beacon whose iBeacon is never received.
  static let shyBeacon = FirmwareFamily(name: "iot-design-shop", settings: iotDesignShop.settings) {
    ShyBeaconFirmware($0)
  }

  /// An iBeacon of another make.
  static func plainBeacon(
    uuid: BluetoothUUID = Sample.site, major: UInt16 = UInt16(Sample.major), minor: UInt16,
    every interval: Duration? = nil
  ) -> Self {
    FirmwareFamily(name: "beacon") { _ in
      PlainBeaconFirmware(
        beacon: IBeacon(uuid: uuid, major: major, minor: minor, measuredPower: -61),
        advertisingInterval: interval)
    }
  }
}

extension VirtualPremises {
  /// A person gives a beacon these settings with an app.
  func write(_ held: [String: String], to address: BluetoothAddress) async throws {
    let values = try FirmwareFamily.iotDesignShop.encode(held)
    let registers = [
      (IoTDesignShopGATT.beaconUUID, ["uuid"]), (IoTDesignShopGATT.beaconID, ["major", "minor"]),
      (IoTDesignShopGATT.transmission, ["power", "interval"]),
    ]
    for (characteristic, names) in registers {
      try await write(names.flatMap { values[$0] ?? [] }, to: characteristic, of: address)
    }
  }

  /// A person writes a register of a beacon.
  func write(
    _ bytes: [UInt8], to characteristic: BluetoothUUID, of address: BluetoothAddress
  ) async throws {
    let central = await central()
    let adapter = AdapterID(adapters[0].address)
    try await central.scan(on: adapter) { (advertisement) async throws(CentralError) in
      for try await one in advertisement where one.address == address { break }
    }
    let link = try await central.connect(to: address, on: adapter)
    let service = try await link.discover(IoTDesignShopGATT.service, requiring: [characteristic])
    guard let found = service[characteristic] else { throw CentralError(.attributeMissing(characteristic)) }
    try await link.write(bytes, to: found, .withResponse)
    await link.disconnect()
    try await central.forget(address, on: adapter)
  }
}
