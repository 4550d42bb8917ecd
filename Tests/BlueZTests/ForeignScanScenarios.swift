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

  private static func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(sinceZero: .seconds(seconds))
  }

  @Test("a scan is another client's after 1 s, or 5 s after the end of this client's own")
  func times() {
    let path = FakeBlueZ.adapter
    var scans = ForeignScans()
    scans.note(path, isDiscovering: true, isOurs: false, at: Self.at(0))
    #expect(scans.settles(path, after: Self.at(0)) == Self.at(1))
    #expect(!scans.isScanning(path, at: Self.at(0.999)) && scans.isScanning(path, at: Self.at(1)))
    scans.note(path, isDiscovering: false, isOurs: false, at: Self.at(1))
    scans.stopped(path, wasCarriedOut: true, at: Self.at(2))
    scans.note(path, isDiscovering: true, isOurs: false, at: Self.at(3))
    #expect(scans.settles(path, after: Self.at(3)) == Self.at(7))
    #expect(!scans.isScanning(path, at: Self.at(6.999)) && scans.isScanning(path, at: Self.at(7)))
    // It was found, and so stays known during this client's next scan and after it.
    scans.note(path, isDiscovering: true, isOurs: true, at: Self.at(8))
    scans.reported(path)
    #expect(scans.isScanning(path, at: Self.at(8)) && !scans.hasSign(path))
    scans.stopped(path, wasCarriedOut: true, at: Self.at(9))
    scans.note(path, isDiscovering: true, isOurs: false, at: Self.at(9))
    #expect(scans.isScanning(path, at: Self.at(9)) && scans.settles(path, after: Self.at(9)) == nil)
    #expect(!scans.hasSign(path))
    scans.reported(path)
    #expect(scans.hasSign(path))
  }

  @Test("the end of a discovery, or of its adapter, ends all that was known of it", arguments: [true, false])
  func forgotten(isUnplugged: Bool) {
    let path = FakeBlueZ.adapter
    var scans = ForeignScans()
    scans.note(path, isDiscovering: true, isOurs: false, at: Self.at(0))
    scans.note(path, isDiscovering: true, isOurs: true, at: Self.at(3))
    #expect(scans.isScanning(path, at: Self.at(3)) && scans.hasSign(path))
    scans.inherit(path)
    scans.stopped(path, wasCarriedOut: false, at: Self.at(4))
    #expect(!scans.hasSign(path))
    if isUnplugged {
      scans.keep([])
    } else {
      scans.note(path, isDiscovering: false, isOurs: false, at: Self.at(4))
    }
    scans.note(path, isDiscovering: true, isOurs: false, at: Self.at(100))
    #expect(scans.hasSign(path) && scans.isFirst(path) == isUnplugged)
    #expect(!scans.isScanning(path, at: Self.at(100)) && scans.isScanning(path, at: Self.at(101)))
  }

  @Test("the scans of other clients on two adapters are reported one after the other")
  func twoAdapters() async throws {
    try await Stage.with { stage in
      let second: ObjectPath = "/org/bluez/hci1"
      await stage.daemon.add(
        second,
        [Name.Interface.adapter: ["Address": .string("00:AA:01:00:00:43"), "Powered": .bool(true)]])
      try await stage.seen()
      var changes = await stage.central.adapterChanges().makeAsyncIterator()
      #expect(await changes.next()?.map(\.isScannedByOthers) == [false, false])
      await stage.daemon.setAdapter(["Discovering": .bool(true)])
      try await stage.central.clock.sleep(for: ForeignScans.least / 2)
      await stage.daemon.change(second, Name.Interface.adapter, ["Discovering": .bool(true)])
      #expect(await changes.next()?.map(\.isScannedByOthers) == [true, false])
      #expect(await changes.next()?.map(\.isScannedByOthers) == [true, true])
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
      #expect(await stage.central.scanningClients(on: Sample.adapter) == nil, "this bus does not tell")
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
      for _ in 0..<2 {
        let began = stage.central.clock.now
        try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
          #expect(began.duration(to: stage.central.clock.now) < ForeignScans.least)
          try? await stage.central.clock.sleep(for: ForeignScans.echo)
          let adapters = try await stage.central.adapters()
          #expect(adapters == [adapter(isScannedByOthers: false)])
        }
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
