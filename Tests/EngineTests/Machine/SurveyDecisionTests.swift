import Bluetooth
import Model
import Testing

@testable import Engine

/// Matching requires the advertisements of a complete survey, including the minors of other devices.
@Suite("decisions about the survey") struct SurveyDecisionTests {
  typealias Driver = MachineDriver
  static let (hci0, hci1) = (Driver.hci0, Driver.hci1)

  private func driver(_ adapters: [RadioSession], goal: RunMachine.Goal = .apply) -> Driver {
    var run = Driver([Sample.room(1, address: 1)], goal: goal) { $0.survey = .seconds(6) }
    run.start(adapters)
    return run
  }

  @Test("a survey lasts at least 3 s, even if every device was received at once")
  func shortest() {
    var run = driver([Self.hci0])
    #expect(run.wake == 8, "no adapter scans yet")
    run.send(.scanBegan(Self.hci0), at: 0.1)
    run.receive([1], at: 0.2)
    #expect(run.pass(at: 3) == [])
    #expect(run.pass(at: 3.1) == [.endScan(Self.hci0)])
  }

  @Test(
    "one of devices that send no identity ends once they were received: no other one can have a room's",
    arguments: [true, false])
  func withoutIdentity(isSearched: Bool) {
    var room = Sample.room(1, address: 1)
    var family = room.family
    family.identity = nil
    room.sharedFamily = Shared(family)
    if isSearched {
      room.address = nil
      room.deviceName = "Robo Sensor"
    }
    var run = Driver([room]) { $0.survey = .seconds(6) }
    run.start([Self.hci0])
    run.send(.scanBegan(Self.hci0), at: 0.1)
    run.receive([1], at: 0.2)
    #expect(run.pass(at: 1.2) == [])
    #expect((run.pass(at: 1.3) == [.endScan(Self.hci0)]) != isSearched, "another one may have the name")
  }

  @Test(
    "adapters that scanned long enough just before the run need a short survey, unless another one is used",
    arguments: [(true, false), (true, true), (false, false)])
  func surveyedBefore(isFirst: Bool, isPlan: Bool) {
    var run = Driver([Sample.room(1, address: 1)], goal: isPlan ? .plan : .apply) {
      ($0.survey, $0.surveyed) = (.seconds(6), isFirst ? [Self.hci0.adapter] : [Self.hci1.adapter])
    }
    run.start([Self.hci0])
    run.send(.scanBegan(Self.hci0), at: 0.1)
    run.receive([1], at: 0.2)
    #expect(run.pass(at: 1.2) == [])
    let isShort = isFirst && !isPlan
    #expect(run.pass(at: 1.3) == (isShort ? [.endScan(Self.hci0)] : []))
    if !isShort { #expect(run.pass(at: 3.1) == [.endScan(Self.hci0)]) }
  }

  @Test("one of several adapters that did not scan before the run needs the whole survey")
  func partlySurveyedBefore() {
    var run = Driver([Sample.room(1, address: 1), Sample.room(2, address: 2)]) {
      ($0.survey, $0.surveyed) = (.seconds(6), [Self.hci0.adapter])
    }
    run.start([Self.hci0, Self.hci1])
    for session in [Self.hci0, Self.hci1] { run.send(.scanBegan(session), at: 0.1) }
    run.receive([1, 2], at: 0.2)
    run.receive([9], on: Self.hci1, at: 0.2)
    #expect(run.pass(at: 1.3) == [.endScan(Self.hci0)], "the other one completes the survey")
    #expect(run.pass(at: 3.1) == [.endScan(Self.hci1)])
  }

  @Test("a scan window that ends by itself may end the survey")
  func endedByItself() {
    var run = driver([Self.hci0])
    run.send(.scanBegan(Self.hci0), at: 0.1)
    run.receive([1], at: 0.2)
    #expect(run.send(.scanEnded(nil, Self.hci0), at: 3.1).begun == [Driver.attempt(1)])
  }

  @Test("a plan needs the whole survey")
  func planned() {
    var run = driver([Self.hci0, Self.hci1], goal: .plan)
    for session in [Self.hci0, Self.hci1] { run.send(.scanBegan(session), at: 0.1) }
    run.receive([1], on: Self.hci0, at: 0.2)
    run.receive([9], on: Self.hci1, at: 0.2)
    #expect(run.pass(at: 1.3) == [])
    #expect(run.pass(at: 3.1) == [.endScan(Self.hci0), .endScan(Self.hci1)])
  }

  /// Two adapters that have received the device of the room; the first one is connected to it, and its session asks
  /// for the permission to write.
  private func split() -> Driver {
    var run = driver([Self.hci0, Self.hci1])
    for session in [Self.hci0, Self.hci1] { run.send(.scanBegan(session), at: 0.1) }
    run.receive([1], on: Self.hci0, at: 0.2)
    run.receive([9], on: Self.hci1, at: 0.2)
    #expect(run.pass(at: 1.2) == [])
    #expect(run.pass(at: 1.3) == [.endScan(Self.hci0)], "the other adapter completes the survey")
    #expect(run.send(.scanEnded(nil, Self.hci0), at: 1.4).begun == [Driver.attempt(1)])
    run.send(.connected(Driver.attempt(1)), at: 1.7)
    #expect(run.send(.asksToWrite(Driver.attempt(1)), at: 2.4) == [])
    return run
  }

  @Test("one of two adapters connects after its first scan window, and writes once the survey is over")
  func splitSurvey() {
    var run = split()
    #expect(run.pass(at: 3) == [])
    #expect(run.wake == 3.1)
    let effects = run.pass(at: 3.1)
    #expect(effects.contains(.answerWriter(Driver.attempt(1), nil)))
    #expect(effects.contains(.endScan(Self.hci1)))
  }

  @Test("the adapter that has scanned longest completes the survey: adapters begin one after the other")
  func firstCompletes() {
    var run = driver([Self.hci0, Self.hci1])
    run.send(.scanBegan(Self.hci0), at: 0.1)
    run.send(.scanBegan(Self.hci1), at: 0.5)
    for session in [Self.hci0, Self.hci1] { run.receive([1], on: session, at: 0.6) }
    #expect(run.pass(at: 1.3) == [], "the other adapter has scanned for 0.8 s")
    #expect(run.pass(at: 1.7) == [.endScan(Self.hci1)])
    #expect(run.send(.scanEnded(nil, Self.hci1), at: 1.8).begun == [Driver.attempt(1)])
    run.send(.connected(Driver.attempt(1)), at: 2.1)
    #expect(run.send(.asksToWrite(Driver.attempt(1)), at: 2.8) == [])
    #expect(run.wake == 3.1)
    #expect(run.pass(at: 3.1).contains(.answerWriter(Driver.attempt(1), nil)))
  }

  @Test("a device is not written if the rest of the survey receives the room's identity from another one")
  func identityInTheRest() throws {
    var run = split()
    run.receiveBeacon(1, from: 9, on: Self.hci1, at: 2.8)
    let answers = run.pass(at: 3.1).compactMap { effect -> FailureReason? in
      if case .answerWriter(_, let reason) = effect { reason } else { nil }
    }
    let reason = try #require(answers.first)
    #expect(reason.code == .identityOnAir)
    run.fail(Driver.attempt(1), reason, link: .local, at: 3.2)
    let outcomes = run.facts.compactMap { if case .roomFinished(let fact) = $0 { fact.outcome } else { nil } }
    #expect(outcomes == [.actionRequired])
  }

  @Test("a lost adapter completes no survey, so nobody waits for it")
  func lostListener() {
    var run = split()
    run.send(.adaptersChanged, at: 2.5)
    let effects = run.send(.adapters(.success([Driver.adapter(Self.hci0)])), at: 2.5)
    #expect(effects.contains(.answerWriter(Driver.attempt(1), nil)))
  }

  @Test("a survey is not split before every room has its device")
  func whole() {
    var run = Driver([Sample.room(1, address: 1), Sample.room(2, address: 2)]) { $0.survey = .seconds(6) }
    run.start([Self.hci0, Self.hci1])
    for session in [Self.hci0, Self.hci1] { run.send(.scanBegan(session), at: 0.1) }
    run.receive([1, 2], at: 0.2)
    run.receiveBeacon(2, from: 9, on: Self.hci1, at: 0.3)
    #expect(run.pass(at: 1.3) == [])
    #expect(run.pass(at: 3.1) == [.endScan(Self.hci0), .endScan(Self.hci1)])
  }

  @Test("a survey is not split while a room's device needs the operator's consent")
  func consent() {
    var near = Sample.room(2)
    near.near = "hci1"
    var run = Driver([Sample.room(1, address: 1), near]) { $0.survey = .seconds(6) }
    run.start([Self.hci0, Self.hci1])
    run.send(.scanBegan(Self.hci1), at: 0.1)
    for second in [0.2, 1.2, 2.2] { run.receive([1, 2], on: Self.hci1, at: second) }
    #expect(run.pass(at: 3.1) == [.endScan(Self.hci0), .endScan(Self.hci1)])
    for session in [Self.hci0, Self.hci1] {
      #expect(run.send(.scanEnded(nil, session), at: 3.2).scans == [session])
    }
    for session in [Self.hci0, Self.hci1] { run.send(.scanBegan(session), at: 3.3) }
    run.receive([1, 2], on: Self.hci1, at: 3.4)
    run.receive([1], on: Self.hci0, at: 3.4)
    // Its device is found by now: both have scanned for 1.3 s, and it was received for 4.4 s.
    #expect(run.pass(at: 4.6) == [])
  }

  @Test("a survey lasts its full time while a device was not received")
  func unreceived() {
    var run = driver([Self.hci0])
    run.send(.scanBegan(Self.hci0), at: 0.1)
    run.receive([9], at: 0.2)
    // It sends nothing of its family.
    var silent = Sample.waiting(1, at: 0.2)
    (silent.adapter, silent.localName) = (Self.hci0.adapter, nil)
    run.send(.received(silent, Self.hci0), at: 0.2)
    #expect(run.pass(at: 6) == [])
    #expect(run.pass(at: 6.1) == [.endScan(Self.hci0)])
  }

  @Test("a survey ends at the next advertisement if that is handled before the passing of the time")
  func lateInput() {
    var run = driver([Self.hci0])
    run.send(.scanBegan(Self.hci0), at: 0.1)
    run.receive([9], at: 5.9)
    #expect(run.wake == 6.1)
    #expect(run.receive([9], at: 6.1) == [.endScan(Self.hci0)])
  }

  @Test("a survey lasts until the adapter that began last has scanned for 3 s")
  func slowest() {
    var run = driver([Self.hci0, Self.hci1])
    run.send(.scanBegan(Self.hci0), at: 0.1)
    run.receive([1], at: 0.2)
    run.send(.scanBegan(Self.hci1), at: 2)
    #expect(run.pass(at: 3.2) == [])
    #expect(run.pass(at: 4.9) == [])
    #expect(run.pass(at: 5) == [.endScan(Self.hci0), .endScan(Self.hci1)])
  }

  @Test("a device that only a lost adapter received must be received again before the survey ends early")
  func lostAdapter() {
    var run = driver([Self.hci0, Self.hci1])
    for session in [Self.hci0, Self.hci1] { run.send(.scanBegan(session), at: 0.1) }
    run.receive([1], on: Self.hci0, at: 0.2)
    #expect(run.send(.adapters(.success([Driver.adapter(Self.hci1)])), at: 1) == [.endScan(Self.hci0)])
    #expect(run.pass(at: 3.2) == [])
    #expect(run.pass(at: 5) == [])
    #expect(run.receive([1], on: Self.hci1, at: 5.2) == [.endScan(Self.hci1)])
  }

  @Test("every device must be received again after a pause of the host")
  func hostPause() {
    var run = driver([Self.hci0])
    run.send(.scanBegan(Self.hci0), at: 0.1)
    run.receive([1], at: 0.2)
    run.send(.hostPaused(HostPause(.suspended, seconds: 60)), at: 1)
    #expect(run.pass(at: 3.2) == [])
    #expect(run.receive([1], at: 4) == [.endScan(Self.hci0)])
  }
}
