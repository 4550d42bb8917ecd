import Bluetooth
import VirtualBuilding

private typealias Here = ConformanceScenario

extension ConformanceCheck {
  static let endingChecks = [
    ConformanceCheck("ends a link on request, and reports the end as local") { subject in
      let peripheral = try await subject.connect()
      try await subject.within("the disconnect") { await peripheral.disconnect() }
      try await subject.expectEnd(of: peripheral, .local)
      let links = await subject.world.openLinkCount(on: nil)
      try subject.expect(links == 0, "\(links) links")
      // A second call has no effect.
      try await subject.within("a second disconnect") { await peripheral.disconnect() }
    },
    ConformanceCheck("lists the connected peripherals of an adapter with their services") { subject in
      let none = try await subject.central.connectedPeripherals(on: Here.adapter)
      try subject.expect(none.isEmpty, "\(none) before the first connection")
      let peripheral = try await subject.connect()
      _ = try await subject.service(of: peripheral)
      let one = try await subject.central.connectedPeripherals(on: Here.adapter)
      try subject.expect(one.map(\.address) == [Here.healthy], "\(one)")
      try subject.expect(one.first?.serviceUUIDs.contains(RoboSensorGATT.service) == true, "\(one)")
      try await subject.within("the disconnect") { await peripheral.disconnect() }
      let after = try await subject.central.connectedPeripherals(on: Here.adapter)
      try subject.expect(after.isEmpty, "\(after) after the disconnect")
    },
    ConformanceCheck("ends a link even in a cancelled task") { subject in
      let peripheral = try await subject.connect()
      _ = try await subject.cancelling(after: .zero) {
        try? await subject.clock.sleep(for: .seconds(1))
        await peripheral.disconnect()
      }
      try await subject.expectEnd(of: peripheral, .local)
      try await subject.eventually("the end of all links") { await subject.world.openLinkCount(on: nil) == 0 }
    },
    ConformanceCheck("reports a disconnect by the peripheral each time it is asked") { subject in
      let peripheral = try await subject.connect()
      let service = try await subject.service(of: peripheral)
      try await subject.provision(peripheral, service)
      try await subject.expectEnd(of: peripheral, .remote)
      try await subject.expectEnd(of: peripheral, .remote)
    },
    ConformanceCheck("stops waiting for a link's end when the waiting task is cancelled") { subject in
      let peripheral = try await subject.connect()
      let result = try await subject.cancelling(after: .seconds(1)) { await peripheral.disconnection() }
      try subject.expect(try result.get() == nil, "got \(result)")
      let links = await subject.world.openLinkCount(on: nil)
      try subject.expect(links == 1, "\(links) links")
    },
    ConformanceCheck("ends service discovery when the link is lost") { subject in
      let peripheral = try await subject.connect(Here.dropsInDiscovery)
      try await subject.expectFailure(.disconnected) {
        try await peripheral.discover(RoboSensorGATT.service, requiring: required)
      }
      try await subject.expectEnd(of: peripheral, .remote)
    },
    ConformanceCheck("ends every operation with disconnected once the link is gone") { subject in
      let peripheral = try await subject.connect()
      let service = try await subject.service(of: peripheral)
      let status = try subject.characteristic(RoboSensorGATT.status, in: service)
      await subject.world.dropLink(to: Here.healthy)
      // In flight when the peripheral stops responding.
      try await subject.expectFailure(.disconnected) { try await peripheral.read(status) }
      try await subject.expectEnd(of: peripheral, .remote)
      try await subject.expectFailure(.disconnected) { try await peripheral.read(status) }
      try await subject.expectFailure(.disconnected) {
        try await peripheral.write([1], to: status, .withResponse)
      }
      try await subject.expectFailure(.disconnected) { _ = try await peripheral.notifications(of: status) }
      try await subject.expectFailure(.disconnected) {
        try await peripheral.discover(RoboSensorGATT.service, requiring: [])
      }
    },
    ConformanceCheck("ends a link when the adapter goes off, and reports that as the cause") { subject in
      let peripheral = try await subject.connect()
      let service = try await subject.service(of: peripheral)
      let status = try subject.characteristic(RoboSensorGATT.status, in: service)
      await subject.world.setPowered(false, Here.adapter.address)
      try await subject.expectEnd(of: peripheral, .adapterLost)
      try await subject.expectFailure(.disconnected) { try await peripheral.read(status) }
    },
    ConformanceCheck("ends a link when the adapter is unplugged, and works again when it is back") {
      subject in
      let peripheral = try await subject.connect()
      await subject.world.setPresent(false, Here.adapter.address, name: nil)
      try await subject.expectEnd(of: peripheral, .adapterLost)
      await subject.world.setPresent(true, Here.adapter.address, name: nil)
      // The adapter may appear before it is powered.
      try await subject.eventually("the adapter to be back") {
        let back = try await subject.central.adapters().first
        return back?.id == Here.adapter && back?.state == .ready
      }
      let again = try await subject.connect()
      try subject.expect(again.address == Here.healthy, "connected to \(again.address)")
    },
  ]
}

extension ConformanceSubject {
  fileprivate func expectEnd(of peripheral: any Peripheral, _ cause: Disconnection.Cause) async throws {
    let end = try await within("the end of the link") { await peripheral.disconnection() }
    try expect(end?.cause == cause, "expected an end by \(cause), but got \(String(describing: end))")
    try expect(end.map { $0.at <= clock.now } ?? false, "the end is in the future")
  }
}
