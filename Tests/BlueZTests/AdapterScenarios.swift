import BlueZ
import Bluetooth
import DBus
import EventLoop
import Testing

@Suite("BlueZ's adapters", .timeLimit(.minutes(60)))
struct AdapterScenarios {
  let ready = Adapter(id: Sample.adapter, name: "hci0", state: .ready)

  @Test("the adapters and the stack's version are available at once")
  func atOnce() async throws {
    try await Stage.with { stage in
      let adapters = try await stage.central.adapters()
      #expect(adapters == [ready])
      #expect(await stage.central.stackVersion() == "BlueZ 5.66")
    }
  }

  @Test("a missing bus gives busUnavailable")
  func noBus() async {
    let address = BusAddress.address("unix:path=/nonexistent/roboprov")
    let error = await failure { () async throws(CentralError) in
      try await BlueZCentral.open(bus: address, clock: SystemClock())
    }
    #expect(error?.code == .busUnavailable)
    #expect(error?.stackText?.isEmpty == false)
  }

  @Test("a daemon can start later, stop and start again")
  func daemonRestart() async throws {
    try await Stage.withBus { bus in
      let central = try await BlueZCentral.open(bus: bus.busAddress, clock: SystemClock())
      #expect(
        await failure { () async throws(CentralError) in try await central.adapters() }?.code
          == .stackUnavailable)
      #expect(await central.stackVersion() == nil)
      var changes = await central.adapterChanges().makeAsyncIterator()
      #expect(await changes.next() == [])
      for _ in 0..<2 {
        try await Stage.with(bus) {
          await $0.addAdapter()
        } _: { _ in
          #expect(await central.stackVersion() == "BlueZ 5.66")
          #expect(await changes.next() == [ready])
        }
        #expect(await changes.next() == [])
        #expect(
          await failure { () async throws(CentralError) in try await central.adapters() }?.code
            == .stackUnavailable)
        let links = await failure { () async throws(CentralError) in
          try await central.connectedPeripherals(on: Sample.adapter)
        }
        #expect(links?.code == .stackUnavailable)
      }
      await central.close()
      #expect(await changes.next() == nil)
    }
  }

  @Test("a reader that is cancelled before the daemon answers gets no list")
  func cancelledReader() async throws {
    try await Stage.withBus { bus in
      try await Stage.with(bus) {
        await $0.addAdapter()
        await $0.neverReply(to: "GetManagedObjects")
      } _: { daemon in
        let central = try await BlueZCentral.open(bus: bus.busAddress, clock: SystemClock())
        let list: [Adapter]? = await withTaskGroup(of: [Adapter]?.self) { group in
          group.addTask { await central.adapterChanges().first { _ in true } }
          await daemon.called("GetManagedObjects", times: 2)
          group.cancelAll()
          return await group.next() ?? nil
        }
        #expect(list == nil)
        await central.close()
      }
    }
  }

  @Test("a daemon that denies access gives permissionDenied")
  func denied() async throws {
    try await Stage.withBus { bus in
      try await Stage.with(bus) {
        await $0.refuse(
          "GetManagedObjects", "org.freedesktop.DBus.Error.AccessDenied", "Rejected send message")
      } _: { _ in
        let error = await failure { () async throws(CentralError) in
          try await BlueZCentral.open(bus: bus.busAddress, clock: SystemClock())
        }
        #expect(
          error
            == CentralError(
              .permissionDenied, stackText: "org.freedesktop.DBus.Error.AccessDenied: Rejected send message"))
      }
    }
  }

  @Test("adapterChanges ends with the bus")
  func busEnds() async throws {
    try await Stage.with { stage in
      let peripheral = try await stage.receivedAndConnected()
      var changes = await stage.central.adapterChanges().makeAsyncIterator()
      #expect(await changes.next() == [ready])
      await stage.bus.stop()
      #expect(await changes.next() == nil)
      #expect(await peripheral.disconnection()?.cause == .stackLost)
      #expect(
        await failure { () async throws(CentralError) in try await stage.central.adapters() }?.code
          == .busUnavailable)
    }
  }
}

extension Stage {
  fileprivate func receivedAndConnected() async throws -> any Peripheral {
    await daemon.addDevice(Sample.named)
    try await seen()
    return try await connect()
  }
}
