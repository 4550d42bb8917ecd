import Bluetooth
import Model
import Session
import Testing
import VirtualTime

@testable import Engine

/// Inputs of an earlier session of an adapter, or of an earlier attempt, change nothing.
@Suite("outdated inputs") struct StaleInputTests {
  typealias Driver = MachineDriver
  static let hci0 = Driver.hci0
  private func attempt(_ room: Int, _ number: Int = 1) -> AttemptID { Driver.attempt(room, number) }

  /// The only adapter is lost and returns 20 ms later.
  private func replug(_ run: inout Driver, at second: Double) {
    run.send(.adaptersChanged, at: second)
    run.send(.adapters(.success([])), at: second)
    run.send(.adaptersChanged, at: second + 0.02)
    run.send(.adapters(.success([Driver.adapter(Self.hci0)])), at: second + 0.02)
    run.use(Driver.hci0Again, at: second + 0.02)
  }

  @Test("the end of a link of an earlier session releases no slot of the present one")
  func link() {
    var run = Driver(rooms: 3, slots: 1)
    run.window([1, 2, 3])
    run.send(.connected(attempt(1)), at: 1.6)
    replug(&run, at: 2)
    let links = ([1, 2] as [UInt64]).map {
      ConnectedPeripheral(address: Sample.address($0), serviceUUIDs: [])
    }
    #expect(
      run.send(.connectedPeripherals(links, Driver.hci0Again), at: 2.05)
        == [.releaseLinks([Sample.address(2)], Driver.hci0Again)], "the other link is the run's own")
    run.send(.scanBegan(Driver.hci0Again), at: 2.1)
    run.receive([2, 3], on: Driver.hci0Again, at: 2.2)
    run.pass(at: 3.3)
    #expect(run.send(.scanEnded(nil, Driver.hci0Again), at: 3.4).begun == [attempt(2)])
    run.send(.connected(attempt(2)), at: 3.7)
    // The link of the first session ends only now.
    #expect(run.fail(attempt(1), .linkLost(FailedStep(.write)), at: 3.8).begun == [])
    #expect(run.machine.radios[0].links == 1)
  }

  @Test("the end of a scan window of an earlier session does not end one of the present one")
  func window() {
    var run = Driver(rooms: 1)
    replug(&run, at: 0.5)
    run.send(.scanBegan(Driver.hci0Again), at: 0.6)
    #expect(run.send(.scanEnded(CentralError(.adapterUnavailable(.absent)), Self.hci0), at: 0.7) == [])
    #expect(run.radio(Driver.hci0Again) == .scanning)
  }

  @Test("an advertisement of an earlier session is no sighting")
  func sighting() {
    var run = Driver(rooms: 1)
    replug(&run, at: 0.5)
    run.receive([1], on: Self.hci0, at: 0.6)
    #expect(run.machine.air[Sample.address(1)] == nil)
  }

  @Test("the end of an earlier attempt does not end the present one")
  func attempt() {
    var run = Driver(rooms: 1)
    run.window([1])
    run.fail(attempt(1), .linkLost(FailedStep(.write)), at: 2)
    run.pass(at: 4)
    run.send(.scanBegan(Self.hci0), at: 4.1)
    run.window([1], from: 4.1)
    #expect(run.state(1) == .connecting)
    for stale: RunInput in [
      .connected(attempt(1, 1)), .linkEnded(.remote, attempt(1, 1)),
      .takenDown(isForgotten: true, attempt(1, 1)),
      .sessionEnded(
        AttemptResult(result: .failure(AttemptFailure(.refused(stage: .save, deviceText: "error:no")))),
        attempt(1, 1)),
    ] {
      #expect(run.send(stale, at: 6) == [])
    }
    #expect(run.state(1) == .connecting)
    run.send(.connected(attempt(1, 2)), at: 6.1)
    #expect(run.state(1) == .connected)
    let failed = AttemptResult(result: .failure(AttemptFailure(.linkLost(FailedStep(.write)))))
    run.send(.sessionEnded(failed, attempt(1, 2)), at: 6.2)
    for stale: RunInput in [
      .linkEnded(.remote, attempt(1, 1)), .takenDown(isForgotten: true, attempt(1, 1)),
    ] {
      #expect(run.send(stale, at: 6.3) == [])
    }
    #expect(run.state(1) == .disconnecting && run.machine.radios[0].links == 1)
    for _ in 1...2 { run.send(.linkEnded(.remote, attempt(1, 2)), at: 6.4) }
    #expect(run.machine.radios[0].links == 0)
  }

  @Test(
    "scans that do not start are in the end a fault of the adapter, unless the run stops",
    arguments: [true, false])
  func notStarted(isStopping: Bool) throws {
    var run = Driver(rooms: 1)
    var second = 8.0
    run.pass(at: second)
    var scans = run.send(.scanEnded(nil, Self.hci0), at: second).scans
    for refusal in 1...4 {
      var ends: [RadioSession] = []
      for _ in 1...10 where ends.isEmpty {
        second = try #require(run.wake)
        let effects = run.pass(at: second)
        (scans, ends) = (scans + effects.scans, effects.scanEnds)
      }
      #expect(scans == [Self.hci0] && ends == [Self.hci0])
      if isStopping, refusal == 4 { run.send(.requested(.stop), at: second) }
      scans = run.send(.scanEnded(nil, Self.hci0), at: second).scans
    }
    let faults = run.facts.compactMap { if case .adapterFaulted(let fact) = $0 { fact.fault } else { nil } }
    #expect(faults == (isStopping ? [] : [.refusesToScan]))
  }

  @Test("inputs are taken together, and a wait without any ends at its instant, not before")
  func inbox() async throws {
    try await VirtualTime.run { clock in
      let inbox = Inbox()
      let instant = clock.now.advanced(by: .seconds(5))
      inbox.post(.timePassed)
      inbox.post(.leftoversForgotten)
      let both = await inbox.take(until: instant, on: clock)
      #expect(both.count == 2 && clock.now < instant)
      let none = await inbox.take(until: instant, on: clock)
      #expect(none.isEmpty && clock.now == instant)
    }
  }

  @Test("inputs after the end of the run have no effect, nor have adapters once it stops")
  func ended() {
    var run = Driver(rooms: 1)
    run.send(.adapters(.success([Self.hci0, Driver.hci1].map(Driver.adapter))), at: 0.5)
    run.send(.requested(.stop), at: 1)
    #expect(run.wake == nil)
    let before = run.facts.count
    for input: RunInput in [
      .adaptersChanged, .adapters(.success([])), .claimed(Driver.hci1.adapter, .granted, stack: nil),
    ] {
      #expect(run.send(input, at: 1) == [])
    }
    #expect(run.facts.count == before)
    let effects = run.send(.scanEnded(nil, Self.hci0), at: 1.1)
    #expect(effects.contains { if case .finish = $0 { true } else { false } })
    let facts = run.facts.count
    #expect(run.receive([1], at: 1.2) == [])
    #expect(run.facts.count == facts)
  }
}
