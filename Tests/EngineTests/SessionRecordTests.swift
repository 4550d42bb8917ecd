import Bluetooth
import Foundation
import Model
import Session
import Testing
import VirtualBuilding
import VirtualTime

/// The record of a GATT session, and what the session waits for.
@Suite("record of a GATT session") struct SessionRecordTests {
  private actor Connections {
    private(set) var instants: [MonotonicInstant] = []
    func add(_ instant: MonotonicInstant) { instants.append(instant) }
  }

  /// Notes the instant of a connection request.
  private struct Noting: ForwardingCentral {
    let base: VirtualCentral
    let clock: VirtualClock
    let connections: Connections

    func connect(
      to address: BluetoothAddress, on adapter: AdapterID
    ) async throws(CentralError) -> any Peripheral {
      await connections.add(clock.now)
      return try await base.connect(to: address, on: adapter)
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

  @Test("the record has a bounded number of statuses, and those that decide the attempt")
  func statuses() async throws {
    try await VirtualTime.run { clock in
      let recorder = MemoryRecorder(clock: clock, failsFrom: nil) { _ in }
      let coordinator = Coordinator(
        clock: clock, wall: { Date(timeIntervalSince1970: 0) }, recorder: recorder)
      let world = World(scenario: Scenario(seed: 1, adapters: oneAdapter, sensors: []), clock: clock)
      let session = DeviceSession(
        room: Sample.room(1), address: Sample.address(1), adapter: Sample.adapter, attempt: 1,
        central: await VirtualCentral(world: world, clock: clock), coordinator: coordinator, clock: clock)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await coordinator.run() }
        for number in 1...3 * DeviceSession.mostStatuses { await session.received("\(number)", as: .other) }
        await session.received("error:no", as: .refusal)
        coordinator.finish()
      }
      let texts = await recorder.events.compactMap { event in
        if case .statusReceived(let fact) = event.fact { fact.text } else { nil }
      }
      #expect(texts.count == DeviceSession.mostStatuses + 2)
      #expect(texts[DeviceSession.mostStatuses - 1] == "\(DeviceSession.mostStatuses)")
      #expect(texts[DeviceSession.mostStatuses] == "further statuses of this attempt are not recorded")
      #expect(texts.last == "error:no")
    }
  }
}
