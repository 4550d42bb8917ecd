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
    #expect(run.wake == nil, "only the answer leads on")
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

  @Test("adapters that change while the stack lists them are listed again, and a late answer is awaited")
  func changedMeanwhile() {
    var run = Driver([Sample.room(1, address: 1)])
    #expect(run.send(.started, at: 0) == [.listAdapters])
    #expect(run.send(.adaptersChanged, at: 0.1) == [], "the first list is pending")
    #expect(run.send(.adapters(.success([])), at: 0.2) == [.listAdapters])
    #expect(run.pass(at: 30) == [])
    #expect(run.pass(at: 31) == [], "the stack has not answered")
    #expect(run.send(.adapters(.success([])), at: 32) == [.listAdapters])
    let adapter = Driver.adapter(Driver.hci0)
    #expect(run.send(.adapters(.success([adapter])), at: 32.1) == [.claim(adapter)])
  }

  @Test("an adapter that is lost before its claim is answered is not used, and claimed again when it returns")
  func lostWhileClaimed() {
    var run = Driver([Sample.room(1, address: 1)])
    let adapter = Driver.adapter(Driver.hci0)
    run.send(.started, at: 0)
    #expect(run.send(.adapters(.success([adapter])), at: 0) == [.claim(adapter)])
    #expect(run.send(.adapters(.success([adapter])), at: 0.1) == [], "its claim is pending")
    run.send(.adapters(.success([])), at: 0.2)
    #expect(run.send(.claimed(adapter.id, .granted, stack: nil), at: 0.3) == [])
    #expect(run.send(.adapters(.success([adapter])), at: 0.4) == [.claim(adapter)])
  }

  @Test(
    "the machine does not wait when another run has reserved all adapters",
    arguments: [RunMachine.Goal.apply, .plan])
  func claimed(goal: RunMachine.Goal) {
    var run = Driver([Sample.room(1, address: 1)], goal: goal)
    run.send(.started, at: 0)
    run.send(.adapters(.success([Driver.hci0, Driver.hci1].map(Driver.adapter))), at: 0)
    #expect(run.send(.claimed(Driver.hci0.adapter, .refused("pid 4711"), stack: nil), at: 0.1) == [])
    let effects = run.send(.claimed(Driver.hci1.adapter, .refused("pid 4712"), stack: nil), at: 0.2)
    #expect(refusal(effects) == .adapterClaimed(adapter: "hci0", by: "pid 4711"))
  }

  @Test("a run waits for the end of a cool-down when another run has reserved the only other adapter")
  func coolDown() {
    var run = Driver(rooms: 1)
    let (own, other) = (Driver.adapter(Driver.hci0), Driver.adapter(Driver.hci1))
    let sessions = (1...4).map { RadioSession(adapter: own.id, number: $0) }
    for session in sessions {
      let second = Double(session.number)
      if session.number > 1 {
        run.send(.adapters(.success([own])), at: second - 0.5)
        run.use(session, at: second - 0.5)
      }
      run.send(.adapters(.success([])), at: second)
    }
    #expect(run.wake == 5, "it was lost for the fourth time")
    #expect(run.send(.adapters(.success([own, other])), at: 4.5) == [.claim(other)])
    #expect(run.send(.claimed(other.id, .refused("pid 1"), stack: nil), at: 4.6) == [])
    #expect(run.pass(at: 5) == [.listAdapters])
    #expect(run.send(.adapters(.success([])), at: 5) == [], "the cool-down is over")
    run.send(.adapters(.success([other])), at: 6)
    run.send(.claimed(other.id, .refused("pid 2"), stack: nil), at: 6.1)
    let effects = sessions.flatMap { run.send(.scanEnded(nil, $0), at: 6.2) }
    #expect(refusal(effects) == .adapterClaimed(adapter: "hci1", by: "pid 2"))
  }

  /// Why a run that ended did nothing.
  private func refusal(_ effects: [RunEffect]) -> RunRefusal? {
    switch effects.last {
    case .finish(.applied(let result)): result.refusal
    case .finish(.planned(.failure(.refused(let refusal)))): refusal
    default: nil
    }
  }
}
