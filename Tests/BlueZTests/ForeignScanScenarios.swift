import Bluetooth
import CentralConformance
import DBus
import EventLoop
import Foundation
import Testing
import VirtualBuilding

@testable import BlueZ

@Suite("Scans of another client", .timeLimit(.minutes(60)))
struct ForeignScanScenarios {
  private func adapter(isScannedByOthers: Bool) -> Adapter {
    Adapter(id: Sample.adapter, name: "hci0", state: .ready, isScannedByOthers: isScannedByOthers)
  }

  /// Behaves like BlueZ: the adapter is discovering while a client has requested it.
  private func discover(_ stage: Stage) async {
    await stage.daemon.reply(to: "StartDiscovery") { [daemon = stage.daemon] _ in
      await daemon.setAdapter(["Discovering": .bool(true)])
      return .success([])
    }
  }

  @Test("an adapter reports another client's scan while it lasts")
  func otherClient() async throws {
    try await Stage.with { stage in
      var changes = await stage.central.adapterChanges().makeAsyncIterator()
      #expect(await changes.next() == [adapter(isScannedByOthers: false)])
      for _ in 0..<2 {
        await stage.daemon.setAdapter(["Discovering": .bool(true)])
        #expect(await changes.next() == [adapter(isScannedByOthers: true)])
        let listed = try await stage.central.adapters()
        #expect(listed == [adapter(isScannedByOthers: true)])
        await stage.daemon.setAdapter(["Discovering": .bool(false)])
        #expect(await changes.next() == [adapter(isScannedByOthers: false)])
      }
    }
  }

  /// Seen in 3 of 5 runs with 120 sensors: bluetoothd reported the end of this client's discovery much later, or
  /// not at all.
  @Test(
    "without a report of any device there is no sign of another client, however late BlueZ reports the end")
  func lateEnd() async throws {
    try await Stage.with { stage in
      await discover(stage)
      await stage.daemon.addDevice(["RSSI": .int16(-50)])
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
        await stage.daemon.setDevice(["RSSI": .int16(-51)])
        try? await stage.seen()
      }
      await stage.daemon.setDevice([:], invalidated: ["RSSI"])
      try await stage.central.clock.sleep(for: ForeignScans.echo)
      #expect(await stage.central.scanningClients(on: Sample.adapter) == [])
      await stage.daemon.setDevice(["RSSI": .int16(-52)])
      try await stage.seen()
      #expect(await stage.central.scanningClients(on: Sample.adapter) == nil, "this bus does not tell")
    }
  }

  @Test("a scan that began before this client connected is reported")
  func before() async throws {
    try await Stage.with {
      await $0.addAdapter(["Discovering": .bool(true)])
    } _: { stage in
      var changes = await stage.central.adapterChanges().makeAsyncIterator()
      #expect(await changes.next() == [adapter(isScannedByOthers: false)])
      #expect(await changes.next() == [adapter(isScannedByOthers: true)])
    }
  }

  /// Seen in the radio lab: nothing was known at the first connection, which had its usual limit, ran out of time and
  /// was charged to its sensor.
  @Test("a scan that began before is known when this client's first scan begins")
  func beforeFirstScan() async throws {
    try await Stage.with {
      await $0.addAdapter(["Discovering": .bool(true)])
    } _: { stage in
      for _ in 0..<2 {
        let began = stage.central.clock.now
        try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
          let adapters = try await stage.central.adapters()
          #expect(adapters == [adapter(isScannedByOthers: true)])
        }
        #expect(began.duration(to: stage.central.clock.now) < ForeignScans.least * 2)
      }
    }
  }

  @Test("a scan that ends just before this client's first one delays it no longer than it lasts")
  func endsBeforeFirstScan() async throws {
    try await Stage.with {
      await $0.addAdapter(["Discovering": .bool(true)])
    } _: { stage in
      async let ended: Void = {
        try await stage.central.clock.sleep(for: .milliseconds(10))
        await stage.daemon.setAdapter(["Discovering": .bool(false)])
      }()
      let began = stage.central.clock.now
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
        #expect(began.duration(to: stage.central.clock.now) < ForeignScans.least / 2)
        let adapters = try await stage.central.adapters()
        #expect(adapters == [adapter(isScannedByOthers: false)])
      }
      try await ended
    }
  }

  @Test("no other client is reported during this client's scan, nor while BlueZ is late to report its end")
  func ownScan() async throws {
    try await Stage.with { stage in
      await discover(stage)
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
        try? await stage.central.clock.sleep(for: ForeignScans.echo)
        let adapters = try await stage.central.adapters()
        #expect(adapters == [adapter(isScannedByOthers: false)])
      }
      // BlueZ still discovers long after the stop.
      for _ in 0..<4 {
        let late = try await stage.central.adapters()
        #expect(late == [adapter(isScannedByOthers: false)])
        try await stage.central.clock.sleep(for: ForeignScans.echo / 5)
      }
      await stage.daemon.setAdapter(["Discovering": .bool(false)])
      try await stage.seen()
      try await stage.central.clock.sleep(for: ForeignScans.echo)
      let after = try await stage.central.adapters()
      #expect(after == [adapter(isScannedByOthers: false)])
    }
  }

  @Test("another client's scan is reported after this client's own, and remembered during the next")
  func afterOwnScan() async throws {
    try await Stage.with { stage in
      await discover(stage)
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
      var changes = await stage.central.adapterChanges().makeAsyncIterator()
      while let adapters = await changes.next() {
        if adapters == [adapter(isScannedByOthers: true)] { break }
      }
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
        let adapters = try await stage.central.adapters()
        #expect(adapters == [adapter(isScannedByOthers: true)])
      }
    }
  }

  /// Seen on a gateway whose ssh was killed: the discovery of the lost connection went on there.
  @Test(
    "a discovery that a gateway had when this client connected is no sign of another client, until it has ended"
  )
  func inherited() async throws {
    let host = try #require(HostName("floor-3"))
    let adapter = AdapterID(Sample.adapter.address, on: host)
    try await Stage.with({ await $0.addAdapter(["Discovering": .bool(true)]) }, on: host) { stage in
      await stage.daemon.addDevice(["RSSI": .int16(-50)])
      try await stage.central.clock.sleep(for: ForeignScans.echo)
      await stage.daemon.setDevice(["RSSI": .int16(-51)])
      try await stage.seen()
      #expect(await stage.central.scanningClients(on: adapter) == [])
      await stage.daemon.setAdapter(["Discovering": .bool(false)])
      await stage.daemon.setAdapter(["Discovering": .bool(true)])
      try await stage.central.clock.sleep(for: ForeignScans.echo)
      #expect(await stage.central.scanningClients(on: adapter) == nil, "this bus does not tell")
    }
  }

  @Test("no other client is reported if BlueZ refuses to stop this client's scan")
  func refusedStop() async throws {
    try await Stage.with { stage in
      await discover(stage)
      await stage.daemon.refuse(
        "StopDiscovery", "org.bluez.Error.InProgress", "Operation already in progress")
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
      try await stage.central.clock.sleep(for: ForeignScans.echo)
      let adapters = try await stage.central.adapters()
      #expect(adapters == [adapter(isScannedByOthers: false)])
    }
  }

  @Test("the other client is named if the bus reports match rules: bluetoothctl")
  func bluetoothctl() async throws {
    let clock = SystemClock()
    try await ServedBuilding.serve(ConformanceScenario.scenario, on: clock) { building in
      let central = try await BlueZCentral.open(bus: .address(building.busAddress), clock: clock)
      #expect(await central.scanningClients(on: ConformanceScenario.adapter) == [])
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/bluetoothctl")
      process.environment = ["DBUS_SYSTEM_BUS_ADDRESS": building.busAddress, "HOME": "/nonexistent"]
      let input = Pipe()
      process.standardInput = input
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      defer { process.terminate() }
      try input.fileHandleForWriting.write(contentsOf: Data("scan on\n".utf8))
      for await adapters in await central.adapterChanges() {
        if adapters.contains(where: \.isScannedByOthers) { break }
      }
      let clients = await central.scanningClients(on: ConformanceScenario.adapter)
      #expect(clients == ["bluetoothctl (pid \(process.processIdentifier))"])
      let subject = ConformanceSubject(central: central, world: building.world, clock: clock)
      try await subject.expectBusy()
      await central.close()
    }
  }
}

extension ConformanceSubject {
  /// The adapter with which another client scans is not switched off.
  fileprivate func expectBusy() async throws {
    let scanned = try await central.adapters().first { $0.isScannedByOthers }
    let adapter = try #require(scanned?.id)
    let error = await failure { () async throws(CentralError) in try await central.powerCycle(adapter) }
    #expect(error?.code == .busy)
  }
}
