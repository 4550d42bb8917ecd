import Bluetooth
import VirtualBuilding

private typealias Here = ConformanceScenario

extension ConformanceCheck {
  static let attributeChecks = [
    ConformanceCheck("discovers a service with all required characteristics") { subject in
      // One link in three has late characteristics.
      for _ in 0..<4 {
        let peripheral = try await subject.connect()
        let service = try await subject.service(of: peripheral)
        try subject.expect(service.uuid == RoboSensorGATT.service, "found \(service.uuid)")
        for uuid in required { _ = try subject.characteristic(uuid, in: service) }
        await peripheral.disconnect()
      }
    },
    ConformanceCheck("lists all services, with all characteristics and their access") { subject in
      // One link in three has late characteristics.
      for _ in 0..<4 {
        let peripheral = try await subject.connect()
        let services = try await subject.within("all services") { try await peripheral.allServices() }
        // A stack may list its own services, such as Generic Attribute.
        guard let service = services.first(where: { $0.uuid == RoboSensorGATT.service }) else {
          throw ConformanceFailure(description: "found only \(services.map(\.uuid))")
        }
        try subject.expect(
          Set(service.characteristics.map(\.uuid)) == Set(required + [RoboSensorGATT.wifiScan]),
          "found \(service.characteristics.map(\.uuid))")
        let status = try subject.characteristic(RoboSensorGATT.status, in: service)
        try subject.expect(status.access == [.read, .notify], "access \(status.access.rawValue)")
        let minor = try subject.characteristic(RoboSensorGATT.minor, in: service)
        try subject.expect(minor.access == .write, "access \(minor.access.rawValue)")
        let value = try await subject.within("a read") { try await peripheral.read(status) }
        try subject.expect(value == Array("ready".utf8) || value.isEmpty, "read \(value)")
        await peripheral.disconnect()
      }
    },
    ConformanceCheck("names the missing service or characteristic") { subject in
      let peripheral = try await subject.connect()
      let unknown: BluetoothUUID = "2173E519-9155-4862-AB64-7953AB146156"
      try await subject.expectFailure(.attributeMissing(unknown)) {
        try await peripheral.discover(unknown, requiring: [])
      }
      try await subject.expectFailure(.attributeMissing(unknown)) {
        try await peripheral.discover(RoboSensorGATT.service, requiring: [RoboSensorGATT.minor, unknown])
      }
      _ = try await subject.service(of: peripheral)
    },
    ConformanceCheck("reads a value of the peripheral, and writes one with its confirmation") { subject in
      let peripheral = try await subject.connect()
      let service = try await subject.service(of: peripheral)
      let status = try subject.characteristic(RoboSensorGATT.status, in: service)
      let value = try await subject.within("a read") { try await peripheral.read(status) }
      try subject.expect(value == Array("ready".utf8), "read \(value)")
      try await subject.write([0xAB, 0xCD], to: RoboSensorGATT.minor, of: peripheral, in: service)
      let written = await subject.world.writes(to: Here.healthy)
      try subject.expect(
        written == [WrittenValue(characteristic: RoboSensorGATT.minor, value: [0xAB, 0xCD])],
        "the sensor received \(written)")
    },
    ConformanceCheck("passes on the peripheral's ATT errors by number") { subject in
      let peripheral = try await subject.connect(Here.rejectsMinor)
      let service = try await subject.service(of: peripheral)
      try await subject.expectFailure(.att(0x80)) {
        try await subject.write([0, 1], to: RoboSensorGATT.minor, of: peripheral, in: service)
      }
      try await subject.expectFailure(.att(0x0D)) {
        try await subject.write([], to: RoboSensorGATT.ssid, of: peripheral, in: service)
      }
      // The link stays up after a refusal.
      try await subject.write([0x41], to: RoboSensorGATT.ssid, of: peripheral, in: service)
    },
    ConformanceCheck("passes on the refusal of a value that is longer than a packet") { subject in
      let peripheral = try await subject.connect()
      let service = try await subject.service(of: peripheral)
      let long = [UInt8](repeating: 0x41, count: 300)
      try await subject.expectFailure(.att(0x0D)) {
        try await subject.write(long, to: RoboSensorGATT.roomName, of: peripheral, in: service)
      }
      // It was sent in several parts and received as one value.
      let written = await subject.world.writes(to: Here.healthy)
      try subject.expect(written.map(\.value) == [long], "the sensor received \(written)")
    },
    ConformanceCheck("reports a refused subscription") { subject in
      let peripheral = try await subject.connect(Here.refusesSubscription)
      let service = try await subject.service(of: peripheral)
      let status = try subject.characteristic(RoboSensorGATT.status, in: service)
      try await subject.expectFailure(.notPermitted) { _ = try await peripheral.notifications(of: status) }
      _ = try await subject.within("a read") { try await peripheral.read(status) }
    },
    ConformanceCheck("delivers notifications with their instants until the link ends") { subject in
      let peripheral = try await subject.connect()
      let service = try await subject.service(of: peripheral)
      let status = try subject.characteristic(RoboSensorGATT.status, in: service)
      let statuses = try await subject.within("a subscription") {
        try await peripheral.notifications(of: status)
      }
      let before = subject.clock.now
      try await subject.provision(peripheral, service)
      let all = try await subject.within("the end of the stream") {
        await statuses.reduce(into: []) { $0.append($1) }
      }
      try subject.expect(all.last?.value == Array("saved".utf8), "notified: \(all)")
      try subject.expect(
        all.last.map { before < $0.receivedAt && $0.receivedAt <= subject.clock.now } ?? false, "at \(all)")
    },
    ConformanceCheck("reads the description of a characteristic, and knows when there is none") { subject in
      // One link in three has late characteristics.
      for _ in 0..<4 {
        let peripheral = try await subject.connect(Here.described)
        let (memory, silent) = try await subject.memory(of: peripheral)
        let text = try await subject.within("the description") {
          try await peripheral.readDescriptor(.userDescription, of: memory)
        }
        try subject.expect(text == Array(DescribedFirmware.description.utf8), "read \(text)")
        try await subject.expectFailure(.attributeMissing(.userDescription)) {
          try await peripheral.readDescriptor(.userDescription, of: silent)
        }
        await peripheral.disconnect()
      }
    },
    ConformanceCheck("writes and reads values of up to 512 bytes") { subject in
      let peripheral = try await subject.connect(Here.described)
      let (memory, _) = try await subject.memory(of: peripheral)
      for length in [1, 22, 253, 406, 512] {
        let value = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) }
        try await subject.within("the confirmation of \(length) bytes") {
          try await peripheral.write(value, to: memory, .withResponse)
        }
        let held = try await subject.within("a read") { try await peripheral.read(memory) }
        try subject.expect(held == value, "read \(held.count) bytes instead of \(length)")
      }
    },
    ConformanceCheck("ends a write with cancelled when its task is cancelled") { subject in
      let peripheral = try await subject.connect()
      let service = try await subject.service(of: peripheral)
      let room = try subject.characteristic(RoboSensorGATT.roomName, in: service)
      let result = try await subject.cancelling(after: .zero) {
        try? await subject.clock.sleep(for: .seconds(1))
        try await peripheral.write([0x41], to: room, .withResponse)
      }
      guard case .failure(let error as CentralError) = result, error.code == .cancelled else {
        throw ConformanceFailure(description: "expected cancelled, but got \(result)")
      }
    },
  ]
}
