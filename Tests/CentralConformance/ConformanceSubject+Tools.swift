import Bluetooth
import VirtualBuilding

extension ConformanceSubject {
  typealias Here = ConformanceScenario

  /// The time limit of an operation. Only an operation that hangs takes longer.
  static let timeout = Duration.seconds(900)

  func expect(_ isTrue: Bool, _ message: @autoclosure () -> String) throws {
    guard isTrue else { throw ConformanceFailure(description: message()) }
  }

  /// Expects `work` to fail with one of these codes.
  func expectFailure<Value: Sendable>(
    _ codes: CentralError.Code...,
    of work: @escaping @Sendable () async throws -> Value
  ) async throws {
    let thrown: CentralError?
    do {
      _ = try await within("a failure with \(codes)", work)
      thrown = nil
    } catch let error as CentralError {
      thrown = error
    }
    guard let thrown else { throw ConformanceFailure(description: "expected \(codes), but it succeeded") }
    try expect(codes.contains(thrown.code), "expected \(codes), but it failed with \(thrown)")
  }

  /// The result of `work`, with a time limit.
  @discardableResult
  func within<Value: Sendable>(
    _ what: String, limit: Duration = timeout, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let done = try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try? await clock.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    guard let done else { throw ConformanceFailure(description: "\(what) did not come within \(limit)") }
    return done
  }

  /// Starts `work`, cancels it after a while, and returns its result.
  func cancelling<Value: Sendable>(
    after delay: Duration, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Result<Value, any Error> {
    try await within("the end of the cancelled work") {
      await withTaskGroup(of: Result<Value, any Error>?.self) { group in
        group.addTask {
          do { return .success(try await work()) } catch { return .failure(error) }
        }
        try? await clock.sleep(for: delay)
        group.cancelAll()
        guard let result = await group.next() ?? nil else { preconditionFailure("the group has one task") }
        return result
      }
    }
  }

  /// Waits until a condition is true.
  func eventually(_ what: String, _ isSo: @escaping @Sendable () async throws -> Bool) async throws {
    try await within(what) {
      while try await !isSo() { try await clock.sleep(for: .milliseconds(20)) }
    }
  }

  /// Scans until a sensor is received.
  @discardableResult
  func receive(
    _ address: BluetoothAddress, on adapter: AdapterID = Here.adapter,
    where matches: @escaping @Sendable (Advertisement) -> Bool = { _ in true }
  ) async throws -> Advertisement {
    let advertisement: Advertisement? = try await within("an advertisement of \(address)") {
      try await central.scan(on: adapter) { (advertisement) async throws(CentralError) -> Advertisement? in
        for try await received in advertisement where received.address == address && matches(received) {
          return received
        }
        return nil
      }
    }
    guard let advertisement else {
      throw ConformanceFailure(description: "the scan ended without an advertisement of \(address)")
    }
    return advertisement
  }

  /// Receives a sensor and connects to it.
  func connect(_ address: BluetoothAddress = Here.healthy) async throws -> any Peripheral {
    try await receive(address)
    return try await within("a link to \(address)") {
      try await central.connect(to: address, on: Here.adapter)
    }
  }

  /// The provisioning service with the characteristics that every firmware has.
  func service(of peripheral: any Peripheral) async throws -> RemoteService {
    try await within("the provisioning service") {
      try await peripheral.discover(RoboSensorGATT.service, requiring: ConformanceCheck.required)
    }
  }

  /// The two characteristics of the sensor with a description: the one that has it, and the one without.
  func memory(
    of peripheral: any Peripheral
  ) async throws -> (described: RemoteCharacteristic, other: RemoteCharacteristic) {
    let service = try await within("the service") {
      try await peripheral.discover(
        DescribedFirmware.service, requiring: [DescribedFirmware.memory, DescribedFirmware.other])
    }
    return (
      try characteristic(DescribedFirmware.memory, in: service),
      try characteristic(DescribedFirmware.other, in: service)
    )
  }

  func characteristic(_ uuid: BluetoothUUID, in service: RemoteService) throws -> RemoteCharacteristic {
    guard let found = service[uuid] else {
      throw ConformanceFailure(description: "the service has no \(uuid)")
    }
    return found
  }

  func write(
    _ value: [UInt8], to uuid: BluetoothUUID, of peripheral: any Peripheral, in service: RemoteService
  ) async throws {
    let characteristic = try characteristic(uuid, in: service)
    try await within("the confirmation of a write") {
      try await peripheral.write(value, to: characteristic, .withResponse)
    }
  }

  /// Writes a room's settings and `SAVE`.
  func provision(_ peripheral: any Peripheral, _ service: RemoteService) async throws {
    try await write(Array("Lobby".utf8), to: RoboSensorGATT.roomName, of: peripheral, in: service)
    try await write([0x01, 0x02], to: RoboSensorGATT.minor, of: peripheral, in: service)
    try await write(Array("SAVE".utf8), to: RoboSensorGATT.command, of: peripheral, in: service)
  }
}

extension ConformanceCheck {
  /// The characteristics that every firmware has.
  static let required = [
    RoboSensorGATT.ssid, RoboSensorGATT.password, RoboSensorGATT.roomName, RoboSensorGATT.minor,
    RoboSensorGATT.command, RoboSensorGATT.status,
  ]
}
