import Bluetooth
import Foundation
import Families
import Model
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime

@testable import Session

/// The record of a GATT session, and what the session waits for.
@Suite("record of a GATT session") struct SessionRecordTests {
  private actor Connections {
    private(set) var instants: [MonotonicInstant] = []
    func add(_ instant: MonotonicInstant) { instants.append(instant) }
  }

  /// Notes the instant of a connection request.
  private struct Noting: WrappingCentral {
    let base: VirtualCentral
    let clock: VirtualClock
    let connections: Connections

    func connect(
      to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
      linked: @escaping @Sendable () -> Void
    ) async throws(CentralError) -> any Peripheral {
      await connections.add(clock.now)
      return try await base.connect(to: address, on: adapter, pairing: pairing, linked: linked)
    }
  }

  @Test("the binding is on disk before the connection")
  func binding() async throws {
    let connections = Connections()
    let run = try await rehearse(
      [[]], through: { Noting(base: $0, clock: $1, connections: connections) })
    let bound = run.onDisk { if case .bindingCommitted = $0 { true } else { false } }
    let connected = await connections.instants
    try #require(bound.count == 1 && connected.count == 1)
    #expect(bound[0] <= connected[0])
  }

  @Test("a feed keeps the newest values of a device that notifies without end, and the marks stay valid")
  func feed() async {
    let feed = StatusFeed()
    let (stream, source) = AsyncStream.makeStream(of: CharacteristicNotification.self)
    feed.follow(stream, of: RoboSensor.Attribute.status)
    feed.followNoMore()
    let number = 3 * 1024
    for index in 1...number {
      source.yield(
        CharacteristicNotification(value: Array("\(index)".utf8), receivedAt: .init(sinceZero: .zero)))
    }
    source.finish()
    await feed.pump()
    #expect(feed.count == number)
    func first(since mark: Int) -> String? {
      feed.existing(since: mark, of: RoboSensor.Attribute.status) { _ in true }.map {
        String(decoding: $0.value, as: UTF8.self)
      }
    }
    #expect(first(since: 0) == "\(number - 1024 + 1)")
    #expect(first(since: number - 1) == "\(number)" && first(since: number) == nil)
    let oldest = await feed.next(since: 0, of: RoboSensor.Attribute.status)
    #expect(oldest?.mark == number - 1024 + 1, "dropped values count")
  }

  @Test("the marks of a feed count the values of all its characteristics")
  func severalCharacteristics() async {
    let feed = StatusFeed()
    let (stream, source) = AsyncStream.makeStream(of: CharacteristicNotification.self)
    let (other, otherSource) = AsyncStream.makeStream(of: CharacteristicNotification.self)
    feed.follow(other, of: Improv.Attribute.state)
    for number in 1...3 {
      otherSource.yield(
        CharacteristicNotification(value: [UInt8(number)], receivedAt: .init(sinceZero: .zero)))
    }
    otherSource.finish()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await feed.pump() }
      while feed.count < 3 { await Task.yield() }
      feed.follow(stream, of: RoboSensor.Attribute.status)
      source.yield(CharacteristicNotification(value: [9], receivedAt: .init(sinceZero: .zero)))
      let found = await feed.next(since: 0, of: RoboSensor.Attribute.status)
      #expect(found?.value.value == [9] && found?.mark == 4)
      source.finish()
      group.cancelAll()
    }
  }

  @Test("the record has a bounded number of statuses, and those that decide the attempt")
  func statuses() async throws {
    try await VirtualTime.run { clock in
      let recorder = MemoryRecorder(clock: clock)
      let coordinator = Coordinator(
        clock: clock, wall: { Date(timeIntervalSince1970: 0) }, recorder: recorder)
      let world = World(scenario: Scenario(seed: 1, adapters: oneAdapter, sensors: []), clock: clock)
      let session = DeviceSession(
        room: Sample.room(1), address: Sample.address(1), adapter: Sample.adapter, attempt: 1,
        central: await VirtualCentral(world: world, clock: clock), coordinator: coordinator, clock: clock,
        randomBytes: { [UInt8](repeating: 0, count: $0) })
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await coordinator.run() }
        for number in 1...300 { await session.received("\(number)", as: .other) }
        await session.received("error:no", as: .refusal)
        coordinator.finish()
      }
      let texts = await recorder.events.compactMap { event in
        if case .statusReceived(let fact) = event.fact { fact.text } else { nil }
      }
      #expect(texts.count == 102 && texts[99] == "100")
      #expect(texts[100] == "further statuses of this attempt are not recorded")
      #expect(texts.last == "error:no")
    }
  }
}
