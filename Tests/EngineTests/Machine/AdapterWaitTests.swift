import Bluetooth
import Model
import Testing

@testable import Engine

@Suite("waiting for an adapter") struct AdapterWaitTests {
  typealias Driver = MachineDriver

  private func awaited(_ run: Driver) -> [CentralError.AdapterProblem?] {
    run.facts.compactMap { if case .adapterAwaited(let fact) = $0 { fact.problem } else { nil } }
  }

  @Test("the machine waits a bounded time for an adapter, and records the state of the first permitted one")
  func off() {
    var run = Driver([Sample.room(1, address: 1)])
    #expect(run.send(.started, at: 0) == [.listAdapters])
    var adapter = Driver.adapter(Driver.hci0)
    adapter.state = .poweredOff
    run.send(.adapters(.success([adapter])), at: 0.1)
    #expect(awaited(run) == [.poweredOff])
    #expect(run.wake == 30)
    #expect(run.pass(at: 30) == [.listAdapters])
    let effects = run.send(.adapters(.success([adapter])), at: 30.1)
    #expect(
      effects.contains { effect in
        guard case .finish(.applied(let result)) = effect else { return false }
        return result.radioFailure == CentralError(.adapterUnavailable(.poweredOff))
      })
  }

  @Test("the machine distinguishes a stack that was lost after its adapters from a missing adapter")
  func stack() {
    var run = Driver(rooms: 1)
    run.send(.adaptersChanged, at: 1)
    run.send(.adapters(.success([])), at: 1)
    run.send(.scanEnded(CentralError(.adapterUnavailable(.absent)), Driver.hci0), at: 1.1)
    #expect(run.pass(at: 31) == [.listAdapters], "the loss of the stack is not known yet")
    let effects = run.send(.adapters(.failure(CentralError(.stackUnavailable))), at: 31.1)
    #expect(
      effects.contains { effect in
        guard case .finish(.applied(let result)) = effect else { return false }
        return result.radioFailure?.code == .stackUnavailable
      })
  }

  @Test("the machine does not wait when another run has reserved all adapters")
  func claimed() {
    var run = Driver([Sample.room(1, address: 1)])
    run.send(.started, at: 0)
    run.send(.adapters(.success([Driver.adapter(Driver.hci0)])), at: 0)
    let effects = run.send(
      .claimed(Driver.hci0.adapter, .refused("pid 4711"), stack: nil), at: 0.1)
    #expect(
      effects.contains { effect in
        guard case .finish(.applied(let result)) = effect else { return false }
        return result.refusal == .adapterClaimed(adapter: "hci0", by: "pid 4711")
      })
  }
}
