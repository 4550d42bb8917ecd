import Bluetooth
import Model
import Testing

@testable import Engine

@Suite("The run machine waits for an adapter") struct AdapterWaitTests {
  typealias Driver = MachineDriver

  private func awaited(_ run: Driver) -> [CentralError.AdapterTrouble?] {
    run.facts.compactMap { if case .adapterAwaited(let fact) = $0 { fact.trouble } else { nil } }
  }

  @Test("for a bounded time, and says what is the matter with the best of them")
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

  @Test("and tells a stack that went after its adapters from an adapter that is missing")
  func stack() {
    var run = Driver(rooms: 1)
    run.send(.adaptersChanged, at: 1)
    run.send(.adapters(.success([])), at: 1)
    run.send(.scanEnded(CentralError(.adapterUnavailable(.absent)), Driver.hci0), at: 1.1)
    #expect(run.pass(at: 31) == [.listAdapters], "nothing says that the stack has gone, too")
    let effects = run.send(.adapters(.failure(CentralError(.stackUnavailable))), at: 31.1)
    #expect(
      effects.contains { effect in
        guard case .finish(.applied(let result)) = effect else { return false }
        return result.radioFailure?.code == .stackUnavailable
      })
  }

  @Test("unless another run has all there are")
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
