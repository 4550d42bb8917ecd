import Bluetooth
import Model
import SampleFacts
import Testing

@testable import Reporting

@Suite("The pace of a run")
struct RunPaceTests {
  /// Consecutive groups of `width` rooms. The attempts of a group are simultaneous and take `seconds`.
  private static func events(groups: Int, of width: Int, seconds: Double, outcome: Outcome = .provisioned)
    -> [RunEvent]
  {
    var script = RunScript()
    let rooms = (0..<groups * width).map {
      PlannedRoom.sample(RoomID(rawValue: "r\($0)"), "\($0)", minor: UInt16($0), address: .sensor(UInt64($0)))
    }
    script.begin(rooms)
    for group in 0..<groups {
      let members = rooms[group * width..<(group + 1) * width]
      for room in members {
        script.append(
          .attemptStarted(.init(room: room.room, address: .sensor(1), adapter: .first, number: 1)), after: 0)
      }
      for (index, room) in members.enumerated() {
        script.append(
          .attemptEnded(.init(room: room.room, number: 1, seconds: seconds)), after: index == 0 ? seconds : 0)
        script.append(
          .roomFinished(
            .init(room: room.room, outcome: outcome, attempts: 1, seconds: seconds, settings: [])),
          after: 0)
      }
    }
    return script.events
  }

  @Test("there is no estimate before the first measured room")
  func nothing() {
    #expect(RunPace().estimate(of: 5) == nil && RunPace().secondsPerRoom == nil)
  }

  @Test("the estimate for a few rooms is at least the time of one room")
  func secondRun() throws {
    // 300 rooms, ten at a time, 5 s each: 0.5 s per room.
    let pace = RunPace(Self.events(groups: 30, of: 10, seconds: 5))
    #expect(pace.rooms == 300 && pace.secondsPerRoom == 0.5)
    #expect(pace.estimate(of: 1) == .seconds(5), "not 0.5 s")
    #expect(pace.estimate(of: 300) == .seconds(5 + 299 * 0.5))
    #expect(pace.estimate(of: 0) == .zero)
  }

  @Test("failed rooms count in the pace", arguments: [Outcome.failed, .unconfirmed, .unreachable])
  func failures(outcome: Outcome) {
    let pace = RunPace(Self.events(groups: 4, of: 1, seconds: 30, outcome: outcome))
    #expect(pace.secondsPerRoom == 30)
  }

  @Test("rooms without an attempt do not count")
  func untried() {
    var script = RunScript()
    let rooms = (1...2).map {
      PlannedRoom.sample(RoomID(rawValue: "r\($0)"), "\($0)", minor: $0, address: .sensor(UInt64($0)))
    }
    script.begin(rooms)
    script.append(
      .attemptStarted(.init(room: "r1", address: .sensor(1), adapter: .first, number: 1)), after: 0)
    script.append(.attemptEnded(.init(room: "r1", number: 1, seconds: 6)), after: 6)
    for (room, attempts) in [("r1", 1), ("r2", 0)] {
      script.append(
        .roomFinished(
          .init(
            room: RoomID(rawValue: room), outcome: attempts > 0 ? .provisioned : .pending, attempts: attempts,
            seconds: 6, settings: [])), after: 0)
    }
    let pace = RunPace(script.events)
    #expect(pace.rooms == 1 && pace.secondsPerRoom == 6)
  }

  @Test("the pace weighs each run by the number of its rooms")
  func sum() {
    let large = RunPace(Self.events(groups: 30, of: 10, seconds: 5))
    let small = RunPace(Self.events(groups: 1, of: 1, seconds: 60))
    #expect((large + small).rooms == 301)
    #expect(((large + small).secondsPerRoom ?? 0) < 0.75)
  }

  @Test("a long time in which nothing was in flight counts only as two scan windows")
  func pauses() {
    var script = RunScript()
    let room = PlannedRoom.sample("a", "A", minor: 1, address: .sensor(1))
    script.begin([room])
    for number in 1...2 {
      script.append(
        .attemptStarted(.init(room: "a", address: .sensor(1), adapter: .first, number: number)), after: 100)
      script.append(.attemptEnded(.init(room: "a", number: number, seconds: 3)), after: 3)
    }
    script.append(
      .roomFinished(.init(room: "a", outcome: .provisioned, attempts: 2, seconds: 106, settings: [])))
    #expect(RunPace(script.events).secondsPerRoom == 22)
  }

  @Test("the rest of a run whose proofs come together at its end is neither far too long nor too short")
  func remaining() throws {
    var script = RunScript()
    let ids = (1...20).map { RoomID(rawValue: "r\($0)") }
    script.begin(
      ids.enumerated().map {
        PlannedRoom.sample($1, $1.rawValue, minor: UInt16($0 + 1), address: .sensor(UInt64($0 + 1)))
      })
    var pace = RunPace()
    for (number, id) in ids.enumerated() {
      let address = BluetoothAddress.sensor(UInt64(number + 1))
      script.append(
        .attemptStarted(.init(room: id, address: address, adapter: .first, number: 1)), after: 0)
      script.append(.saveSubmitted(.init(room: id, attempt: 1, address: address)), after: 1)
      // Half of them are written; the others take 10 s more, and the last proof comes 7 s after that.
      if number == 9 { pace = RunPace(script.events) }
    }
    let rest = try #require(pace.remaining(of: 20, at: .seconds(10)))
    #expect((.seconds(14)...(.seconds(21))).contains(rest), "\(rest)")
  }
}
