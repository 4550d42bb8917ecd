import Bluetooth
import CentralConformance
import DBus
import EventLoop
import Testing
import VirtualBuilding

@testable import BlueZ

@Suite("A central whose bus is lost and comes back", .timeLimit(.minutes(60)))
struct ReconnectionScenarios {
  let ready = Adapter(id: Sample.adapter, name: "hci0", state: .ready)

  /// A central on a private bus, with a daemon that runs at first.
  private func with(
    _ body: @escaping @Sendable (LocalBus, ReconnectingCentral, FakeBlueZ) async throws -> Void
  ) async throws {
    try await Stage.withBus { bus in
      let central = try await ReconnectingCentral.open(bus: bus.busAddress, clock: SystemClock())
      do {
        try await Stage.with(bus) {
          await $0.addAdapter()
          await $0.addDevice(Sample.named)
        } _: {
          try await body(bus, central, $0)
        }
      } catch {
        await central.close()
        throw error
      }
      await central.close()
    }
  }

  private func code(of central: ReconnectingCentral) async -> CentralError.Code? {
    await failure { () async throws(CentralError) in try await central.adapters() }?.code
  }

  /// Lets other work go on, and time pass.
  private func soon() async throws { try await SystemClock().sleep(for: .milliseconds(10)) }

  /// Reads changes until one matches.
  private func wait(
    for wanted: [Adapter], in changes: inout AsyncStream<[Adapter]>.Iterator
  ) async -> Bool {
    while let adapters = await changes.next() { if adapters == wanted { return true } }
    return false
  }

  @Test("the list of adapters is empty without a bus, and complete when the bus is back")
  func busRestart() async throws {
    try await Stage.withBus { bus in
      let central = try await ReconnectingCentral.open(bus: bus.busAddress, clock: SystemClock())
      var changes = await central.adapterChanges().makeAsyncIterator()
      for _ in 0..<3 {
        try await Stage.with(bus) {
          await $0.addAdapter()
        } _: { _ in
          #expect(await wait(for: [ready], in: &changes))
          #expect(await code(of: central) == nil)
          #expect(await central.stackVersion() == "BlueZ 5.66")
          await bus.stop()
          #expect(await changes.next() == [])
          #expect(await code(of: central) == .busUnavailable)
          #expect(await central.stackVersion() == nil)
        }
        await bus.restart()
      }
      await central.close()
      #expect(await changes.next() == nil)
      #expect(await code(of: central) == .busUnavailable)
    }
  }

  @Test("an operation reconnects, even if no task reads the changes")
  func onDemand() async throws {
    try await with { bus, central, _ in
      #expect(await code(of: central) == nil)
      await bus.stop()
      // The report of the lost connection may still be in flight.
      while await code(of: central) != .busUnavailable { try await soon() }
      await bus.restart()
      try await Stage.with(bus) {
        await $0.addAdapter()
      } _: { _ in
        while await code(of: central) != nil { try await soon() }
      }
    }
  }

  @Test(
    "the connection to a bus that is not there is retried, with a back-off that doubles up to a limit",
    arguments: [
      (ReconnectingCentral.Policy.local, 3800, 5750), (.remote { 1 }, 50_000, 91_500),
    ] as [(ReconnectingCentral.Policy, Int, Int)])
  func pauses(policy: ReconnectingCentral.Policy, comesBack: Int, isConnected: Int) async throws {
    try await Stage.withBus { bus in
      let clock = SystemClock()
      let central = ReconnectingCentral(bus: bus.busAddress, policy, clock: clock)
      await bus.stop()
      let began = clock.now
      var isBack = false
      while await code(of: central) == .busUnavailable {
        if !isBack, began.duration(to: clock.now) >= .milliseconds(comesBack) {
          await bus.restart()
          isBack = true
        }
        try await soon()
      }
      #expect(began.duration(to: clock.now) == .milliseconds(isConnected))
      await central.close()
    }
  }

  @Test("the loss of the bus ends a link, a connection attempt, a scan and a write")
  func inFlight() async throws {
    try await with { bus, central, daemon in
      await daemon.reply(to: "Connect") { _ in
        await daemon.setDevice(["Connected": .bool(true)])
        return .success([])
      }
      await daemon.neverReply(to: "WriteValue")
      #expect(await code(of: central) == nil)
      let link = try await central.connect(to: Sample.address, on: Sample.adapter)
      await daemon.addService()
      await daemon.addCharacteristic(FakeBlueZ.status, Sample.status)
      await daemon.setDevice(["ServicesResolved": .bool(true)])
      let service = try await link.discover(Sample.service, requiring: [Sample.status])
      let status = try #require(service[Sample.status])
      let otherAddress = BluetoothAddress(rawValue: Sample.address.rawValue + 1)
      let other = ObjectTree.devicePath(otherAddress, under: FakeBlueZ.adapter)
      await daemon.neverReply(to: "Connect")
      let codes = await withTaskGroup(of: CentralError.Code?.self) { group in
        group.addTask {
          await failure { () async throws(CentralError) in
            try await central.scan(on: Sample.adapter) { stream throws(CentralError) in
              for try await _ in stream {}
            }
          }?.code
        }
        // An object from before the scan would be removed before it.
        await daemon.called("StartDiscovery")
        await daemon.add(
          other,
          [
            Name.Interface.device: [
              "Address": .string(otherAddress.description), "RSSI": .int16(-50), "Connected": .bool(false),
            ]
          ])
        group.addTask {
          var code: CentralError.Code? = .peripheralUnknown
          // Until the signal is there.
          while code == .peripheralUnknown {
            code = await failure { () async throws(CentralError) in
              try await central.connect(to: otherAddress, on: Sample.adapter)
            }?.code
          }
          return code
        }
        group.addTask {
          await failure { () async throws(CentralError) in
            try await link.write([1], to: status, .withResponse)
          }?.code
        }
        await daemon.called("Connect", times: 2)
        await daemon.called("WriteValue")
        await bus.stop()
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(codes.count { $0 == .busUnavailable } == 2, "\(codes)")
      #expect(codes.contains(.disconnected), "\(codes)")
      #expect(await link.disconnection()?.cause == .stackLost)
    }
  }

  @Test("a cancelled task does not wait for the bus")
  func cancelled() async throws {
    try await with { bus, central, _ in
      var changes = await central.adapterChanges().makeAsyncIterator()
      #expect(await wait(for: [ready], in: &changes))
      await bus.stop()
      #expect(await changes.next() == [])
      let stream = await central.adapterChanges()
      await withTaskGroup(of: [[Adapter]].self) { group in
        group.addTask { await stream.reduce(into: []) { $0.append($1) } }
        try? await SystemClock().sleep(for: .milliseconds(100))
        group.cancelAll()
        #expect(await group.next() == [[]])
      }
    }
  }

  @Test("a lost bus proves nothing about other programs")
  func lostProof() async throws {
    try await with { bus, central, daemon in
      _ = try await central.adapters()
      await daemon.setAdapter(["Discovering": .bool(true)])
      try await SystemClock().sleep(for: ForeignScans.least * 2)
      #expect(await central.scanningClients(on: Sample.adapter) == nil)
      await bus.stop()
      #expect(await central.scanningClients(on: Sample.adapter) == [])
    }
  }

  @Test("a bus that never answers is an error that says so, at the time limit")
  func silentBus() async throws {
    let bus = BusAddress.bridge(BusBridge(title: "ssh pi@gw3", words: ["sh", "-c", "exec cat >/dev/null"]))
    let policy = ReconnectingCentral.Policy(pauses: .seconds(1)...(.seconds(30)), limit: .milliseconds(20))
    let central = ReconnectingCentral(bus: bus, of: HostName("floor-3"), policy, clock: SystemClock())
    let error = await failure { () async throws(CentralError) in try await central.adapters() }
    #expect(
      error?.code == .busUnavailable && error?.stackText == "no answer within 0.02 seconds", "\(error as Any)"
    )
    await central.close()
  }

  @Test("opening without a bus fails at once")
  func noBus() async {
    let error = await failure { () async throws(CentralError) in
      try await ReconnectingCentral.open(
        bus: .address("unix:path=/nonexistent/roboprov"), clock: SystemClock())
    }
    #expect(error?.code == .busUnavailable)
  }

  @Test("the central works with the next bus, and removes old objects before it scans")
  func building() async throws {
    let adapter = ConformanceScenario.adapter
    try await ServedBuilding.serveInVirtualTime(ConformanceScenario.scenario, needsBus: false) { building in
      let clock = building.clock
      let central = try await ReconnectingCentral.open(bus: building.daemon.busAddress, clock: clock)
      let subject = ConformanceSubject(central: central, world: building.world, clock: clock)
      let link = try await subject.connectToHealthy()
      try await building.restartBus()
      #expect(await link.disconnection()?.cause == .stackLost)
      for await adapters in await central.adapterChanges() where adapters.first?.state == .ready { break }
      // BlueZ has stored the object, and no client is left that would remove it.
      #expect(await building.world.storedPeripherals(on: adapter.address) == [link.address])
      try await central.scan(on: adapter) { (advertisement) async throws(CentralError) in
        for try await received in advertisement where received.address == link.address { return }
      }
      #expect(await building.world.storedPeripherals(on: adapter.address) == [])
      let again = try await subject.connectToHealthy()
      await again.disconnect()
      await central.close()
    }
  }
}
