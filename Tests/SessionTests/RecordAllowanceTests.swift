import Bluetooth
import Foundation
import Model
import Testing

@testable import Session

/// How much may be observed before observations are left out, byte by byte.
@Suite("the allowance of a run's record") struct RecordAllowanceTests {
  private static let adapter = AdapterID(BluetoothAddress(rawValue: 1))
  private static let link = Fact.linkReleased(
    LinkReleased(address: BluetoothAddress(rawValue: 7), adapter: adapter))

  /// A status of so many bytes: its payload, and 250 for the rest of its line.
  private static func status(of bytes: Int = 1_000, _ meaning: StatusMeaning = .other) throws -> Fact {
    func status(_ length: Int) -> StatusReceived {
      StatusReceived(room: "lobby", attempt: 1, text: String(repeating: "x", count: length), meaning: meaning)
    }
    let rest = try JSONEncoder().encode(status(0)).count
    return .statusReceived(status(bytes - 250 - rest))
  }

  private static func sighted(_ address: UInt64) -> Fact {
    .deviceSighted(
      DeviceSighted(address: BluetoothAddress(rawValue: address), adapter: adapter, profile: "robo-sensor"))
  }

  /// The beginning of a run with so many rooms, whose devices are 1, 2 and so on.
  private static func started(rooms: Int) -> Fact {
    .runStarted(
      RunStarted(
        run: "r", building: "b", buildingName: "B", toolVersion: "1", host: "h", manifestPath: "b.yaml",
        manifestSHA256: "00", simulated: false,
        rooms: (0..<rooms).map { index in
          PlannedRoom(
            room: RoomID(rawValue: "room-\(index)"), name: "Room", profile: "robo-sensor",
            address: BluetoothAddress(rawValue: UInt64(index) + 1), settings: [])
        }))
  }

  /// A limit whose allowance is used up.
  private static func exhausted(rooms: Int = 0) throws -> RecordLimit {
    var limit = RecordLimit()
    _ = limit.admitted(started(rooms: rooms), at: .zero)
    let all = try status(of: 100_000 + 1_000 * rooms)
    #expect(limit.admitted(all, at: .zero) == [all])
    return limit
  }

  @Test("100 kB of observations may come at once, 1 kB more for each room, and then 10 kB per second")
  func rate() throws {
    let status = try Self.status()
    for rooms in [0, 3] {
      var limit = RecordLimit()
      _ = limit.admitted(Self.started(rooms: rooms), at: .zero)
      let counts = [0, 2, 1_000].map { second in
        (0..<500).reduce(0) { count, _ in
          count + (limit.admitted(status, at: .seconds(second)).contains(status) ? 1 : 0)
        }
      }
      #expect(counts == [100 + rooms, 20, 100 + rooms])
    }
  }

  @Test("a scan window costs twice, for both ends, and has both or none")
  func windows() throws {
    let window = ScanPeriod(adapter: Self.adapter, purpose: .sighting)
    let bytes = 250 + (try JSONEncoder().encode(window).count)
    var limit = RecordLimit()
    var windows = 0
    for _ in 0..<500 {
      let isStarted = limit.admitted(.scanStarted(window), at: .zero).contains(.scanStarted(window))
      #expect(limit.admitted(.scanStopped(window), at: .zero).contains(.scanStopped(window)) == isStarted)
      if isStarted { windows += 1 }
    }
    #expect(windows == 100_000 / (2 * bytes))
    _ = limit.admitted(.scanStarted(window), at: .zero)
    let stopped = limit.admitted(.scanStopped(window), at: .seconds(100))
    #expect(!stopped.contains(.scanStopped(window)), "its beginning was left out, and there is room again")
  }

  @Test("omitted events are counted at once, then after ten seconds at the earliest, and at the end")
  func counts() throws {
    let status = try Self.status()
    func omitted(_ counts: [EventsOmitted.Count]) -> Fact { .eventsOmitted(EventsOmitted(counts)) }
    var limit = try Self.exhausted()
    #expect(limit.admitted(status, at: .zero) == [omitted([.init("status_received", 1)])])
    #expect(limit.admitted(status, at: .zero) == [])
    #expect(limit.admitted(status, at: .zero) == [])
    #expect(limit.admitted(Self.link, at: .zero) == [])
    #expect(limit.admitted(status, at: .milliseconds(9_999)) == [status])
    #expect(
      limit.admitted(status, at: .seconds(10))
        == [omitted([.init("link_released", 1), .init("status_received", 2)]), status])
    var ended = try Self.exhausted()
    _ = ended.admitted(status, at: .zero)
    _ = ended.admitted(status, at: .zero)
    let end = Fact.runFinished(RunFinished(outcome: .complete))
    #expect(ended.admitted(end, at: .zero) == [omitted([.init("status_received", 1)]), end])
  }

  @Test("events that a later run needs are recorded beyond any limit")
  func needed() throws {
    var limit = try Self.exhausted(rooms: 1)
    func isRecorded(_ fact: Fact) -> Bool { limit.admitted(fact, at: .zero).contains(fact) }
    for meaning in [StatusMeaning.ready, .accepted, .notAccepted, .saved, .refusal] {
      let status = try Self.status(of: 500, meaning)
      #expect(isRecorded(status), "\(meaning)")
    }
    for meaning in [StatusMeaning.stale, .other] {
      let status = try Self.status(of: 500, meaning)
      #expect(!isRecorded(status), "\(meaning)")
    }
    #expect(isRecorded(Self.sighted(1)) && !isRecorded(Self.sighted(2)))
    #expect(
      isRecorded(
        .bindingCommitted(
          BindingCommitted(room: "room-0", address: BluetoothAddress(rawValue: 2), basis: .any))))
    #expect(isRecorded(Self.sighted(2)), "it is the device of a room now")
  }

  @Test("the first fifty different facts about adapters are recorded beyond any limit")
  func adapters() throws {
    var limit = try Self.exhausted()
    let fault = Fact.adapterFaulted(
      AdapterFault(adapter: Self.adapter, fault: .refusesToScan, stackText: "no"))
    #expect(limit.admitted(fault, at: .zero) == [fault])
    #expect(!limit.admitted(fault, at: .zero).contains(fault), "it is known")
    let selected = (1...60).map { number in
      Fact.adapterSelected(
        AdapterSelected(
          adapter: AdapterID(BluetoothAddress(rawValue: UInt64(number))), name: "hci0", stack: "BlueZ"))
    }
    #expect(selected.count { limit.admitted($0, at: .zero).contains($0) } == 49)
  }
}
