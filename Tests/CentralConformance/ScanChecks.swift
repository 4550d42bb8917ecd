import Bluetooth
import VirtualBuilding

private typealias Here = ConformanceScenario

extension ConformanceCheck {
  /// Without what only later versions of BlueZ report: the controller.
  private static func identity(_ adapter: Adapter) -> Adapter {
    var adapter = adapter
    adapter.hardware = nil
    return adapter
  }

  static let adapterChecks = [
    ConformanceCheck("lists the adapters with their identity and state") { subject in
      await subject.world.setPowered(false, Here.otherAdapter.address)
      try await subject.eventually("hci1 to be off") {
        try await subject.central.adapters().map(Self.identity) == [
          Adapter(id: Here.adapter, name: "hci0", state: .ready),
          Adapter(id: Here.otherAdapter, name: "hci1", state: .poweredOff),
        ]
      }
    },
    ConformanceCheck("reports the adapters at once, and again after each change") { subject in
      try await subject.within("the changes") {
        var changes = await subject.central.adapterChanges().makeAsyncIterator()
        let first = await changes.next()
        try subject.expect(
          first?.map(\.id) == [Here.adapter, Here.otherAdapter], "starts with \(String(describing: first))")
        await subject.world.setPresent(false, Here.adapter.address, name: nil)
        while let adapters = await changes.next(), adapters.map(\.id) != [Here.otherAdapter] {}
        await subject.world.setPresent(true, Here.adapter.address, name: "hci2")
        while let adapters = await changes.next() {
          let first = adapters.first.map(Self.identity)
          if first == Adapter(id: Here.adapter, name: "hci2", state: .ready) { return }
        }
        throw ConformanceFailure(description: "the stream of changes ended")
      }
    },
  ]

  static let scanChecks = [
    ConformanceCheck("reports an advertisement with its adapter, name, RSSI and instant") { subject in
      let before = subject.clock.now
      let advertisement = try await subject.receive(Here.healthy)
      try subject.expect(advertisement.adapter == Here.adapter, "received on \(advertisement.adapter)")
      try subject.expect(
        advertisement.localName == "Robo Sensor", "its name is \(advertisement.localName ?? "nil")")
      try subject.expect(
        advertisement.rssi.map { (-70 ... -50).contains($0) } ?? false,
        "RSSI \(String(describing: advertisement.rssi))")
      try subject.expect(
        advertisement.iBeacon == nil, "is an iBeacon: \(String(describing: advertisement.iBeacon))")
      try subject.expect(
        before.advanced(by: .zero - subject.lateness) <= advertisement.receivedAt
          && advertisement.receivedAt <= subject.clock.now,
        "at \(advertisement.receivedAt)")
    },
    ConformanceCheck("keeps reporting a peripheral whose signal strength hardly changes") { subject in
      // If the controller reports each device once per scan, the second report comes with the kernel's next
      // scan.
      try await subject.within("two reports of one peripheral") {
        try await subject.central.scan(on: Here.adapter) { (advertisement) async throws(CentralError) in
          var count = 0
          for try await received in advertisement where received.address == Here.healthy {
            count += 1
            if count == 2 { return }
          }
        }
      }
    },
    ConformanceCheck("receives every device of the first scan in later scans, with its name") { subject in
      let first = try await subject.named(for: .seconds(4))
      try subject.expect(first.contains(Here.healthy), "received \(first)")
      for _ in 0..<2 {
        let again = try await subject.named(for: .seconds(4))
        try subject.expect(again.isSuperset(of: first), "received \(first), then \(again)")
      }
    },
    ConformanceCheck("runs discovery exactly while the body runs") { subject in
      try await subject.receive(Here.healthy)
      try await subject.expectIsDiscovering(false)
    },
    ConformanceCheck("stops discovery when the body throws, and throws the same error") { subject in
      try await subject.expectFailure(.timedOut) {
        try await subject.central.scan(on: Here.adapter) { (_) async throws(CentralError) in
          throw CentralError(.timedOut)
        }
      }
      try await subject.expectIsDiscovering(false)
    },
    ConformanceCheck("stops discovery when the task is cancelled") { subject in
      _ = try await subject.cancelling(after: .seconds(1)) {
        try await subject.central.scan(on: Here.adapter) { (advertisement) async throws(CentralError) in
          for try await _ in advertisement {}
        }
      }
      try await subject.expectIsDiscovering(false)
    },
    ConformanceCheck("continues a scan when another scan on the same adapter ends") { subject in
      try await subject.within("both scans") {
        try await subject.central.scan(on: Here.adapter) { (outer) async throws(CentralError) in
          try await subject.central.scan(on: Here.adapter) { (inner) async throws(CentralError) in
            for try await _ in inner { return }
          }
          let innerEnd = subject.clock.now
          for try await received in outer where received.receivedAt > innerEnd { return }
          throw CentralError(.other, stackText: "the outer scan's stream ended")
        }
      }
    },
    ConformanceCheck("refuses to scan on an adapter that is absent or off, with the reason") { subject in
      try await subject.expectFailure(.adapterUnavailable(.absent)) {
        try await subject.central.scan(on: Here.noAdapter) { (_) async throws(CentralError) in }
      }
      await subject.world.setPowered(false, Here.adapter.address)
      try await subject.eventually("hci0 to be off") {
        try await subject.central.adapters().first?.state == .poweredOff
      }
      try await subject.expectFailure(.adapterUnavailable(.poweredOff)) {
        try await subject.central.scan(on: Here.adapter) { (_) async throws(CentralError) in }
      }
    },
    ConformanceCheck("ends the stream with the reason when the adapter goes off") { subject in
      try await subject.expectFailure(.adapterUnavailable(.poweredOff)) {
        try await subject.central.scan(on: Here.adapter) { (advertisement) async throws(CentralError) in
          var isOn = true
          for try await _ in advertisement where isOn {
            await subject.world.setPowered(false, Here.adapter.address)
            isOn = false
          }
          throw CentralError(.other, stackText: "the stream ended without an error")
        }
      }
    },
    ConformanceCheck("reports a provisioned sensor's new advertisement without its old name") { subject in
      let peripheral = try await subject.connect()
      try await subject.provision(peripheral, try await subject.service(of: peripheral))
      let advertisement = try await subject.receive(Here.healthy) { $0.iBeacon != nil }
      try subject.expect(
        advertisement.iBeacon?.minor == 0x0102, "minor \(String(describing: advertisement.iBeacon))")
      try subject.expect(
        advertisement.localName == nil, "its name is still \(advertisement.localName ?? "")")
    },
  ]
}

extension ConformanceSubject {
  /// The peripherals that are received with their name in a scan of a given length.
  fileprivate func named(for duration: Duration) async throws -> Set<BluetoothAddress> {
    try await within("a scan") {
      try await central.scan(on: Here.adapter) { (advertisement) async throws(CentralError) in
        await withTaskGroup(of: Set<BluetoothAddress>?.self) { group in
          group.addTask {
            var named: Set<BluetoothAddress> = []
            var reports = advertisement.makeAsyncIterator()
            while let report = try? await reports.next() {
              if report.localName != nil { named.insert(report.address) }
            }
            return named
          }
          group.addTask {
            try? await clock.sleep(for: duration)
            return nil
          }
          var named: Set<BluetoothAddress> = []
          for await result in group {
            if let result { named = result }
            group.cancelAll()
          }
          return named
        }
      }
    }
  }

  fileprivate func expectIsDiscovering(_ expected: Bool) async throws {
    let found = await world.isDiscovering(Here.adapter.address)
    try expect(found == expected, "discovering: \(found)")
  }
}
