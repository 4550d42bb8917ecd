import Bluetooth
import Testing

@testable import Provisioning

@Suite struct ScheduleTests {
  typealias Action = Schedule.Action
  static let a = BluetoothAddress(rawValue: 0xA)
  static let b = BluetoothAddress(rawValue: 0xB)

  private func at(_ seconds: Double) -> MonotonicInstant { .init(sinceZero: .seconds(seconds)) }

  private func schedule(retries: Int = 2) -> Schedule {
    var schedule = Schedule()
    schedule.add("a", device: Self.a, retries: retries, search: .seconds(15))
    schedule.add("b", device: Self.b, retries: retries, search: .seconds(15))
    return schedule
  }

  @Test func dialsInTheManifestsOrderWhatWasHeardLately() {
    #expect(
      schedule().next(at: at(10)) { _ in at(9) } == .dial("a", Self.a, attempt: 1))
    #expect(
      schedule().next(at: at(10)) { $0 == Self.b ? at(9) : nil } == .dial("b", Self.b, attempt: 1))
  }

  @Test func listensAgainForWhatWasLastHeardLongAgo() {
    let schedule = schedule()
    #expect(schedule.next(at: at(29)) { _ in at(9) } == .dial("a", Self.a, attempt: 1))
    #expect(schedule.next(at: at(29.1)) { _ in at(9) } == .listen([Self.a, Self.b], until: at(44.1)))
  }

  @Test func givesUpADeviceThatTwoWindowsDidNotHear() {
    var schedule = schedule()
    for _ in 0..<Schedule.Limits.windows {
      #expect(schedule.next(at: at(0)) { _ in nil } == .listen([Self.a, Self.b], until: at(15)))
      schedule.windowEnded(for: [Self.a, Self.b], heard: [Self.b])
    }
    #expect(schedule.next(at: at(0)) { _ in nil } == .giveUp("a", FailureReason(.neverHeard)))
    schedule.finish("a")
    #expect(schedule.next(at: at(0)) { _ in nil } == .listen([Self.b], until: at(15)))
    schedule.finish("b")
    #expect(schedule.next(at: at(0)) { _ in nil } == .finished)
  }

  @Test func sendsAFailedDeviceToTheBackOfTheQueueWithAPause() {
    var schedule = schedule()
    let pause1 = schedule.attemptFailed("a", .transient, at: at(0), jitter: 0)
    #expect(pause1 == .seconds(2))
    #expect(schedule.remaining == ["b", "a"])
    schedule.finish("b")
    #expect(schedule.next(at: at(1)) { _ in at(1) } == .wait(until: at(2)))
    #expect(schedule.next(at: at(2)) { _ in at(1) } == .dial("a", Self.a, attempt: 2))
    let pause2 = schedule.attemptFailed("a", .transient, at: at(2), jitter: 1)
    #expect(pause2 == .seconds(6))
    let pause3 = schedule.attemptFailed("a", .transient, at: at(9), jitter: 0)
    #expect(pause3 == nil)
    #expect(schedule.next(at: at(9)) { _ in at(9) } == .finished)
  }

  @Test func pausesGrowToABound() {
    var schedule = Schedule()
    schedule.add("a", device: Self.a, retries: 20, search: .seconds(15))
    let pauses = (0..<20).compactMap { _ in
      schedule.attemptFailed("a", .transient, at: at(0), jitter: 0)
    }
    #expect(pauses.count == 20)
    #expect(Array(pauses.prefix(5)) == [.seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30)])
    #expect(pauses.last == .seconds(30))
  }

  @Test func theHostsTroubleIsNotChargedToTheDevice() {
    var schedule = schedule(retries: 1)
    for _ in 0..<3 {
      let pause = schedule.attemptFailed("a", .host, at: at(0), jitter: 0)
      #expect(pause == Schedule.Limits.firstPause)
    }
    let first = schedule.attemptFailed("a", .transient, at: at(0), jitter: 0)
    #expect(first != nil)
    let second = schedule.attemptFailed("a", .transient, at: at(0), jitter: 0)
    #expect(second == nil)
  }

  @Test(
    arguments: [
      (.transient, 3), (.missing, 3), (.outOfSlots, 3), (.host, 5), (.refused, 1), (.permanent, 0),
      (.cancelled, 0),
    ] as [(FailureClass, Int)])
  func eachClassOfFailureHasItsBudget(failure: FailureClass, retries: Int) {
    var schedule = schedule(retries: 3)
    var count = 0
    while schedule.attemptFailed("a", failure, at: at(0), jitter: 0) != nil { count += 1 }
    #expect(count == retries)
    #expect(schedule.remaining == ["b"])
  }
}
