import Bluetooth
import Testing

@testable import Provisioning

/// The schedule's decisions, step by step.
@Suite("The schedule") struct ScheduleTests {
  typealias Action = Schedule.Action
  /// The first sessions of two adapters.
  static let hci0 = RadioSession(adapter: AdapterID(BluetoothAddress(rawValue: 0xA0)), number: 1)
  static let hci1 = RadioSession(adapter: AdapterID(BluetoothAddress(rawValue: 0xA1)), number: 2)

  private static func device(_ number: Int) -> BluetoothAddress { BluetoothAddress(rawValue: UInt64(number)) }
  private static func room(_ number: Int) -> RoomID { RoomID(rawValue: "r\(number)") }
  /// To the millisecond: a binary fraction of a second is none of ours.
  private func at(_ seconds: Double) -> MonotonicInstant {
    .init(sinceZero: .milliseconds(Int((seconds * 1000).rounded())))
  }

  /// A schedule with these rooms, each with its device, over one adapter unless said otherwise.
  private func schedule(
    rooms: Int, adapters: [RadioSession] = [hci0], retries: Int = 2, parallel: Int? = nil, slots: Int = 5
  ) -> Schedule {
    var schedule = Schedule(parallel: parallel)
    for session in adapters { #expect(schedule.add(session.adapter, slots: slots, at: at(0)) == session) }
    for number in 1...rooms {
      schedule.add(
        .init(
          room: Self.room(number), address: Self.device(number), approach: .dialled(firstCall: .seconds(3)),
          retries: retries, search: .seconds(15)), at: at(0))
    }
    return schedule
  }

  private func call(
    _ number: Int, on session: RadioSession = hci0, attempt: Int = 1, patience: Duration? = .seconds(6)
  ) -> Action {
    .call(
      .init(
        room: Self.room(number), address: Self.device(number), session: session, attempt: attempt,
        patience: patience))
  }

  private func hear(
    _ schedule: inout Schedule, _ numbers: [Int], on session: RadioSession = hci0, rssi: Int = -50,
    at second: Double
  ) {
    for number in numbers {
      schedule.reported(on: session, at: at(second))
      _ = schedule.heard(Self.device(number), on: session.adapter, rssi: rssi, at: at(second))
    }
  }

  @Test("listens before it calls anybody, for a window at least, and never both")
  func windows() {
    var schedule = schedule(rooms: 3)
    #expect(schedule.next(at: at(0)) == [.listen(Self.hci0)])
    schedule.listeningBegan(on: Self.hci0, at: at(0))
    hear(&schedule, [2, 1], at: 0.2)
    #expect(schedule.next(at: at(0.2)) == [])
    #expect(schedule.wake(after: at(0.2)) == at(1.2))
    #expect(schedule.next(at: at(1.2)) == [.stopListening(Self.hci0)])
    // Until it has stopped, nobody is called.
    #expect(schedule.next(at: at(1.25)) == [])
    schedule.listeningEnded(on: Self.hci0, at: at(1.3))
    #expect(schedule.next(at: at(1.3)) == [call(1)])
  }

  @Test("listens no longer than until everybody was heard")
  func allHeard() {
    var schedule = schedule(rooms: 2)
    _ = schedule.next(at: at(0))
    schedule.listeningBegan(on: Self.hci0, at: at(0))
    hear(&schedule, [1, 2], at: 0.2)
    #expect(schedule.next(at: at(0.2)) == [.stopListening(Self.hci0)])
  }

  @Test("makes one call at a time, and the next while the conversation goes on")
  func calls() {
    var schedule = schedule(rooms: 3)
    hear(&schedule, [1, 2, 3], at: 0)
    #expect(schedule.next(at: at(0)) == [call(1)])
    #expect(schedule.next(at: at(0.1)) == [])
    schedule.answered(Self.room(1), at: at(0.1))
    #expect(schedule.next(at: at(0.4)) == [call(2)])
    #expect(schedule.conversations == 2)
  }

  @Test(
    "holds no more conversations than there are slots, or than are allowed", arguments: [(2, nil), (5, 2)])
  func slots(slots: Int, parallel: Int?) {
    var schedule = schedule(rooms: 4, parallel: parallel, slots: slots)
    hear(&schedule, [1, 2, 3, 4], at: 0)
    for number in 1...2 {
      #expect(schedule.next(at: at(0)) == [call(number)])
      schedule.answered(Self.room(number), at: at(0))
    }
    #expect(schedule.next(at: at(0)) == [])
    schedule.released(Self.room(1))
    #expect(schedule.next(at: at(1)) == [call(3)])
  }

  @Test("hears again before a call whom it heard long ago")
  func freshness() {
    var schedule = schedule(rooms: 2)
    hear(&schedule, [1], at: 0)
    hear(&schedule, [2], at: 10)
    #expect(schedule.next(at: at(25.1)) == [call(2)])
    schedule.finish(Self.room(2))
    #expect(schedule.next(at: at(25.2)) == [.listen(Self.hci0)])
  }

  @Test("interrupts its calls for a window when somebody is to be heard, and not otherwise")
  func callingPhase() {
    var schedule = schedule(rooms: 9)
    hear(&schedule, Array(1...9), at: 0)
    #expect(schedule.next(at: at(0)) == [call(1)])
    schedule.released(Self.room(1))
    #expect(schedule.next(at: at(10)) == [call(2)], "nobody is to be heard")
    schedule.awaitProof(of: Self.room(1), on: Self.hci0.adapter, for: .seconds(30), at: at(10))
    schedule.answered(Self.room(2), at: at(10))
    #expect(schedule.next(at: at(22.9)) == [call(3)])
    schedule.answered(Self.room(3), at: at(22.9))
    #expect(schedule.next(at: at(23)) == [.listen(Self.hci0)])
  }

  @Test("leaves conversations in peace for a while after a window, and none the longer for it")
  func quiet() {
    var schedule = schedule(rooms: 2)
    hear(&schedule, [1], at: 0)
    #expect(schedule.next(at: at(0)) == [call(1)])
    schedule.answered(Self.room(1), at: at(0))
    // Room 2 is yet to be heard.
    #expect(schedule.next(at: at(0.4)) == [])
    #expect(schedule.wake(after: at(0.4)) == at(10))
    #expect(schedule.next(at: at(10)) == [.listen(Self.hci0)])
    schedule.listeningBegan(on: Self.hci0, at: at(10))
    #expect(schedule.wake(after: at(10)) == at(11.2))
    #expect(schedule.next(at: at(11.2)) == [.stopListening(Self.hci0)])
    schedule.listeningEnded(on: Self.hci0, at: at(11.3))
    #expect(schedule.next(at: at(11.3)) == [])
    #expect(schedule.wake(after: at(11.3)) == at(21.3))
    #expect(schedule.next(at: at(21.3)) == [.listen(Self.hci0)])
    // Without a conversation there is nothing to be left in peace.
    schedule.listeningBegan(on: Self.hci0, at: at(21.3))
    _ = schedule.next(at: at(22.5))
    schedule.listeningEnded(on: Self.hci0, at: at(22.6))
    #expect(schedule.next(at: at(22.6)) == [])
    schedule.released(Self.room(1))
    #expect(schedule.next(at: at(22.7)) == [.listen(Self.hci0)])
  }

  @Test("listens only once in vain for devices that others are about to call")
  func inVain() {
    var schedule = schedule(rooms: 3, adapters: [Self.hci0, Self.hci1])
    hear(&schedule, [1, 2, 3], at: 0)
    #expect(schedule.next(at: at(0)) == [call(1), .listen(Self.hci1)])
    schedule.listeningBegan(on: Self.hci1, at: at(0))
    schedule.listeningEnded(on: Self.hci1, at: at(1.2))
    #expect(schedule.next(at: at(1.3)) == [])
    // One that nobody hears any more is another matter.
    schedule.mustBeHeardAgain(Self.device(2))
    schedule.answered(Self.room(1), at: at(1.3))
    #expect(schedule.next(at: at(1.4)) == [call(3), .listen(Self.hci1)])
  }

  @Test("begins no call on an adapter that is ending a link itself")
  func hangingUp() {
    var schedule = schedule(rooms: 2)
    hear(&schedule, [1, 2], at: 0)
    _ = schedule.next(at: at(0))
    schedule.answered(Self.room(1), at: at(0))
    schedule.hangsUp(Self.room(1))
    #expect(schedule.next(at: at(1)) == [])
    schedule.released(Self.room(1))
    #expect(schedule.next(at: at(3)) == [call(2)])
  }

  @Test("has a device searched where it was ever heard, and after a failure elsewhere first")
  func searchedWhere() {
    var schedule = Schedule()
    for session in [Self.hci0, Self.hci1] { _ = schedule.add(session.adapter, at: at(0)) }
    schedule.add(
      .init(
        room: Self.room(1), address: Self.device(1), approach: .searched, retries: 3, search: .seconds(15)),
      at: at(0))
    hear(&schedule, [1], on: Self.hci1, at: 0)
    schedule.mustBeHeardAgain(Self.device(1))
    #expect(schedule.next(at: at(1)) == [call(1, on: Self.hci1, patience: nil)])
    let pause = schedule.attemptFailed(Self.room(1), .missing, in: Self.hci1, at: at(2), jitter: 0)
    #expect(pause == .seconds(2))
    // Nobody else ever heard it.
    #expect(schedule.next(at: at(4)) == [call(1, on: Self.hci1, attempt: 2, patience: nil)])
    _ = schedule.attemptFailed(Self.room(1), .missing, in: Self.hci1, at: at(5), jitter: 0)
    hear(&schedule, [1], on: Self.hci0, at: 6)
    #expect(schedule.next(at: at(10)) == [call(1, on: Self.hci0, attempt: 3, patience: nil)])
  }

  @Test("gives a proof the time that its own adapter listens, and ends it to the instant")
  func proofs() {
    var schedule = schedule(rooms: 1, adapters: [Self.hci0, Self.hci1])
    hear(&schedule, [1], at: 0)
    _ = schedule.next(at: at(0))
    schedule.released(Self.room(1))
    schedule.awaitProof(of: Self.room(1), on: Self.hci0.adapter, for: .seconds(30), at: at(2))
    schedule.listeningBegan(on: Self.hci1, at: at(2))
    #expect(!schedule.next(at: at(40)).contains(.proofOver(Self.room(1))))
    schedule.listeningBegan(on: Self.hci0, at: at(50))
    schedule.reported(on: Self.hci0, at: at(79))
    #expect(schedule.wake(after: at(79)) == at(80))
    #expect(!schedule.next(at: at(79.9)).contains(.proofOver(Self.room(1))))
    #expect(schedule.next(at: at(80)).contains(.proofOver(Self.room(1))))
  }

  @Test("gives up whom every adapter has listened for in vain, twice as long as a search takes")
  func silence() {
    var schedule = schedule(rooms: 1, adapters: [Self.hci0, Self.hci1])
    #expect(schedule.next(at: at(0)) == [.listen(Self.hci0), .listen(Self.hci1)])
    schedule.listeningBegan(on: Self.hci0, at: at(0))
    #expect(schedule.next(at: at(100)) == [.stopListening(Self.hci0), .stopListening(Self.hci1)])
    schedule.listeningBegan(on: Self.hci1, at: at(100))
    #expect(schedule.wake(after: at(100)) == at(130))
    #expect(
      schedule.next(at: at(130)).first == .giveUp(Self.room(1), FailureReason(.neverHeard)))
    #expect(schedule.isFinished)
  }

  @Test("ends a window before the kernel does, and begins another")
  func longestWindow() {
    var schedule = schedule(rooms: 1)
    _ = schedule.next(at: at(0))
    schedule.listeningBegan(on: Self.hci0, at: at(0))
    #expect(schedule.next(at: at(7.9)) == [])
    #expect(schedule.wake(after: at(7.9)) == at(8))
    #expect(schedule.next(at: at(8)) == [.stopListening(Self.hci0)])
    schedule.listeningEnded(on: Self.hci0, at: at(8.1))
    #expect(schedule.next(at: at(8.1)) == [.listen(Self.hci0)])
  }

  @Test("gives a first call little time where there are further ones, and the last all it may have")
  func patience() {
    var schedule = schedule(rooms: 1, retries: 1)
    hear(&schedule, [1], at: 0)
    #expect(schedule.next(at: at(0)) == [call(1)])
    let pause = schedule.attemptFailed(Self.room(1), .transient, in: Self.hci0, at: at(3), jitter: 0)
    #expect(pause == .seconds(2))
    hear(&schedule, [1], at: 4)
    #expect(schedule.next(at: at(5)) == [call(1, attempt: 2, patience: nil)])
    var single = self.schedule(rooms: 1, retries: 0)
    hear(&single, [1], at: 0)
    #expect(single.next(at: at(0)) == [call(1, patience: nil)])
  }

  @Test("sends who failed to the back of the queue")
  func queue() {
    var schedule = schedule(rooms: 3)
    hear(&schedule, [1, 2, 3], at: 0)
    #expect(schedule.next(at: at(0)) == [call(1)])
    _ = schedule.attemptFailed(Self.room(1), .transient, in: Self.hci0, at: at(0.5), jitter: 0)
    #expect(schedule.next(at: at(0.5)) == [call(2)])
    hear(&schedule, [1], at: 2.6)
    schedule.answered(Self.room(2), at: at(2.6))
    #expect(schedule.next(at: at(2.6)) == [call(3)])
    schedule.answered(Self.room(3), at: at(2.6))
    #expect(schedule.next(at: at(3)) == [call(1, attempt: 2, patience: nil)])
  }

  @Test("tries again on another adapter that hears it, and leaves a call to who hears it clearly better")
  func otherAdapter() {
    var schedule = schedule(rooms: 2, adapters: [Self.hci0, Self.hci1])
    for session in [Self.hci0, Self.hci1] { hear(&schedule, [1], on: session, at: 0) }
    hear(&schedule, [2], on: Self.hci0, rssi: -80, at: 0)
    hear(&schedule, [2], on: Self.hci1, rssi: -60, at: 0)
    #expect(schedule.next(at: at(0)) == [call(1), call(2, on: Self.hci1)])
    _ = schedule.attemptFailed(Self.room(1), .transient, in: Self.hci0, at: at(1), jitter: 0)
    schedule.answered(Self.room(2), at: at(1))
    for session in [Self.hci0, Self.hci1] { hear(&schedule, [1], on: session, at: 3) }
    #expect(schedule.next(at: at(3)).contains(call(1, on: Self.hci1, attempt: 2, patience: nil)))
  }

  @Test("goes on with the adapters that are left, and has their devices heard by these")
  func adapterLost() {
    var schedule = schedule(rooms: 1, adapters: [Self.hci0, Self.hci1])
    hear(&schedule, [1], on: Self.hci0, at: 0)
    #expect(schedule.next(at: at(0)).contains(call(1)))
    schedule.remove(Self.hci0, at: at(1))
    let pause = schedule.attemptFailed(Self.room(1), .host, in: Self.hci0, at: at(1), jitter: 0)
    #expect(pause == Schedule.Limits.firstPause)
    schedule.listeningEnded(on: Self.hci1, at: at(1))
    hear(&schedule, [1], on: Self.hci1, at: 3)
    #expect(schedule.next(at: at(3)) == [call(1, on: Self.hci1, attempt: 2)])
  }

  @Test("calls whom its own session searches without having heard it")
  func searched() {
    var schedule = schedule(rooms: 1)
    schedule.finish(Self.room(1))
    schedule.add(
      .init(room: "s", address: Self.device(9), approach: .searched, search: .seconds(9)), at: at(0))
    #expect(
      schedule.next(at: at(0))
        == [.call(.init(room: "s", address: Self.device(9), session: Self.hci0, attempt: 1, patience: nil))])
  }

  @Test("pauses longer each time, up to a bound")
  func pauses() {
    var schedule = schedule(rooms: 1, retries: 20)
    let pauses = (0..<20).compactMap { _ in
      schedule.attemptFailed(Self.room(1), .transient, in: Self.hci0, at: at(0), jitter: 0)
    }
    #expect(pauses.count == 20)
    #expect(Array(pauses.prefix(5)) == [.seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30)])
    #expect(pauses.last == .seconds(30))
  }

  @Test("charges the host's trouble to no device")
  func hostFailures() {
    var schedule = schedule(rooms: 1, retries: 1)
    for _ in 0..<3 {
      let pause = schedule.attemptFailed(Self.room(1), .host, in: Self.hci0, at: at(0), jitter: 0)
      #expect(pause == Schedule.Limits.firstPause)
    }
    let first = schedule.attemptFailed(Self.room(1), .transient, in: Self.hci0, at: at(0), jitter: 0)
    #expect(first != nil)
    let second = schedule.attemptFailed(Self.room(1), .transient, in: Self.hci0, at: at(0), jitter: 0)
    #expect(second == nil)
  }

  @Test(
    "has a budget for each class of failure",
    arguments: [
      (.transient, 3), (.missing, 3), (.outOfSlots, 5), (.host, 5), (.forgotten, 20), (.refused, 1),
      (.permanent, 0), (.cancelled, 0),
    ] as [(FailureClass, Int)])
  func budgets(failure: FailureClass, retries: Int) {
    var schedule = schedule(rooms: 2, retries: 3)
    var count = 0
    while schedule.attemptFailed(Self.room(1), failure, in: Self.hci0, at: at(0), jitter: 0) != nil {
      count += 1
    }
    #expect(count == retries)
    #expect(!schedule.isFinished)
    schedule.finish(Self.room(2))
    #expect(schedule.isFinished)
  }

  // MARK: Sessions

  /// The second session of the first adapter.
  private static let hci0Again = RadioSession(adapter: hci0.adapter, number: 2)

  @Test("lets no link of an earlier session give back a slot of the present one")
  func staleLink() {
    var schedule = schedule(rooms: 3, slots: 1)
    hear(&schedule, [1, 2, 3], at: 0)
    _ = schedule.next(at: at(0))
    schedule.answered(Self.room(1), at: at(0.3))
    schedule.remove(Self.hci0, at: at(1))
    #expect(schedule.add(Self.hci0.adapter, slots: 1, at: at(1.02)) == Self.hci0Again)
    hear(&schedule, [2, 3], on: Self.hci0Again, at: 1.1)
    #expect(schedule.next(at: at(1.1)) == [call(2, on: Self.hci0Again)])
    schedule.answered(Self.room(2), at: at(1.4))
    // The link of the first session ends only now.
    schedule.released(Self.room(1))
    #expect(schedule.conversations == 1)
    #expect(schedule.next(at: at(1.5)) == [])
  }

  @Test("lets no scan window of an earlier session end one of the present one")
  func staleWindow() {
    var schedule = schedule(rooms: 1)
    #expect(schedule.next(at: at(0)) == [.listen(Self.hci0)])
    schedule.remove(Self.hci0, at: at(0.5))
    _ = schedule.add(Self.hci0.adapter, at: at(0.52))
    #expect(schedule.next(at: at(0.52)) == [.listen(Self.hci0Again)])
    schedule.listeningBegan(on: Self.hci0Again, at: at(0.6))
    schedule.listeningEnded(on: Self.hci0, at: at(0.7), heldUntil: at(99))
    #expect(schedule.next(at: at(0.7)) == [], "the window is still open")
    hear(&schedule, [1], on: Self.hci0Again, at: 1)
    #expect(schedule.next(at: at(1.8)) == [.stopListening(Self.hci0Again)])
  }

  // MARK: Limits that follow from what an adapter shows

  @Test("gives a first attempt three times as long as connecting took lately, and 3 s at least")
  func adaptivePatience() {
    var schedule = schedule(rooms: 6, slots: 9)
    hear(&schedule, Array(1...6), at: 0)
    var second = 0.0
    for (number, took) in [(1, 0.4), (2, 2.0), (3, 0.3)] {
      #expect(schedule.next(at: at(second)) == [call(number)])
      second += took
      schedule.answered(Self.room(number), at: at(second))
    }
    #expect(schedule.next(at: at(second)) == [call(4, patience: .seconds(6))])
    for _ in 0..<8 { schedule.connectTimes[Self.hci0.adapter]?.append(.milliseconds(200)) }
    schedule.connectTimes[Self.hci0.adapter]?.removeFirst(3)
    schedule.answered(Self.room(4), at: at(second + 0.2))
    #expect(schedule.next(at: at(second + 0.2)) == [call(5, patience: .seconds(3))])
  }

  @Test("gives it all the time there is while another program scans with the adapter")
  func sharedPatience() {
    var schedule = schedule(rooms: 1)
    schedule.setShared(true, Self.hci0)
    hear(&schedule, [1], at: 0)
    #expect(schedule.next(at: at(0)) == [call(1, patience: nil)])
  }

  @Test("takes a controller that is full for what it holds, and charges nobody")
  func fullController() {
    var schedule = schedule(rooms: 4, retries: 0, slots: 7)
    hear(&schedule, Array(1...4), at: 0)
    for number in 1...2 {
      _ = schedule.next(at: at(0))
      schedule.answered(Self.room(number), at: at(0))
    }
    _ = schedule.next(at: at(1))
    let pause = schedule.attemptFailed(Self.room(3), .outOfSlots, in: Self.hci0, at: at(1), jitter: 0)
    #expect(pause != nil)
    #expect(schedule.next(at: at(1)) == [], "it holds two links, and no more")
    schedule.released(Self.room(1))
    #expect(schedule.next(at: at(2)) == [call(4, patience: nil)])
  }

  @Test("connects to nothing on an adapter on which links of an earlier run are being ended")
  func releasing() {
    var schedule = schedule(rooms: 1)
    schedule.setReleasing(true, Self.hci0)
    hear(&schedule, [1], at: 0)
    #expect(schedule.next(at: at(0)) == [])
    schedule.setReleasing(false, Self.hci0)
    #expect(schedule.next(at: at(3)) == [call(1)])
  }

  @Test("has an adapter that hears nothing switched off and on once, and then reported once")
  func deaf() {
    var schedule = schedule(rooms: 1)
    #expect(schedule.next(at: at(0)) == [.listen(Self.hci0)])
    schedule.listeningBegan(on: Self.hci0, at: at(0))
    #expect(schedule.next(at: at(8)) == [.stopListening(Self.hci0)])
    schedule.listeningEnded(on: Self.hci0, at: at(8))
    #expect(schedule.next(at: at(8)) == [.listen(Self.hci0)])
    schedule.listeningBegan(on: Self.hci0, at: at(8))
    #expect(schedule.wake(after: at(8)) == at(10))
    #expect(schedule.next(at: at(10)) == [.stopListening(Self.hci0)])
    schedule.listeningEnded(on: Self.hci0, at: at(10))
    #expect(schedule.next(at: at(10)) == [.powerCycle(Self.hci0)])
    schedule.remove(Self.hci0, at: at(12))
    _ = schedule.add(Self.hci0.adapter, wasPowerCycled: true, at: at(12))
    #expect(schedule.next(at: at(12)) == [.listen(Self.hci0Again)])
    schedule.listeningBegan(on: Self.hci0Again, at: at(12))
    #expect(schedule.next(at: at(20)) == [.stopListening(Self.hci0Again)])
    schedule.listeningEnded(on: Self.hci0Again, at: at(20))
    _ = schedule.next(at: at(20))
    schedule.listeningBegan(on: Self.hci0Again, at: at(20))
    #expect(schedule.next(at: at(22)) == [.reportDeaf(Self.hci0Again)])
    #expect(schedule.isDeaf(at: at(22)))
    #expect(!schedule.next(at: at(23)).contains(.reportDeaf(Self.hci0Again)))
    // A single report, of whatever device, shows that it hears.
    schedule.reported(on: Self.hci0Again, at: at(24))
    #expect(!schedule.isDeaf(at: at(24)))
  }

  @Test("goes on counting scan time when its only adapter comes back, and begins the survey anew")
  func scanTime() {
    var schedule = schedule(rooms: 1)
    _ = schedule.next(at: at(0))
    schedule.listeningBegan(on: Self.hci0, at: at(0))
    #expect(schedule.surveyTime(at: at(6)) == .seconds(6))
    schedule.remove(Self.hci0, at: at(6))
    #expect(schedule.surveyTime(at: at(7)) == .zero)
    #expect(schedule.leastEars(at: at(7)) == .seconds(6))
    _ = schedule.add(Self.hci0.adapter, at: at(8))
    schedule.listeningBegan(on: Self.hci0Again, at: at(8))
    #expect(schedule.surveyTime(at: at(10)) == .seconds(2))
    #expect(schedule.leastEars(at: at(10)) == .seconds(8))
  }
}
