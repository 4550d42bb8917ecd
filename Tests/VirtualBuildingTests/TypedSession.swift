import Bluetooth
import VirtualBuilding

/// The GATT session of a Robo Sensor without the engine's checks, for tests of the virtual sensor.
struct TypedSession {
  var peripheral: any Peripheral
  var service: RemoteService
  var statuses: AsyncStream<CharacteristicNotification>
  /// The status that was read after the subscription.
  var statusRead: String

  /// Resolves the service, subscribes to the status and reads it.
  init(_ peripheral: any Peripheral) async throws(CentralError) {
    self.peripheral = peripheral
    service = try await peripheral.roboSensor()
    let status = try service.require(RoboSensorGATT.status)
    statuses = try await peripheral.notifications(of: status)
    statusRead = String(decoding: try await peripheral.read(status), as: UTF8.self)
  }

  func write(_ ssid: String?, _ password: String?, _ room: String, _ minor: UInt16) async throws(CentralError)
  {
    if let ssid { try await write(Array(ssid.utf8), RoboSensorGATT.ssid) }
    if let password { try await write(Array(password.utf8), RoboSensorGATT.password) }
    try await write(Array(room.utf8), RoboSensorGATT.roomName)
    try await write([UInt8(minor >> 8), UInt8(truncatingIfNeeded: minor)], RoboSensorGATT.minor)
  }

  func write(_ value: [UInt8], _ uuid: BluetoothUUID) async throws(CentralError) {
    try await peripheral.write(value, to: try service.require(uuid), .withResponse)
  }

  /// Writes `SAVE` and returns every status until the end of the link.
  func save() async throws(CentralError) -> [String] {
    try await write(Array("SAVE".utf8), RoboSensorGATT.command)
    return await remainingStatuses()
  }

  /// Returns every status from now on until the end of the link.
  func remainingStatuses() async -> [String] {
    var all: [String] = []
    for await status in statuses { all.append(String(decoding: status.value, as: UTF8.self)) }
    return all
  }
}
