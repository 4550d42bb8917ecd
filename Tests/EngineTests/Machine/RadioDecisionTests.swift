import Bluetooth
import Families
import Model
import Testing

@testable import Engine

/// The next step of adapters after each input.
@Suite("decisions about adapters") struct RadioDecisionTests {
  typealias Driver = MachineDriver
  static let (hci0, hci1) = (Driver.hci0, Driver.hci1)
  private func attempt(_ room: Int, _ number: Int = 1) -> AttemptID { Driver.attempt(room, number) }

  @Test("an adapter scans for at least one window before it connects, and never does both at once")
  func windows() {
    var run = Driver(rooms: 3)
    #expect(run.receive([2, 1], at: 0.2) == [])
    #expect(run.wake == 1.2)
    #expect(run.pass(at: 1.2) == [.endScan(Self.hci0)])
    #expect(run.pass(at: 1.25) == [], "no connection before the scan has ended")
    let effects = run.send(.scanEnded(nil, Self.hci0), at: 1.3)
    #expect(effects.begun == [attempt(1)])
    #expect(effects.scans == [])
    #expect(run.radio() == .connecting)
  }

  @Test("a scan window ends once every device was received")
  func allReceived() {
    var run = Driver(rooms: 2)
    #expect(run.receive([1, 2], at: 0.2) == [.endScan(Self.hci0)])
  }

  @Test("a device that was received too long ago is no candidate, until it is received again")
  func candidatesTooOld() {
    var run = Driver(rooms: 3)
    /// Whether the adapter can connect to every device that waits.
    func hasEvery() -> Bool {
      var machine = run.machine
      return machine.hasEveryCandidate(0)
    }
    run.window([1, 2])
    #expect(!hasEvery(), "the third was not received")
    run.receive([3], at: 10)
    #expect(hasEvery())
    run.pass(at: 25.1)
    #expect(hasEvery())
    run.pass(at: 25.3)
    #expect(!hasEvery(), "the second one is too old")
    run.receive([2], at: 26)
    #expect(hasEvery())
    run.pass(at: 35.1)
    #expect(!hasEvery(), "now the third one is")
  }

  @Test("a scan window ends before the kernel would end it, and another one opens")
  func longestWindow() {
    var run = Driver(rooms: 1)
    #expect(run.pass(at: 7.9) == [])
    #expect(run.wake == 8)
    #expect(run.pass(at: 8) == [.endScan(Self.hci0)])
    #expect(run.send(.scanEnded(nil, Self.hci0), at: 8.1) == [.scan(Self.hci0, forgetting: [])])
  }

  @Test("an attempt that has not connected ends when its adapter is lost; one with a link ends by itself")
  func lostBeforeConnecting() {
    var run = Driver(rooms: 2)
    run.window([1, 2])
    run.send(.connected(attempt(1)), at: 1.5)
    #expect(run.state(1) == .connected && run.state(2) == .connecting)
    run.send(.adaptersChanged, at: 2)
    let effects = run.send(.adapters(.success([])), at: 2)
    let ended = effects.filter { if case .endAttempt = $0 { true } else { false } }
    #expect(ended == [.endAttempt(attempt(2), .adapterLost)])
  }

  @Test("an adapter makes one connection at a time, and the next one during the session")
  func connections() {
    var run = Driver(rooms: 3)
    #expect(run.window([1, 2, 3]).begun == [attempt(1)])
    #expect(run.pass(at: 1.3) == [])
    #expect(run.send(.connected(attempt(1)), at: 1.6).begun == [attempt(2)])
    #expect(run.state(1) == .connected && run.state(2) == .connecting)
  }

  @Test("the next connection begins when the stack reports the link, before it confirms it")
  func linked() {
    var run = Driver(rooms: 4)
    #expect(run.window([1, 2, 3, 4]).begun == [attempt(1)])
    #expect(run.send(.linked(attempt(1)), at: 1.5).begun == [attempt(2)])
    #expect(run.state(1) == .connecting && run.radio() == .connecting)
    #expect(run.send(.connected(attempt(1)), at: 1.6).begun == [])
    #expect(run.send(.linked(attempt(2)), at: 1.7).begun == [attempt(3)])
    run.fail(attempt(2), .connectFailed(FailedStep(.connect)), at: 1.75)
    #expect(run.radio() == .connecting, "the failure of one connection does not end the next one")
    #expect(run.send(.linked(attempt(1)), at: 1.8).begun == [], "a late report changes nothing")
    #expect(run.send(.linked(attempt(3)), at: 1.9).begun == [attempt(4)])
  }

  @Test("only confirmed links show how many an adapter holds")
  func unconfirmedLinks() {
    var run = Driver(rooms: 7, slots: nil)
    run.window(Array(1...7))
    for room in 1...5 { run.send(.linked(attempt(room)), at: 1.3 + Double(room) / 10) }
    for room in [1, 2, 3] { run.send(.connected(attempt(room)), at: 2) }
    #expect(run.send(.connected(attempt(5)), at: 2.1).begun == [], "the fourth link is not confirmed")
    #expect(run.send(.connected(attempt(4)), at: 2.2).begun == [attempt(6)])
  }

  @Test("an attempt whose link is not confirmed ends when its adapter is lost")
  func lostBeforeConfirmation() {
    var run = Driver(rooms: 2)
    run.window([1, 2])
    run.send(.linked(attempt(1)), at: 1.5)
    run.send(.adaptersChanged, at: 1.55)
    let ended = run.send(.adapters(.success([])), at: 1.55)
    #expect(ended.contains(.endAttempt(attempt(1), .adapterLost)))
    #expect(ended.contains(.endAttempt(attempt(2), .adapterLost)))
  }

  @Test(
    "an adapter holds at most its slots, and all adapters at most the permitted links",
    arguments: [(2, nil), (5, 2)])
  func slots(slots: Int, parallel: Int?) {
    var run = Driver(rooms: 4, slots: slots) { $0.parallel = parallel }
    #expect(run.window([1, 2, 3, 4]).begun == [attempt(1)])
    #expect(run.send(.connected(attempt(1)), at: 1.5).begun == [attempt(2)])
    #expect(run.send(.connected(attempt(2)), at: 1.8).begun == [])
    #expect(run.submit(attempt(1), at: 3).begun == [attempt(3)])
  }

  @Test("an adapter tries one link more than its usual slots until a refusal, which is charged to no sensor")
  func slotProbe() {
    var run = Driver(rooms: 9, retries: 0, slots: nil)
    run.window(Array(1...9))
    for room in 1...6 { run.send(.connected(attempt(room)), at: 1.3 + Double(room) / 10) }
    #expect(run.state(7) == .connecting, "after six links, a seventh one is tried")
    #expect(run.fail(attempt(7), .outOfSlots(FailedStep(.connect)), at: 2.2).begun == [])
    #expect(run.submit(attempt(1), at: 3).begun == [attempt(8)], "the adapter holds six links")
    #expect(run.send(.connected(attempt(8)), at: 3.3).begun == [])
    run.pass(at: 4.2)
    #expect(run.state(7) == .queued, "no retry was used")
    let found = run.facts.compactMap { if case .linksHeld(let fact) = $0 { fact } else { nil } }
    #expect(
      found == [
        LinksHeld(adapter: Self.hci0.adapter, links: 6),
        LinksHeld(adapter: Self.hci0.adapter, links: 6, isFull: true),
      ])
  }

  @Test("a link that ends while the controller refuses another one does not lower the slots")
  func endedMeanwhile() {
    var run = Driver(rooms: 9, retries: 0, slots: nil)
    run.window(Array(1...9))
    for room in 1...5 { run.send(.connected(attempt(room)), at: 1.3 + Double(room) / 10) }
    run.submit(attempt(1), at: 2.1)
    #expect(run.fail(attempt(6), .outOfSlots(FailedStep(.connect)), at: 2.2).begun == [attempt(7)])
    run.pass(at: 4.2)
    let found = run.facts.compactMap { if case .linksHeld(let fact) = $0 { fact } else { nil } }
    #expect(found == [LinksHeld(adapter: Self.hci0.adapter, links: 5, isFull: true)])
  }

  @Test("connections that fail within the stated slots show nothing about them")
  func failedWithinSlots() {
    var run = Driver(rooms: 4)
    run.window([1, 2, 3, 4])
    #expect(run.fail(attempt(1), .connectFailed(FailedStep(.connect)), at: 1.4).begun == [attempt(2)])
    run.receive([9], at: 1.45)
    #expect(run.fail(attempt(2), .connectFailed(FailedStep(.connect)), at: 1.5).begun == [attempt(3)])
    #expect(run.send(.connected(attempt(3)), at: 1.8).begun == [attempt(4)])
  }

  @Test("a device that one adapter had no slot for goes to another one without a further scan")
  func slotElsewhere() {
    var run = Driver(rooms: 7, slots: nil, adapters: [Self.hci0, Self.hci1])
    run.receive([7], on: Self.hci1, rssi: -60, at: 0.3)
    run.receive([6], on: Self.hci1, rssi: -50, at: 0.3)
    run.window(Array(1...6))
    for room in 1...5 { run.send(.connected(attempt(room)), at: 1.3 + Double(room) / 10) }
    #expect(run.state(6) == .connecting)
    run.pass(at: 1.9)
    #expect(run.send(.scanEnded(nil, Self.hci1), at: 2).begun == [attempt(7)])
    run.send(.connected(attempt(7)), at: 2.1)
    run.fail(attempt(6), .outOfSlots(FailedStep(.connect)), at: 2.2)
    #expect(run.pass(at: 4.3).begun == [attempt(6, 2)])
  }

  @Test("a device without a slot on the only adapter is received again as soon as no other one waits")
  func slotAgain() {
    var run = Driver(rooms: 7, slots: nil)
    run.window(Array(1...6))
    for room in 1...5 { run.send(.connected(attempt(room)), at: 1.3 + Double(room) / 10) }
    run.fail(attempt(6), .outOfSlots(FailedStep(.connect)), at: 2.2)
    #expect(run.pass(at: 4.3).scans == [Self.hci0], "beside the sessions of the other devices")
  }

  @Test(
    "a window that also waits for proofs ends for a connection as soon as no other device waits",
    arguments: [(6, true), (7, false)])
  func lastCandidate(rooms: Int, endsAtOnce: Bool) {
    var run = Driver(rooms: rooms, slots: nil)
    run.window(Array(1...6))
    for room in 1...5 { run.send(.connected(attempt(room)), at: 1.3 + Double(room) / 10) }
    run.fail(attempt(6), .outOfSlots(FailedStep(.connect)), at: 2.2)
    run.submit(attempt(1), at: 3)
    #expect(run.pass(at: 4.3).scans == [Self.hci0])
    run.send(.scanBegan(Self.hci0), at: 4.4)
    #expect(run.receive([6], at: 4.5) == (endsAtOnce ? [.endScan(Self.hci0)] : []))
  }

  /// In an orderly restart of bluetoothd, objects of devices without a link are removed up to 2.8 s before anything
  /// else changes.
  @Test("an apparent refusal shortly before the adapter is lost does not change the slots")
  func noRefusal() {
    var run = Driver(rooms: 9, retries: 0, slots: nil)
    run.window(Array(1...9))
    for room in 1...3 { run.send(.connected(attempt(room)), at: 1.3 + Double(room) / 10) }
    #expect(run.fail(attempt(4), .outOfSlots(FailedStep(.connect)), at: 2.2).begun == [])
    run.send(.adaptersChanged, at: 3)
    run.send(.adapters(.success([])), at: 3)
    run.pass(at: 4.2)
    let ended = run.facts.compactMap { if case .attemptEnded(let fact) = $0 { fact.notCounted } else { nil } }
    #expect(ended.contains(.hostLost) && !ended.contains(.adapterFull))
    #expect(!run.facts.contains { if case .linksHeld = $0 { true } else { false } })
    run.send(.adapters(.success([Driver.adapter(Self.hci0)])), at: 5)
    run.use(Driver.hci0Again, at: 5)
    let slots = run.facts.compactMap { if case .adapterSelected(let fact) = $0 { fact.slots } else { nil } }
    #expect(slots == [5, 5])
  }

  @Test(
    "a failed connection beyond the links that an adapter surely holds is charged to no sensor, whatever the error",
    arguments: [(5, RoomState.Kind.queued), (2, .finished)])
  func failedProbe(held: Int, state: RoomState.Kind) {
    var run = Driver(rooms: held + 1, retries: 0, slots: nil)
    run.window(Array(1...held + 1))
    for room in 1...held { run.send(.connected(attempt(room)), at: 1.3 + Double(room) / 10) }
    run.fail(attempt(held + 1), .connectFailed(FailedStep(.connect)), at: 2.2)
    run.pass(at: 4.3)
    #expect(run.state(held + 1) == state)
  }

  @Test("an attempt that is charged to no sensor is not counted, and the next one has its number")
  func notCounted() throws {
    var run = Driver(rooms: 6, retries: 0, slots: nil)
    run.window(Array(1...6))
    for room in 1...5 { run.send(.connected(attempt(room)), at: 1.3 + Double(room) / 10) }
    run.fail(attempt(6), .connectFailed(FailedStep(.connect)), at: 2.2)
    run.receive([6], at: 4.3)
    for room in 1...5 { run.submit(attempt(room), at: 5) }
    for room in 1...5 { run.receiveBeacon(room, at: 6) }
    run.receive([6], at: 6.1)
    run.pass(at: 6.5)
    run.send(.scanEnded(nil, Self.hci0), at: 6.6)
    try #require(run.state(6) == .connecting)
    run.send(.connected(attempt(6, 2)), at: 7)
    run.submit(attempt(6, 2), at: 9)
    run.send(.scanBegan(Self.hci0), at: 9.1)
    run.receiveBeacon(6, at: 12)
    run.pass(at: 13)
    let numbers = run.facts.compactMap { fact -> Int? in
      if case .attemptStarted(let started) = fact, started.room == "room-6" { started.number } else { nil }
    }
    #expect(numbers == [1, 1])
    let exemptions = run.facts.compactMap { fact -> AttemptExemption?? in
      if case .attemptEnded(let ended) = fact, ended.room == "room-6" { .some(ended.notCounted) } else { nil }
    }
    #expect(exemptions == [.adapterFull, nil])
    let finished = run.facts.compactMap { fact -> RoomFinished? in
      if case .roomFinished(let finished) = fact, finished.room == "room-6" { finished } else { nil }
    }
    #expect(finished.map(\.outcome) == [.provisioned])
    #expect(finished.map(\.attempts) == [1])
  }

  @Test(
    "an adapter tries no further links after such a failure, even if the stack does not report the cause")
  func slotsKnown() {
    var run = Driver(rooms: 9, retries: 0, slots: nil)
    run.window(Array(1...9))
    for room in 1...5 { run.send(.connected(attempt(room)), at: 1.3 + Double(room) / 10) }
    #expect(run.fail(attempt(6), .connectFailed(FailedStep(.connect)), at: 2.2).begun == [])
    #expect(run.submit(attempt(1), at: 3).begun == [attempt(7)], "the adapter holds five links")
    #expect(run.send(.connected(attempt(7)), at: 3.3).begun == [])
  }

  @Test("a device that was refused for want of a slot goes first, and one that failed goes last")
  func order() {
    var run = Driver(rooms: 9, slots: nil)
    run.window(Array(1...9))
    for room in 1...5 { run.send(.connected(attempt(room)), at: 1.3 + Double(room) / 10) }
    run.fail(attempt(6), .outOfSlots(FailedStep(.connect)), at: 2)
    run.fail(attempt(1), .refused(stage: .save, deviceText: "error:no"), at: 2.1)
    #expect(run.state(7) == .connecting)
    run.send(.connected(attempt(7)), at: 2.3)
    run.receive([1, 6], at: 4.1)
    run.pass(at: 4.2)
    #expect(run.submit(attempt(2), at: 5).begun == [attempt(6, 2)])
  }

  @Test("an adapter receives pending proofs before it connects to a device that failed before")
  func proofsFirst() {
    var run = Driver(rooms: 2)
    run.window([1, 2])
    run.fail(attempt(1), .connectTimedOut(), at: 4)
    #expect(run.state(2) == .connecting)
    run.send(.connected(attempt(2)), at: 4.3)
    run.receive([1], at: 6)
    #expect(run.pass(at: 6.5).begun == [], "the session of room 2 continues")
    let effects = run.submit(attempt(2), at: 7)
    #expect(effects.begun == [] && effects.scans == [Self.hci0])
  }

  @Test("a scan window that waits for a proof does not end for a device that failed before")
  func proofBeforeRetry() {
    var run = Driver(rooms: 2)
    run.window([1, 2])
    run.fail(attempt(1), .connectTimedOut(), at: 4)
    run.send(.connected(attempt(2)), at: 4.3)
    #expect(run.submit(attempt(2), at: 7).scans == [Self.hci0])
    run.send(.scanBegan(Self.hci0), at: 7.1)
    run.receive([1], at: 7.2)
    #expect(run.pass(at: 8.4) == [])
    #expect(run.receiveBeacon(2, at: 9) == [.endScan(Self.hci0)])
  }

  @Test("an adapter receives a device again before a connection if its sighting is old")
  func freshness() {
    var run = Driver(rooms: 2, slots: 1)
    #expect(run.window([1, 2]).begun == [attempt(1)])
    run.send(.connected(attempt(1)), at: 1.6)
    let effects = run.submit(attempt(1), at: 26)
    #expect(effects.begun == [] && effects.scans == [Self.hci0])
  }

  @Test("an adapter connects while its sightings are recent, however many proofs are pending, and then scans")
  func connectingPhase() {
    var run = Driver(rooms: 9, slots: 1)
    #expect(run.window(Array(1...9)).begun == [attempt(1)])
    run.send(.connected(attempt(1)), at: 1.6)
    #expect(
      run.fail(attempt(1), .refused(stage: .save, deviceText: "error:no"), at: 10).begun == [attempt(2)])
    run.send(.connected(attempt(2)), at: 10.3)
    // Its proof is pending.
    #expect(run.submit(attempt(2), at: 20).begun == [attempt(3)])
    run.send(.connected(attempt(3)), at: 20.3)
    #expect(run.submit(attempt(3), at: 24.3).begun == [attempt(4)])
    run.send(.connected(attempt(4)), at: 24.6)
    let effects = run.submit(attempt(4), at: 26)
    #expect(effects.begun == [] && effects.scans == [Self.hci0])
  }

  @Test("an adapter whose devices need no recent sighting scans after 23 s if it must receive another one")
  func connectingForLong() {
    var run = Driver(rooms: 1, more: (2...9).map { Sample.fireflyRoom($0, address: UInt64($0)) })
    // It has connected since the survey ended at -0.2.
    for (room, second) in [(2, 2.0), (3, 11), (4, 22.7)] {
      run.send(.action(Driver.at(second - 1), attempt(room)), at: second - 1)
      let next = run.send(.connected(attempt(room)), at: second)
      #expect(next.contains { if case .askForAction(attempt(room + 1), _) = $0 { true } else { false } })
    }
    run.send(.action(Driver.at(22.75), attempt(5)), at: 22.75)
    #expect(run.send(.connected(attempt(5)), at: 22.8) == [.scan(Self.hci0, forgetting: [])])
  }

  @Test(
    "an action after the loss of its adapter begins an attempt that ends for that; after a stop, none",
    arguments: [false, true])
  func lateAction(isStopped: Bool) {
    var run = Driver(rooms: 1, more: [2, 3].map { Sample.fireflyRoom($0, address: UInt64($0)) })
    run.send(.action(nil, attempt(2)), at: 0.5)
    run.send(.connected(attempt(2)), at: 1)
    run.send(isStopped ? .requested(.stop) : .adapters(.success([])), at: 2)
    let effects = run.send(.action(nil, attempt(3)), at: 2.1)
    #expect(effects.begun == (isStopped ? [] : [attempt(3)]))
    #expect(effects.contains(.endAttempt(attempt(3), .adapterLost)) == !isStopped)
  }

  @Test("an adapter with links scans at once when its sightings are too old for the next connections")
  func oldSightings() {
    var run = Driver(rooms: 4, slots: 2)
    run.window([1, 2, 3, 4])
    run.send(.connected(attempt(1)), at: 1.6)
    run.send(.connected(attempt(2)), at: 20)
    let effects = run.submit(attempt(1), at: 26)
    #expect(effects.begun == [] && effects.scans == [Self.hci0], "the session of room 2 continues")
  }

  @Test(
    "an adapter with links scans at once for a device that the stack has forgotten, and connects when it is received"
  )
  func forgotten() {
    var run = Driver(rooms: 3)
    run.window([1, 2])
    #expect(run.send(.connected(attempt(1)), at: 1.6).begun == [attempt(2)])
    #expect(
      run.fail(attempt(2), .unknownToStack(), at: 1.7).scans == [Self.hci0], "the session of room 1 continues"
    )
    run.send(.scanBegan(Self.hci0), at: 1.8)
    run.receive([2], at: 1.9)
    #expect(run.state(2) == .queued, "whether the host was lost need not be awaited")
    #expect(run.pass(at: 3).scanEnds == [Self.hci0])
    #expect(run.send(.scanEnded(nil, Self.hci0), at: 3.1).begun == [attempt(2, 2)])
    run.send(.connected(attempt(2, 2)), at: 3.2)
    run.submit(attempt(2, 2), at: 3.4)
    run.pass(at: 3.7)
    #expect(run.state(2) == .proving, "the first failure would be classified now")
  }

  @Test("the stack forgets a device that it may still know before the next scan")
  func leftover() {
    var run = Driver(rooms: 1)
    run.window([1])
    run.send(.connected(attempt(1)), at: 1.6)
    run.fail(attempt(1), .refused(stage: .save, deviceText: "error:no"), link: .local, at: 3)
    #expect(run.pass(at: 5) == [.scan(Self.hci0, forgetting: [Sample.address(1)])])
  }

  @Test(
    "links that an earlier run left are ended before their adapter connects, unless the run stops",
    arguments: [false, true])
  func leftLinks(isStopped: Bool) {
    var run = Driver([Sample.room(1, address: 1)])
    run.send(.started, at: 0)
    run.send(.adapters(.success([Driver.adapter(Self.hci0)])), at: 0)
    run.send(.claimed(Self.hci0.adapter, .granted, stack: nil), at: 0)
    run.send(.scanBegan(Self.hci0), at: 0.1)
    run.receive([1], at: 0.2)
    run.pass(at: 0.6)
    #expect(run.send(.scanEnded(nil, Self.hci0), at: 0.7) == [])
    let links = [
      ConnectedPeripheral(address: Sample.address(1), serviceUUIDs: []),
      ConnectedPeripheral(address: Sample.address(7), serviceUUIDs: [DeviceFamily.roboSensor.service]),
      ConnectedPeripheral(address: Sample.address(8), serviceUUIDs: []),
    ]
    if isStopped { run.send(.requested(.stop), at: 0.8) }
    let effects = run.send(.connectedPeripherals(links, Self.hci0), at: 0.9)
    if isStopped {
      #expect(effects.contains { if case .finish = $0 { true } else { false } })
    } else {
      #expect(effects == [.releaseLinks([Sample.address(1), Sample.address(7)], Self.hci0)])
    }
    #expect(run.send(.linksReleased(Self.hci0), at: 1).begun == (isStopped ? [] : [attempt(1)]))
  }

  @Test("an adapter with links does not scan for 10 s after its last connection")
  func quiet() {
    var run = Driver(rooms: 3)
    run.window([1, 2])
    run.send(.connected(attempt(1)), at: 1.6)
    // The connection takes long.
    #expect(run.send(.connected(attempt(2)), at: 15).scans == [])
    #expect(run.wake == 25, "the device of room 3 has no sighting")
    #expect(run.submit(attempt(1), at: 16).scans == [])
    #expect(run.submit(attempt(2), at: 17).scans == [Self.hci0], "no link is left")
  }

  @Test("an adapter scans once without a result for devices that another adapter is about to connect to")
  func withoutResult() {
    var run = Driver(rooms: 3, slots: 1, adapters: [Self.hci0, Self.hci1])
    // The second adapter receives a device of nobody.
    run.receive([9], on: Self.hci1, at: 0.1)
    #expect(run.window([1, 2, 3]).begun == [attempt(1)])
    #expect(run.send(.scanEnded(nil, Self.hci1), at: 1.3).scans == [])
    #expect(run.pass(at: 5).scans == [])
  }

  @Test("an adapter makes no connection while it ends a link itself")
  func disconnecting() {
    var run = Driver(rooms: 3)
    run.window([1, 2])
    let submission = Submission(at: Driver.at(1.5), acknowledgement: nil)
    let report = AttemptResult(result: .success(submission), wasSubmitted: true, hasLink: true)
    run.send(.connected(attempt(1)), at: 1.3)
    #expect(run.state(2) == .connecting)
    run.fail(attempt(2), .connectFailed(FailedStep(.connect)), at: 1.4)
    run.send(.sessionEnded(report, attempt(1)), at: 4)
    let effects = run.receive([2, 3], at: 4.1) + run.pass(at: 6)
    #expect(effects.begun == [], "rooms 2 and 3 are candidates")
    #expect(run.state(1) == .disconnecting)
  }

  @Test(
    "the adapter that receives a device stronger by 15 dB makes the connection",
    arguments: [(-75, hci1), (-74, hci0)])
  func betterAdapter(rssi: Int, expected: RadioSession) {
    var run = Driver(rooms: 1, adapters: [Self.hci0, Self.hci1])
    run.receive([1], on: Self.hci0, rssi: rssi, at: 0.2)
    run.receive([1], on: Self.hci1, rssi: -60, at: 0.3)
    #expect(run.pass(at: 1.2).scanEnds == [])
    let first = run.send(.scanEnded(nil, Self.hci0), at: 1.3)
    if expected == Self.hci1 { #expect(run.wake == 2.3, "the other adapter may never connect to it") }
    let second = run.send(.scanEnded(nil, Self.hci1), at: 1.4)
    #expect(
      (first + second).compactMap { effect -> RadioSession? in
        if case .begin(let attempt) = effect { attempt.session } else { nil }
      } == [expected])
  }

  @Test(
    "an adapter leaves at most eight devices to a better one, and none if that one must not scan or its sighting is old"
  )
  func deferrals() {
    for (isRefused, room) in [(false, 9), (true, 1)] {
      var run = Driver(rooms: 10, adapters: [Self.hci0, Self.hci1])
      run.receive(Array(1...10), on: Self.hci0, rssi: -80, at: 0.2)
      run.receive(Array(1...10), on: Self.hci1, rssi: -60, at: 0.3)
      if isRefused { run.send(.scanEnded(CentralError(.busy), Self.hci1), at: 1.2) }
      #expect(run.send(.scanEnded(nil, Self.hci0), at: 1.3).begun == [attempt(room)])
    }
    var run = Driver(rooms: 1, adapters: [Self.hci0, Self.hci1])
    run.receive([1], on: Self.hci1, rssi: -60, at: 0.2)
    run.receive([1], on: Self.hci0, rssi: -80, at: 26)
    #expect(run.send(.scanEnded(nil, Self.hci0), at: 26.1).begun == [attempt(1)], "the other sighting is old")
  }

  @Test(
    "an adapter that received nothing beside another one is named at the end, if it scanned for 1.2 s",
    arguments: [(0.599, false, 0), (0.6, false, 1), (0.6, true, 0)])
  func silent(second: Double, isStopped: Bool, faults: Int) {
    var run = Driver(rooms: 1, retries: 0, adapters: [Self.hci0, Self.hci1])
    run.receive([1], on: Self.hci1, at: 0.05)
    run.send(.scanEnded(nil, Self.hci1), at: 0.1)
    run.send(.connected(attempt(1)), at: 0.2)
    if isStopped { run.send(.requested(.stop), at: 0.5) }
    run.fail(attempt(1), .refused(stage: .save, deviceText: "error:no"), at: second)
    #expect(run.machine.course.isStopping)
    let named = run.facts.compactMap { if case .adapterFaulted(let fact) = $0 { fact.adapter } else { nil } }
    #expect(named == Array(repeating: Self.hci0.adapter, count: faults))
  }

  @Test("a stack that permits no scan ends the run, unless another host has an adapter", arguments: [0, 1])
  func notPermitted(others: Int) {
    let adapter = AdapterID(BluetoothAddress(rawValue: 0xA1), on: HostName("attic"))
    let sessions = [Self.hci0, RadioSession(adapter: adapter, number: 2)]
    var run = Driver(rooms: 1, adapters: Array(sessions.prefix(1 + others)))
    run.send(.scanEnded(CentralError(.permissionDenied), Self.hci0), at: 0.5)
    #expect(run.machine.course.isStopping == (others == 0))
  }

  @Test("an adapter with a failed attempt at a device leaves it to another one")
  func otherAdapter() {
    var run = Driver(rooms: 1, adapters: [Self.hci0, Self.hci1])
    run.receive([1], on: Self.hci0, at: 0.2)
    run.send(.scanEnded(nil, Self.hci0), at: 1.3)
    run.send(.scanEnded(nil, Self.hci1), at: 1.3)
    run.fail(attempt(1), .connectTimedOut(), at: 4)
    run.pass(at: 6)
    run.send(.scanBegan(Self.hci0), at: 6.1)
    run.send(.scanBegan(Self.hci1), at: 6.1)
    run.receive([1], on: Self.hci0, at: 6.2)
    run.receive([1], on: Self.hci1, at: 6.2)
    let effects =
      run.send(.scanEnded(nil, Self.hci0), at: 6.3) + run.send(.scanEnded(nil, Self.hci1), at: 6.4)
    #expect(
      effects.contains { if case .begin(let attempt) = $0 { attempt.session == Self.hci1 } else { false } })
  }

  @Test("a first attempt is limited to three times the last connect times, and at least 3 s")
  func adaptiveLimit() {
    var run = Driver(rooms: 6, slots: 6)
    #expect(run.window(Array(1...6)).limits == [.seconds(6)])
    #expect(run.send(.connected(attempt(1)), at: 1.65).limits == [.seconds(6)])
    #expect(run.send(.connected(attempt(2)), at: 3.65).limits == [.seconds(6)])
    #expect(run.send(.connected(attempt(3)), at: 3.95).limits == [.seconds(6)], "three times 2 s")
    var quick = Driver(rooms: 6, slots: 6)
    quick.window(Array(1...6))
    for room in 1...2 { quick.send(.connected(attempt(room)), at: 1.3 + Double(room) * 0.2) }
    #expect(quick.send(.connected(attempt(3)), at: 1.9).limits == [.seconds(3)])
    var shared = Driver(rooms: 1)
    var adapter = Driver.adapter(Self.hci0)
    adapter.isScannedByOthers = true
    shared.send(.adapters(.success([adapter])), at: 0.1)
    #expect(shared.window([1]).limits == [.seconds(15)], "another program scans with it")
  }

  @Test("another program that scans is recorded once with its name, and nothing without any other program")
  func foreignScan() {
    var run = Driver(rooms: 1)
    var adapter = Driver.adapter(Self.hci0)
    func asks(_ effects: [RunEffect]) -> Bool {
      effects.contains { if case .askScanningClients = $0 { true } else { false } }
    }
    for clients in [[], ["bluetoothctl (pid 812)"], ["bluetoothctl (pid 812)"]] {
      adapter.isScannedByOthers = true
      run.send(.adaptersChanged, at: 1)
      let effects = run.send(.adapters(.success([adapter])), at: 1)
      for _ in 1...2 where asks(effects) { run.send(.scanningClients(clients, Self.hci0), at: 1.1) }
      #expect(!asks(run.send(.adapters(.success([adapter])), at: 1.2)), "once while it scans")
      adapter.isScannedByOthers = false
      run.send(.adaptersChanged, at: 2)
      run.send(.adapters(.success([adapter])), at: 2)
    }
    let found = run.facts.compactMap {
      if case .foreignScanDetected(let fact) = $0 { fact.clients } else { nil }
    }
    #expect(found == [["bluetoothctl (pid 812)"]])
  }

  @Test("an adapter that receives nothing is power-cycled once, and reported if that does not help")
  func deaf() {
    var run = Driver(rooms: 1)
    // It scanned for 0.6 s in the survey.
    #expect(run.pass(at: 8) == [.endScan(Self.hci0)])
    #expect(run.send(.scanEnded(nil, Self.hci0), at: 8) == [.scan(Self.hci0, forgetting: [])])
    run.send(.scanBegan(Self.hci0), at: 8)
    #expect(run.wake == 9.4)
    #expect(run.pass(at: 9.4) == [.endScan(Self.hci0)])
    #expect(run.send(.scanEnded(nil, Self.hci0), at: 9.4) == [.powerCycle(Self.hci0)])
    let fault = AdapterFault(adapter: Self.hci0.adapter, fault: .receivesNothing, wasPowerCycled: true)
    #expect(run.send(.powerCycled(nil, Self.hci0), at: 12) == [.listAdapters])
    run.send(.adapters(.success([Driver.adapter(Self.hci0)])), at: 12)
    run.use(Driver.hci0Again, at: 12)
    run.send(.scanBegan(Driver.hci0Again), at: 12)
    run.pass(at: 20)
    run.send(.scanEnded(nil, Driver.hci0Again), at: 20)
    run.send(.scanBegan(Driver.hci0Again), at: 20)
    run.pass(at: 22)
    let faults = run.facts.compactMap { if case .adapterFaulted(let fault) = $0 { fault } else { nil } }
    #expect(faults == [fault, AdapterFault(adapter: Self.hci0.adapter, fault: .receivesNothing)])
    #expect(run.pass(at: 23).contains { if case .powerCycle = $0 { true } else { false } } == false)
  }

  @Test("a refused scan is retried after 1, 2, 4, then 5 s, and the adapter is given up after ten refusals")
  func refusedScans() {
    var run = Driver(rooms: 1)
    var second = 0.5
    for pause in [1.0, 2, 4, 5, 5, 5, 5, 5, 5] {
      let effects = run.send(.scanEnded(CentralError(.busy), Self.hci0), at: second)
      #expect(effects == [])
      #expect(run.wake == second + pause)
      second += pause
      #expect(run.pass(at: second) == [.scan(Self.hci0, forgetting: [])])
    }
    run.send(.scanEnded(CentralError(.busy), Self.hci0), at: second)
    #expect(run.machine.course.isStopping, "the run had no other adapter")
  }
}
