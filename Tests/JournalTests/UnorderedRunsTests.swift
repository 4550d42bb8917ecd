import Bluetooth
import Foundation
import Model
import SampleFacts
import Testing

@testable import Journal

/// Runs of two laptops, `a…` and `b…`, after a common run `0`.
@Suite("Runs that did not know each other")
struct UnorderedRunsTests {
  private func kitchenAfter(_ runs: Run...) -> LastKnownRoom? {
    let forward = BuildingRecord(runs.map(\.events)).lastKnown
    #expect(
      forward == BuildingRecord(runs.reversed().map(\.events)).lastKnown, "the given order does not matter")
    return forward.rooms["kitchen"]
  }

  private static func run(
    _ id: String, _ command: RecordedCommand = .apply, after: [String], _ body: (inout Run) -> Void
  ) -> Run {
    var run = Run(id, command, after: after, rooms: [kitchen])
    body(&run)
    return run
  }

  private static let common = Run.success("0", day: 0, 1)

  private static func written(_ id: String, after: [String] = ["0"]) -> Run {
    run(id, after: after) {
      $0.attempt(1)
      $0.save(1)
      $0.finish(.provisioned, evidence(1))
    }
  }

  private static func observed(_ id: String, after: [String] = ["0"]) -> Run {
    run(id, after: after) { $0.finish(.alreadyProvisioned, evidence(1)) }
  }

  private static func replaced(_ id: String, after: [String] = ["0"]) -> Run {
    run(id, .replace, after: after) {
      $0.add(.bindingReleased(.init(room: "kitchen", address: address(1), cause: .replaced)))
    }
  }

  private static func retired(_ id: String, after: [String] = ["0"]) -> Run {
    run(id, .retire, after: after) { $0.add(.roomRetired(.init(room: "kitchen", reason: nil))) }
  }

  private static func accepted(_ id: String, after: [String] = ["0"]) -> Run {
    run(id, .accept, after: after) {
      $0.add(.roomAccepted(.init(room: "kitchen", reason: "no power", by: "QA")))
    }
  }

  @Test("two laptops that wrote one device leave a room that is not done, whichever began first")
  func bothWrote() throws {
    for (a, b) in [("a", "b"), ("b", "a")] {
      let room = try #require(kitchenAfter(Self.common, Self.written(a), Self.written(b)))
      #expect(room.unordered == ["a", "b"])
      #expect(room.status.kind == .conflicting)
    }
  }

  @Test("a write and a decision about its room contradict each other")
  func writeAndDecision() {
    #expect(kitchenAfter(Self.common, Self.written("a"), Self.replaced("b"))?.unordered == ["a", "b"])
    #expect(kitchenAfter(Self.common, Self.retired("a"), Self.written("b"))?.unordered == ["a", "b"])
  }

  @Test("an attempt whose record does not say how it found the device may have written it")
  func attempt() {
    let attempted = Self.run("a", after: ["0"]) { $0.attempt(1) }
    #expect(kitchenAfter(Self.common, attempted, Self.replaced("b"))?.unordered == ["a", "b"])
  }

  private static func attempted(fresh: Bool) -> Fact {
    .attemptStarted(
      .init(room: "kitchen", address: address(1), adapter: Events.adapter, number: 1, fresh: fresh))
  }

  private static func ended(_ reason: FailureReason) -> Fact {
    .attemptEnded(.init(room: "kitchen", number: 1, seconds: 1, failure: reason))
  }

  private static func finished(_ reason: FailureReason) -> Fact {
    .roomFinished(
      .init(
        room: "kitchen", outcome: .failed, address: address(1), attempts: 1, seconds: 1, settings: [],
        reason: reason))
  }

  private static func found(_ finding: RoomVerified.Finding) -> Fact {
    .roomVerified(.init(room: "kitchen", finding: finding, address: address(1), identity: 7, windows: 3))
  }

  @Test("what a run did decides whether it contradicts a decision that it did not know")
  func effects() {
    let facts: [(Fact, Bool)] = [
      (Self.attempted(fresh: true), true), (Self.attempted(fresh: false), false),
      (.settingWritten(.init(room: "kitchen", attempt: 1, setting: .minor, bytes: 2)), true),
      (Self.ended(.saveNotKept), true), (Self.ended(.configuredOtherwise(9)), false),
      (Self.ended(.linkLost(FailedStep(.discover))), false),
      (Self.finished(.configuredOtherwise(9)), true), (Self.finished(.saveNotKept), false),
      (Self.found(.onAir), true), (Self.found(.missing), false),
    ]
    for (fact, isEffect) in facts {
      let run = Self.run("a", after: ["0"]) { $0.add(fact) }
      let unordered = kitchenAfter(Self.common, run, Self.replaced("b"))?.unordered
      #expect(unordered == (isEffect ? ["a", "b"] : []), "\(fact)")
    }
    let both = Self.run("a", after: ["0"]) {
      $0.save(1)
      $0.add(.bindingReleased(.init(room: "kitchen", address: address(1), cause: .replaced)))
    }
    #expect(kitchenAfter(Self.common, both, Self.replaced("b"))?.unordered == ["a", "b"])
  }

  @Test("an observation contradicts a decision, and nothing else")
  func observation() {
    #expect(kitchenAfter(Self.common, Self.observed("a"), Self.written("b"))?.unordered == [])
    #expect(kitchenAfter(Self.common, Self.observed("a"), Self.observed("b"))?.unordered == [])
    #expect(kitchenAfter(Self.common, Self.observed("a"), Self.replaced("b"))?.unordered == ["a", "b"])
    #expect(kitchenAfter(Self.common, Self.replaced("a"), Self.replaced("b"))?.unordered == [])
    let later = Self.observed("c", after: ["a", "b"])
    #expect(
      kitchenAfter(Self.common, Self.observed("a"), Self.replaced("b"), later)?.unordered == ["a", "b"])
    #expect(
      kitchenAfter(Self.common, Self.observed("a"), Self.observed("b", after: ["a"]), Self.replaced("c"))?
        .unordered == ["b", "c"])
    let other = Self.observed("c", after: ["a"])
    #expect(
      kitchenAfter(Self.common, Self.observed("a"), Self.replaced("b"), other)?.unordered == ["a", "b", "c"])
  }

  @Test("runs that know each other never contradict each other")
  func successive() {
    let chain = [
      Self.written("c", after: ["0"]), Self.replaced("b", after: ["c"]), Self.observed("a", after: ["b"]),
    ]
    #expect(kitchenAfter(Self.common, chain[0], chain[1], chain[2])?.unordered == [])
  }

  @Test("a later write settles what it knows, an observation does not")
  func settledByWrite() {
    let (a, b) = (Self.written("a"), Self.written("b"))
    #expect(kitchenAfter(Self.common, a, b, Self.observed("c", after: ["a", "b"]))?.unordered == ["a", "b"])
    #expect(
      kitchenAfter(Self.common, a, b, Self.observed("aa", after: ["a"]))?.unordered == ["a", "b"],
      "an observation before the other write does not hide the first one")
    let bound = Self.run("c", after: ["a", "b"]) { $0.bind(1) }
    #expect(kitchenAfter(Self.common, a, b, bound)?.unordered == ["a", "b"])
    let settled = kitchenAfter(Self.common, a, b, Self.written("c", after: ["a", "b"]))
    #expect(settled?.unordered == [] && settled?.status.kind == .done)
    #expect(
      kitchenAfter(Self.common, a, b, Self.written("c", after: ["a"]))?.unordered == ["b", "c"],
      "it does not know the other one")
  }

  @Test("an acceptance settles what it knows, and the last write stays unknown")
  func settledByAcceptance() {
    let (a, b) = (Self.written("a"), Self.written("b"))
    let settled = kitchenAfter(Self.common, a, b, Self.accepted("c", after: ["a", "b"]))
    #expect(settled?.unordered == [] && settled?.lastWrite == nil && settled?.status.kind == .accepted)
    let unsettled = kitchenAfter(Self.common, a, b, Self.accepted("c", after: ["a"]))
    #expect(unsettled?.unordered == ["a", "b"] && unsettled?.lastWrite != nil)
    // What was settled contradicts a stranger as the strongest of it did.
    #expect(
      kitchenAfter(
        Self.common, a, b, Self.accepted("c", after: ["a", "b"]), Self.replaced("d", after: ["b"]))?
        .unordered == ["c", "d"])
    #expect(
      kitchenAfter(
        Self.common, Self.observed("a"), Self.replaced("b"), Self.accepted("c", after: ["a", "b"]),
        Self.observed("d"))?.unordered == ["c", "d"])
    let later = Self.written("d", after: ["b"])
    #expect(
      kitchenAfter(Self.common, a, b, Self.accepted("c", after: ["a", "b"]), later)?.unordered == ["c", "d"],
      "the acceptance does not know this write")
    let stranger = Self.written("aa")
    #expect(
      kitchenAfter(Self.common, a, b, stranger, Self.accepted("c", after: ["a", "b"]))?.unordered == [
        "aa", "c",
      ],
      "nor this one, which comes before it by its name")
  }

  @Test("a run that has read all settings of the device as wanted settles what it knows")
  func settledByReading() {
    func unordered(_ states: [SettingState], _ outcome: Outcome = .alreadyProvisioned, run: String? = nil)
      -> [String]?
    {
      let reading = Self.run("c", after: ["a", "b"]) {
        let settings = zip(kitchen.settings, states).map { setting, state in
          var setting = setting
          setting.state = state
          return setting
        }
        $0.add(
          .roomFinished(
            .init(
              room: "kitchen", outcome: outcome, address: address(1), attempts: 1, seconds: 1,
              evidence: evidence(1, run: run), settings: settings)))
      }
      return kitchenAfter(Self.common, Self.written("a"), Self.written("b"), reading)?.unordered
    }
    #expect(unordered([.proved, .proved]) == [])
    #expect(unordered([.proved, .written]) == ["a", "b"])
    #expect(unordered([]) == ["a", "b"])
    #expect(unordered([.proved, .proved], run: "0") == ["a", "b"])
    #expect(unordered([.proved, .proved], .failed) == ["a", "b"])
  }

  @Test(
    "the last write of a device ends when it waits for a configuration again or is released, beside another device"
  )
  func otherWrites() {
    func release(_ number: UInt64) -> Fact {
      .bindingReleased(.init(room: "kitchen", address: address(number), cause: .replaced))
    }
    let waiting = Self.run("c", after: ["a", "b"]) {
      $0.attempt(1)
      $0.save(1)
      $0.attempt(1)
      $0.attempt(2)
      $0.save(2)
      $0.add(release(2))
    }
    let released = Self.run("c", after: ["a", "b"]) {
      $0.add(release(1))
      $0.bind(1)
      $0.add(release(2))
    }
    for run in [waiting, released] {
      let room = kitchenAfter(.success("a", day: 0, 1), .success("b", day: 0, 2), run)
      #expect(room?.binding?.address == address(1) && room?.lastWrite == nil)
    }
  }

  @Test("a replacement that knows both settles them, and the other device keeps its last write")
  func settledByReplacement() {
    for other in [address(1), address(2)] {
      let release = Self.run("c", .replace, after: ["a", "b"]) {
        $0.add(.bindingReleased(.init(room: "kitchen", address: other, cause: .replaced)))
      }
      let room = kitchenAfter(.success("a", day: 0, 1), .success("b", day: 0, 2), release)
      #expect(room?.unordered == [])
      #expect(room?.lastWrite?.address == (other == address(1) ? address(2) : address(1)))
      #expect(room?.binding?.address == room?.lastWrite?.address)
    }
  }

  @Test("a device that two laptops wrote for two rooms leaves both rooms open")
  func oneDeviceTwoRooms() {
    var cellar = kitchen
    cellar.room = "cellar"
    var other = Run("b", after: [], rooms: [cellar])
    other.add(
      .bindingCommitted(.init(room: "cellar", address: address(1), basis: .address)),
      .saveSubmitted(.init(room: "cellar", attempt: 1, address: address(1))))
    let rooms = BuildingRecord([Run.success("a", day: 0, 1).events, other.events]).lastKnown.rooms
    #expect(rooms["kitchen"]?.unordered == ["a", "b"] && rooms["cellar"]?.unordered == ["a", "b"])
  }

  // MARK: Verifications

  private static func verified(
    _ id: String, _ finding: RoomVerified.Finding, held: DeviceIdentity? = nil, after: [String] = ["0"]
  ) -> Run {
    run(id, .verify, after: after) {
      $0.add(
        .roomVerified(
          .init(
            room: "kitchen", finding: finding, address: address(1), identity: 7, held: held, windows: 3)))
    }
  }

  @Test(
    "a device that a verification missed is not found by a run that did not know that, whichever comes first")
  func missedElsewhere() {
    for (a, b) in [("a", "b"), ("b", "a")] {
      for other in [Self.written(b), Self.observed(b)] {
        let room = kitchenAfter(Self.common, Self.verified(a, .missing), other)
        #expect(room?.status.kind == .missing)
      }
      let later = Self.observed("c", after: ["a", "b"])
      #expect(
        kitchenAfter(Self.common, Self.verified(a, .missing), Self.observed(b), later)?.status.kind == .done)
    }
  }

  @Test("a verification that received what another laptop had written agrees with it after the merge")
  func foundAsWritten() {
    for (a, b) in [("a", "b"), ("b", "a")] {
      var other = kitchen
      other.identity = 9
      other.settings = [.init(name: .minor, value: "9", state: .notWritten)]
      var renumbered = Run(b, after: ["0"], rooms: [other])
      renumbered.attempt(1)
      renumbered.save(1)
      renumbered.add(
        .roomFinished(
          .init(
            room: "kitchen", outcome: .provisioned, address: address(1), attempts: 1, seconds: 1,
            evidence: Evidence(grade: .freshBeacon, address: address(1), identity: 9),
            settings: [.init(name: .minor, value: "9", state: .proved)])))
      let found = kitchenAfter(Self.common, Self.verified(a, .otherIdentity, held: 9), renumbered)
      #expect(found?.status.kind == .done && found?.unordered == [])
      let neither = kitchenAfter(Self.common, Self.verified(a, .otherIdentity, held: 8), renumbered)
      #expect(neither?.status.kind == .unconfirmed)
    }
    #expect(
      kitchenAfter(Self.common, Self.verified("a", .otherIdentity, held: 9))?.status.kind == .unconfirmed)
  }
}
