import Bluetooth
import Model
import SampleFacts
import Testing

@testable import Engine

@Suite("retry policy") struct RetryPolicyTests {
  @Test(
    "each failure class has its own retry budget",
    arguments: [
      (.transient, 3), (.missing, 3), (.outOfSlots, 5), (.host, 5), (.forgotten, 7), (.refused, 1),
      (.permanent, 0), (.cancelled, 0),
    ] as [(FailureClass, Int)])
  func budgets(failure: FailureClass, retries: Int) {
    var budget = RetryBudget()
    var count = 0
    budget.charge(failure)
    while case .retry = RetryPolicy.decide(after: failure, budget, retries: 3, jitter: 0) {
      count += 1
      budget.charge(failure)
    }
    #expect(count == retries)
  }

  @Test("back-offs grow up to a bound")
  func pauses() {
    var budget = RetryBudget()
    let pauses = (0..<8).compactMap { _ -> Duration? in
      budget.charge(.transient)
      let decision = RetryPolicy.decide(after: .transient, budget, retries: 20, jitter: 0)
      return if case .retry(let pause) = decision { pause } else { nil }
    }
    #expect(
      pauses == [
        .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30), .seconds(30), .seconds(30),
        .seconds(30),
      ])
    let jittered = RetryPolicy.decide(after: .transient, budget, retries: 20, jitter: 1)
    #expect(jittered == .retry(.seconds(45)))
  }

  @Test("failures of the host are charged to no device")
  func hostFailures() {
    var budget = RetryBudget()
    for _ in 0..<3 { budget.charge(.host) }
    budget.charge(.outOfSlots)
    budget.charge(.forgotten)
    #expect(budget.charged == 0)
    #expect(RetryPolicy.decide(after: .host, budget, retries: 1, jitter: 0) == .retry(.seconds(2)))
    budget.charge(.transient)
    #expect(RetryPolicy.decide(after: .transient, budget, retries: 1, jitter: 0) == .retry(.seconds(2)))
    budget.charge(.transient)
    #expect(RetryPolicy.decide(after: .transient, budget, retries: 1, jitter: 0) == .exhausted)
    budget.renew()
    budget.charge(.transient)
    #expect(RetryPolicy.decide(after: .transient, budget, retries: 1, jitter: 0) == .retry(.seconds(2)))
  }

  @Test("a failure that a retry cannot resolve gets none", arguments: [FailureClass.permanent, .cancelled])
  func final(failure: FailureClass) {
    var budget = RetryBudget()
    budget.charge(failure)
    #expect(RetryPolicy.decide(after: failure, budget, retries: 20, jitter: 0) == .final)
  }

  @Test(
    "a retry follows without back-off when the stack forgot a device once, with a longer one each further time"
  )
  func forgotten() {
    var budget = RetryBudget()
    let pauses = (1...8).map { _ in
      budget.charge(.forgotten)
      return RetryPolicy.decide(after: .forgotten, budget, retries: 0, jitter: 0)
    }
    let seconds = [0, 2, 4, 8, 16, 30, 30]
    #expect(pauses == seconds.map { .retry(.seconds($0)) } + [.exhausted])
  }
}

@Suite("connect policy") struct ConnectPolicyTests {
  struct Case: Sendable {
    var answersWithin: Duration? = .seconds(3)
    var charged = 0
    var retries = 2
    var times: [Duration] = []
    var isShared = false
    var limit: Duration?
  }

  @Test(
    "the limit of an attempt follows from the last connect times, and the last attempt has none",
    arguments: [
      Case(limit: .seconds(6)),
      Case(times: [.seconds(1), .seconds(1)], limit: .seconds(6)),
      Case(times: [.milliseconds(300), .milliseconds(300), .milliseconds(300)], limit: .seconds(3)),
      Case(times: [.milliseconds(300), .seconds(2), .milliseconds(300)], limit: .seconds(6)),
      Case(answersWithin: nil, limit: nil),
      Case(charged: 1, limit: .seconds(12)),
      Case(
        charged: 1, times: [.milliseconds(300), .milliseconds(300), .milliseconds(300)], limit: .seconds(6)),
      Case(charged: 2, limit: nil),
      Case(charged: 2, retries: 20, limit: .seconds(24)),
      Case(retries: 0, limit: nil),
      Case(isShared: true, limit: nil),
    ])
  func limits(_ row: Case) {
    let limit = ConnectPolicy.limit(
      answersWithin: row.answersWithin, charged: row.charged, retries: row.retries, times: row.times,
      isShared: row.isShared)
    #expect(limit == row.limit)
  }

  @Test(
    "the limit of a discovery follows from the last sessions, and the last attempt has none",
    arguments: [
      Case(limit: nil),
      Case(times: [.seconds(3), .seconds(3)], limit: nil),
      Case(times: [.seconds(3), .seconds(4), .seconds(3)], limit: .seconds(6)),
      Case(times: [.seconds(1), .seconds(1), .seconds(1)], limit: .seconds(3)),
      Case(charged: 1, times: [.seconds(3), .seconds(4), .seconds(3)], limit: .seconds(12)),
      Case(charged: 2, times: [.seconds(3), .seconds(4), .seconds(3)], limit: nil),
      Case(answersWithin: nil, times: [.seconds(3), .seconds(4), .seconds(3)], limit: nil),
      Case(times: [.seconds(3), .seconds(4), .seconds(3)], isShared: true, limit: nil),
    ])
  func discoveries(_ row: Case) {
    let limit = ConnectPolicy.discoveryLimit(
      answersWithin: row.answersWithin, charged: row.charged, retries: row.retries, sessions: row.times,
      isShared: row.isShared)
    #expect(limit == row.limit)
  }
}

@Suite("slots of an adapter") struct LinkSlotsTests {
  @Test("stated slots never grow, and shrink when the controller refuses twice in a row")
  func stated() {
    var slots = LinkSlots(stated: 3)
    slots.connected(holding: 3)
    #expect(slots.limit == 3 && !slots.isTrial(making: 3))
    slots.mayHaveRefused(holding: 2)
    #expect(slots.limit == 3)
    slots.mayHaveRefused(holding: 2)
    #expect(slots.limit == 2 && slots.found == nil, "it is the manifest's to correct")
    var more = LinkSlots(stated: 8)
    for links in 1...5 { more.connected(holding: links) }
    more.mayHaveRefused(holding: 5)
    #expect(more.limit == 8, "once is no proof")
  }

  @Test(
    "what the controller held in an earlier run is the limit, but at least what every controller holds",
    arguments: [(7, 7), (5, 5), (3, 3), (1, 3)])
  func recorded(links: Int, limit: Int) {
    var slots = LinkSlots(recorded: links)
    #expect(slots.limit == limit && !slots.isTrial(making: min(limit, 5)))
    slots.connected(holding: limit)
    #expect(slots.limit == limit, "no further link is tried")
    #expect(LinkSlots(stated: 4, recorded: links).limit == 4)
  }

  @Test("no further link is tried from a refusal until its cause is known")
  func suspected() {
    var slots = LinkSlots()
    for links in 1...5 { slots.connected(holding: links) }
    slots.suspect(holding: 4)
    slots.connected(holding: 6)
    #expect(slots.limit == 4 && slots.found == nil)
    slots.endSuspicion()
    #expect(slots.limit == 6)
    slots.suspect(holding: 5)
    slots.refused(holding: 5)
    #expect(slots.limit == 5 && slots.found == 5)
    slots.suspect(holding: 0)
    #expect(slots.limit == 1)
  }

  @Test("unknown slots are measured one by one, up to a useful number")
  func learned() {
    var slots = LinkSlots()
    #expect(slots.limit == 5)
    for links in 1...4 { slots.connected(holding: links) }
    #expect(slots.limit == 5)
    for links in 5...20 { slots.connected(holding: links) }
    #expect(slots.limit == 10)
  }

  @Test(
    "a refusal sets the slots to the number of links that the controller held",
    arguments: [(6, 6), (3, 3), (0, 1)])
  func refused(deferred: Int, limit: Int) {
    var slots = LinkSlots()
    for links in 1...6 { slots.connected(holding: links) }
    #expect(slots.isTrial(making: 7))
    slots.refused(holding: deferred)
    #expect(slots.limit == limit)
    slots.connected(holding: limit)
    #expect(slots.limit == limit, "a refusal is final")
  }

  @Test("a failed connection also measures the slots when the stack does not report the cause")
  func ambiguous() {
    var slots = LinkSlots()
    for links in 1...5 { slots.connected(holding: links) }
    #expect(slots.limit == 6 && slots.isTrial(making: 6))
    slots.mayHaveRefused(holding: 5)
    #expect(slots.limit == 5)
    slots.connected(holding: 5)
    #expect(slots.limit == 5, "no further link may be tried")
  }

  @Test(
    "a controller that holds fewer links than usual is found out by two failures, which are charged to no sensor"
  )
  func few() {
    var slots = LinkSlots()
    for links in 1...3 { slots.connected(holding: links) }
    for _ in 1...LinkSlots.failuresInDoubt {
      #expect(slots.limit == 5 && slots.isTrial(making: 4))
      slots.mayHaveRefused(holding: 3)
    }
    #expect(slots.limit == 3)
    slots.connected(holding: 3)
    #expect(slots.limit == 3, "no further link may be tried")
  }

  @Test("a failed connection is the sensor's if the adapter has held as many links")
  func held() {
    var slots = LinkSlots()
    for links in 1...4 { slots.connected(holding: links) }
    #expect(!slots.isTrial(making: 3) && !slots.isTrial(making: 4) && slots.isTrial(making: 5))
  }

  @Test("one sensor that fails to connect does not reduce the slots")
  func weakSensor() {
    var slots = LinkSlots()
    for links in 1...7 { slots.connected(holding: links) }
    slots.mayHaveRefused(holding: 7)
    for _ in 1...5 {
      #expect(slots.limit == 7 && slots.isTrial(making: 6), "an ambiguous failure is charged to no sensor")
      slots.mayHaveRefused(holding: 5)
      slots.connected(holding: 6)
    }
  }

  /// A link that has ended at the controller counts for a moment longer, so the adapter seemed to hold one
  /// link too many.
  @Test("consecutive failed connections reduce the slots")
  func overestimated() {
    var slots = LinkSlots()
    for links in 1...6 { slots.connected(holding: links) }
    slots.mayHaveRefused(holding: 6)
    #expect(slots.limit == 6)
    slots.mayHaveRefused(holding: 5)
    slots.connected(holding: 5)
    #expect(slots.limit == 6)
    slots.mayHaveRefused(holding: 5)
    #expect(slots.limit == 5 && !slots.isTrial(making: 5))
  }
}

private func at(_ second: Int) -> MonotonicInstant { .init(sinceZero: .seconds(second)) }

@Suite("what an adapter does") struct RadioTests {
  @Test(
    "a window counts after a report or 1 s, and one that has not begun after 5 s does not start",
    arguments: [
      (true, false, 999, true, false), (true, false, 1_000, false, false), (true, true, 0, false, false),
      (true, false, 5_000, false, false), (false, true, 4_999, true, false),
      (false, false, 5_000, true, true),
    ])
  func window(hasBegun: Bool, hasReports: Bool, milliseconds: Int, isRefused: Bool, didNotStart: Bool) {
    let window = RadioState.Window(
      purpose: .survey, since: at(0), hasBegun: hasBegun, hasReports: hasReports)
    let end = MonotonicInstant(sinceZero: .milliseconds(milliseconds))
    #expect(window.didScan(at: end) == !isRefused && window.didNotStart(at: end) == didNotStart)
  }

  @Test("the scan time of an adapter grows while it scans, and only then a further value has an instant")
  func scanTime() {
    var time = ScanTime(total: .seconds(2))
    #expect(time.instant(of: .seconds(2), at: at(5)) == at(5))
    #expect(time.instant(of: .seconds(3), at: at(5)) == nil)
    time.start(at: at(5))
    time.start(at: at(6))
    #expect(time.total(at: at(8)) == .seconds(5))
    #expect(time.instant(of: .seconds(6), at: at(8)) == at(9))
    time.stop(at: at(8))
    #expect(time.total(at: at(20)) == .seconds(5))
  }

  @Test("an adapter connects to silent devices last, and before them to those that failed")
  func candidates() {
    let order = [
      Candidate(isSilent: false, charged: 0, room: 2, attempts: 0),
      Candidate(isSilent: false, charged: 1, room: 1, attempts: 1),
      Candidate(isSilent: true, charged: 0, room: 0, attempts: 1),
    ]
    #expect(order.reversed().sorted() == order)
  }

  @Test("a device without content is told by the first error on the first adapter, which goes on record once")
  func hiddenContents() {
    var hidden = HiddenContents()
    func receive(_ adapter: UInt64, _ error: String?) -> String? {
      var advertisement = Sample.waiting(1)
      advertisement.adapter = AdapterID(BluetoothAddress(rawValue: adapter))
      advertisement.contentFailure = error.map { CentralError(.other, stackText: $0) }
      return hidden.receive(advertisement)?.stackText
    }
    #expect(receive(2, "b") == "b" && receive(2, "later") == nil)
    #expect(hidden.error(of: Sample.address(1)) == "b")
    #expect(receive(1, "a") == "a" && hidden.error(of: Sample.address(1)) == "a")
    #expect(receive(2, nil) == nil && hidden.error(of: Sample.address(1)) == nil)
    #expect(receive(2, "c") == nil && hidden.error(of: Sample.address(1)) == "c")
  }
}

@Suite("the adapters in use") struct RadioPoolTests {
  private static func adapter(_ number: UInt64) -> AdapterID { AdapterID(BluetoothAddress(rawValue: number)) }

  /// A pool with these adapters, in sessions from 1 on.
  private func pool(_ adapters: [UInt64]) -> RadioPool {
    var pool = RadioPool()
    for number in adapters { _ = pool.add(Self.adapter(number), slots: LinkSlots(), at: at(0)) }
    return pool
  }

  @Test("adapters that come and go are looked for when the first of their pauses ends")
  func pauses() throws {
    var pool = pool([1, 2, 3])
    for (number, losses) in [(1, 4), (2, 5)] as [(UInt64, Int)] {
      for _ in 1...losses {
        pool[history: Self.adapter(number)].health.began(at: at(0))
        pool[history: Self.adapter(number)].health.lost(at: at(0))
      }
    }
    #expect(pool.dueAt == nil && !pool.presence.mayHaveChanged, "all are in use")
    _ = pool.remove(try #require(pool.index(of: Self.adapter(2))), at: at(0))
    #expect(pool.dueAt == at(2) && pool.presence.mayHaveChanged)
    _ = pool.remove(try #require(pool.index(of: Self.adapter(1))), at: at(0))
    #expect(pool.dueAt == at(1))
    pool[history: Self.adapter(1)].health.isStuck = true
    #expect(pool.dueAt == at(2), "one is given up")
  }

  @Test("an adapter that is gone may be used again, and switched off and on again, when it returns")
  func stuck() {
    var pool = pool([1, 2])
    for number in [1, 2] as [UInt64] {
      pool[history: Self.adapter(number)].health.isStuck = true
      pool[history: Self.adapter(number)].health.wasPowerCycled = true
    }
    pool.endStuckness(ofAllExcept: [Self.adapter(2)])
    let health = ([1, 2] as [UInt64]).map { pool[history: Self.adapter($0)].health }
    #expect(health.map(\.isStuck) == [false, true] && health.map(\.wasPowerCycled) == [false, true])
  }

  @Test("a run is at rest without windows, without adapters that are switched off, and without old links")
  func atRest() {
    var pool = pool([2, 1])
    let sessions = [
      RadioSession(adapter: Self.adapter(2), number: 1), RadioSession(adapter: Self.adapter(1), number: 2),
    ]
    #expect(pool.isAtRest)
    for index in 0..<2 { pool.open(.init(purpose: .survey, since: at(0)), index) }
    #expect(pool.open == sessions && !pool.isAtRest)
    for session in sessions { _ = pool.close(session) }
    #expect(pool.isAtRest)
    pool.presence.releasing = [sessions[0]]
    #expect(!pool.isAtRest)
    pool.presence.releasing = []
    pool.presence.powerCycling = [Self.adapter(1): .receivesNothing]
    #expect(!pool.isAtRest)
  }

  @Test("the adapter that has scanned longest completes the survey, if several scan and receive")
  func listener() {
    var pool = pool([1, 2, 3])
    for index in 0..<2 { pool.open(.init(purpose: .survey, since: at(0)), index) }
    pool[0].scanBegan(at: at(1))
    pool[1].scanBegan(at: at(0))
    pool[2].received(at: at(1))
    #expect(pool.longestScanning(at: at(2)) == nil, "those that scan receive nothing")
    pool[0].received(at: at(2))
    #expect(pool.longestScanning(at: at(2)) == nil, "only one does")
    pool[1].received(at: at(2))
    #expect(pool.longestScanning(at: at(2)) == pool[1].session)
    #expect(pool.leastScanTime(at: at(2)) == .zero)
    #expect(pool.instant(ofLeastScanTime: .seconds(3), at: at(2)) == nil, "the third does not scan")
    _ = pool.remove(2, at: at(2))
    #expect(pool.instant(ofLeastScanTime: .seconds(3), at: at(2)) == at(4))
    pool.listen(pool[1].session, for: .seconds(3))
    #expect(pool.listener(at: at(2))?.index == 1 && pool.listener(at: at(3)) == nil)
    pool[1].scanEnded(at: at(2))
    #expect(pool.listener(at: at(2)) == nil, "it does not scan any more")
  }

  @Test("a survey begins again once every adapter was lost, and not with a further adapter")
  func surveyBegins() {
    var pool = pool([1])
    func scan(_ seconds: Int, from second: Int) {
      pool.open(.init(purpose: .survey, since: at(second)), 0)
      pool[0].scanBegan(at: at(second))
      pool[0].scanEnded(at: at(second + seconds))
    }
    scan(5, from: 0)
    _ = pool.remove(0, at: at(5))
    _ = pool.add(Self.adapter(1), slots: LinkSlots(), at: at(10))
    #expect(pool.surveySince == .seconds(5) && pool.surveyTime(at: at(10)) == .zero)
    scan(2, from: 10)
    _ = pool.add(Self.adapter(2), slots: LinkSlots(), at: at(12))
    #expect(pool.surveySince == .seconds(5) && pool.surveyTime(at: at(12)) == .seconds(2))
  }
}

@Suite("why no adapter can be used") struct AdapterLackTests {
  @Test("a lack names the first adapter that a run may use, and the failure of its host")
  func named() {
    let off = ([2, 1] as [UInt64]).map { number in
      Adapter(id: AdapterID(BluetoothAddress(rawValue: number)), name: "hci\(number)", state: .poweredOff)
    }
    let here = AdapterLack([HostAdapters(.success(off))], wanted: [])
    #expect(here.failure == CentralError(.adapterUnavailable(.poweredOff)) && !here.isRefused)
    #expect(
      here.awaited(for: .seconds(5)) == AdapterAwaited(problem: .poweredOff, adapter: "hci1", seconds: 5))
    let absent = AdapterLack([HostAdapters(.success(off))], wanted: ["hci8", "hci9"])
    #expect(absent.awaited(for: .seconds(5)).adapter == "hci8")
    let hosts = ["floor-1", "floor-2"].compactMap { HostName($0) }
    let lost = hosts.map { HostAdapters(on: $0, .failure(CentralError(.busUnavailable, on: $0))) }
    let away = AdapterLack(
      lost + [HostAdapters(.success([]))], wanted: ["floor-1/hci0", "floor-2/hci0"])
    #expect(away.failure.host == hosts[0] && away.awaited(for: .seconds(5)).adapter == "floor-1/hci0")
  }
}

@Suite("admission of rooms") struct AdmissionTests {
  private func work(_ number: Int, network: String) -> RoomWork {
    var room = Sample.room(number, address: UInt64(number))
    room.settings[.wifiSSID] = .text(network)
    return RoomWork(room: room, address: Sample.address(UInt64(number)), basis: .address)
  }

  @Test("all rooms begin at once without first rooms")
  func all() {
    var admission = Admission(perNetwork: nil, failureLimit: nil)
    #expect(
      admission.admit((0..<3).map { ($0, work($0, network: "a")) }, isReceived: { _ in true }) == [0, 1, 2])
  }

  @Test("the first rooms of each network go first, those with a sighting before others")
  func first() {
    var admission = Admission(perNetwork: 1, failureLimit: nil)
    let rooms = [(0, work(1, network: "a")), (1, work(2, network: "a")), (2, work(3, network: "b"))]
    let admitted = admission.admit(rooms.map { (place: $0.0, work: $0.1) }) { $0 == Sample.address(2) }
    #expect(admitted == [1, 2])
    #expect(admission.due { $0 == 1 } == nil)
    #expect(admission.due { _ in true } == [1, 2])
    admission.ask()
    #expect(admission.due { _ in true } == nil, "the operator is being asked")
    admission.judgeNetworks { $0 == 1 }
    #expect(admission.objection(to: work(1, network: "a")) == nil)
    #expect(admission.objection(to: work(4, network: "b")) == .canariesFailed)
    admission.judged(isApproved: false)
    #expect(admission.objection(to: work(1, network: "a")) == .canariesRefused)
    #expect(admission.due { _ in true } == nil, "the result is decided")
    #expect(!admission.isBeingAsked)
    #expect(
      admission.admit([(3, work(4, network: "b"))], isReceived: { _ in false }) == [3],
      "a room that gets a device later begins at once")
  }

  @Test(
    "admission closes after more failures than permitted",
    arguments: [
      (nil, 9, false), (0, 0, false), (0, 1, true), (2, 1, false), (2, 2, false), (2, 3, true),
    ] as [(Int?, Int, Bool)])
  func failures(limit: Int?, failures: Int, isClosed: Bool) {
    var admission = Admission(perNetwork: nil, failureLimit: limit)
    for _ in 0..<failures { admission.failedOne() }
    admission.failedOne()
    admission.renewed()
    #expect(admission.isClosed == isClosed)
    #expect(admission.mayClose(after: 1) == (limit.map { failures + 1 > $0 } ?? false))
  }
}
