import Bluetooth
import Foundation
import Model
import Session
import Testing
import VirtualTime

/// All events of a run pass through the coordinator.
@Suite("event coordinator") struct CoordinatorTests {
  private actor Observed {
    private(set) var numbers: [Int] = []
    func add(_ number: Int) { numbers.append(number) }
  }

  @Test("a watcher gets an event only after it is on record")
  func watch() async throws {
    try await VirtualTime.run { clock in
      let (recorder, observed) = (Record(clock: clock, failsFrom: 3), Observed())
      let coordinator = Coordinator(
        clock: clock, wall: { Date(timeIntervalSince1970: 0) }, recorder: recorder
      ) { await observed.add($0.sequence) }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await coordinator.run() }
        for number in 1...4 {
          let fact = Fact.hostPaused(.init(.stopped, seconds: Double(number)))
          let isRecorded = (try? await coordinator.commit(fact)) != nil
          #expect(isRecorded == (number < 3))
        }
        coordinator.finish()
      }
      #expect(await observed.numbers == [1, 2])
      #expect(await recorder.events.map(\.sequence) == [1, 2])
    }
  }

  @Test("it knows which bonds the run may have made, which it keeps, and which it has touched")
  func bonds() async throws {
    try await VirtualTime.run { clock in
      let coordinator = Coordinator(
        clock: clock, wall: { Date(timeIntervalSince1970: 0) }, recorder: Record(clock: clock))
      let (address, adapter) = (
        BluetoothAddress(rawValue: 1), AdapterID(BluetoothAddress(rawValue: 0xAD))
      )
      func bond(_ isKept: Bool, _ isProtected: Bool) -> Fact {
        .bondIntended(
          .init(
            room: "lobby", attempt: 1, address: address, adapter: adapter, isKept: isKept,
            isProtected: isProtected))
      }
      func expect(_ mayExist: Bool, _ isProtected: Bool, after fact: Fact) {
        coordinator.note(fact)
        #expect(coordinator.mayHaveBond(with: address, on: adapter) == mayExist)
        #expect(coordinator.hasProtectedBond(with: address, on: adapter) == isProtected)
        #expect(coordinator.hasTouchedBond(with: address, on: adapter))
      }
      #expect(!coordinator.hasTouchedBond(with: address, on: adapter))
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await coordinator.run() }
        expect(true, false, after: bond(false, false))
        expect(false, true, after: bond(true, true))
        expect(true, false, after: bond(false, false))
        expect(false, false, after: bond(true, false))
        expect(false, false, after: .bondRemoved(.init(address: address, adapter: adapter)))
        coordinator.finish()
      }
    }
  }
}
