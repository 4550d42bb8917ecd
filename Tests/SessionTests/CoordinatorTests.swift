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
}
