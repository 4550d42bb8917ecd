import Bluetooth
import DBus
import EventLoop
import Testing

@testable import BlueZ

@Suite("BlueZ on another host", .timeLimit(.minutes(60)))
struct RemoteCentralTests {
  static let host = HostName("floor-3")

  private func with(
    _ host: HostName?, _ body: @escaping @Sendable (Stage) async throws -> Void
  ) async throws {
    try await Stage.with({ await $0.addAdapter() }, on: host, body)
  }

  @Test("its adapters, and what they receive, have the host; an adapter of this computer is unknown there")
  func named() async throws {
    try await with(Self.host) { stage in
      let id = AdapterID(Sample.adapter.address, on: Self.host)
      #expect(try await stage.central.adapters() == [Adapter(id: id, name: "floor-3/hci0", state: .ready)])
      let received = try await stage.central.scan(on: id) { stream throws(CentralError) in
        await stage.daemon.addDevice(Sample.named)
        var advertisement = stream.makeAsyncIterator()
        return try await advertisement.next()
      }
      #expect(received?.adapter == id)
      let refused = await failure { () async throws(CentralError) in
        try await stage.central.connectedPeripherals(on: Sample.adapter)
      }
      #expect(refused?.code == .adapterUnavailable(.absent))
    }
  }

  /// How long before its arrival an advertisement counts as received.
  private func age(on host: HostName?, after time: Duration) async throws -> Duration? {
    let age = OneShotAge()
    try await with(host) { stage in
      let clock = SystemClock()
      let received = try await stage.central.scan(on: AdapterID(Sample.adapter.address, on: host)) {
        stream throws(CentralError) in
        try? await clock.sleep(for: time)
        await stage.daemon.addDevice(Sample.named)
        var advertisement = stream.makeAsyncIterator()
        return try await advertisement.next()
      }
      await age.set(received?.receivedAt.duration(to: clock.now))
    }
    return await age.value
  }

  @Test(
    "an advertisement is as old as the last answered question may be, at most 0.2 s",
    arguments: [1050, 1190, 7310])
  func recent(milliseconds: Int) async throws {
    let age = try #require(try await age(on: Self.host, after: .milliseconds(milliseconds)))
    #expect(age > .zero && age <= .milliseconds(210), "\(age)")
    #expect(try await self.age(on: nil, after: .milliseconds(milliseconds)) == .zero)
  }

  @Test("how long the network takes is known for another host only, and follows its delays")
  func roundTrip() async throws {
    try await with(nil) { #expect(await $0.central.roundTrip(to: nil) == nil) }
    try await with(Self.host) { stage in
      let time = try #require(await stage.central.roundTrip(to: Self.host))
      #expect(time < .seconds(60))
      #expect(await stage.central.roundTrip(to: Self.host) == time)
    }
    try await Stage.withBus { bus in
      let central = try await BlueZCentral.open(bus: bus.busAddress, of: Self.host, clock: SystemClock())
      #expect(await central.roundTrip(to: Self.host) == nil, "nobody answers")
      await central.close()
    }
    var network = RoundTrip()
    #expect(network.limit == nil)
    network.take(.milliseconds(100))
    #expect(network.limit == .milliseconds(300))
    network.take(.milliseconds(200))
    // 112.5 ms + 4 × 62.5 ms
    #expect(network.limit.map { $0 > .microseconds(362_400) && $0 < .microseconds(362_600) } == true)
    for _ in 0..<50 { network.take(.milliseconds(100)) }
    #expect(network.limit.map { $0 < .milliseconds(101) } == true)
    for milliseconds in [50, 150, 50, 150, 50, 150] { network.take(.milliseconds(milliseconds)) }
    #expect(network.limit.map { $0 > .milliseconds(200) && $0 < .milliseconds(350) } == true)
    for _ in 0..<50 { network.take(.milliseconds(400)) }
    #expect(network.limit.map { $0 >= .milliseconds(400) && $0 < .milliseconds(410) } == true)
  }

  @Test("on a slow network a link may be known late")
  func slowLink() async throws {
    try await Stage.withBus(delay: .milliseconds(500)) { bus in
      try await Stage.with(bus) {
        await $0.addAdapter()
        await $0.addDevice(Sample.named)
      } _: { daemon in
        let clock = SystemClock()
        await daemon.reply(to: "Get") { _ in
          try? await clock.sleep(for: .seconds(2))
          return .success([.variant(.bool(true))])
        }
        let central = try await BlueZCentral.open(bus: bus.busAddress, of: Self.host, clock: clock)
        #expect(await central.roundTrip(to: Self.host) == .seconds(3))
        let link = try await central.connect(
          to: Sample.address, on: AdapterID(Sample.adapter.address, on: Self.host))
        #expect(link.address == Sample.address)
        await central.close()
      }
    }
  }

  @Test("what arrives while a question is not answered is as old as the last answered one")
  func delayed() async throws {
    try await with(Self.host) { stage in
      let clock = SystemClock()
      await stage.daemon.reply(to: "StartDiscovery") { _ in
        try? await clock.sleep(for: .seconds(3))
        await stage.daemon.addDevice(Sample.named)
        return .success([])
      }
      let before = clock.now
      let received = try await stage.central.scan(on: AdapterID(Sample.adapter.address, on: Self.host)) {
        stream throws(CentralError) in
        var advertisement = stream.makeAsyncIterator()
        return try await advertisement.next()
      }
      let advertisement = try #require(received)
      #expect(before.duration(to: clock.now) >= .seconds(3))
      #expect(before.duration(to: advertisement.receivedAt) < .seconds(1))
    }
  }
}

private actor OneShotAge {
  private(set) var value: Duration?
  func set(_ value: Duration?) { self.value = value }
}
