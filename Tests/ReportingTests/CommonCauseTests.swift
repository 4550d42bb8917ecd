import Bluetooth
import Model
import Testing

@testable import Reporting

@Suite("A common cause of failures") struct CommonCauseTests {
  private struct Tried {
    var adapter: AdapterID = .first
    var rssi = -60
    var network = "Office WiFi"
    var text: String?
    var isDone = false
  }

  private static let second = AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7102))

  private static func report(_ rooms: [Tried]) -> RunReport {
    var story = Story()
    let planned = rooms.enumerated().map { number, tried in
      PlannedRoom.sample(
        RoomID(rawValue: "room-\(number)"), "Room \(number)", minor: UInt16(number), wifi: tried.network)
    }
    story.begin(planned)
    for (number, (room, tried)) in zip(planned, rooms).enumerated() {
      let address = BluetoothAddress.sensor(UInt64(number))
      story.tell(
        .attemptStarted(
          .init(room: room.room, address: address, adapter: tried.adapter, number: 1, rssi: tried.rssi)))
      let reason =
        tried.text.map { FailureReason.refused(stage: .save, deviceText: $0) }
        ?? .connectFailed(FailedStep(.connect))
      story.tell(
        .roomFinished(
          .init(
            room: room.room, outcome: tried.isDone ? .provisioned : .failed, address: address,
            adapter: tried.adapter, attempts: 1, seconds: 1, rssi: tried.rssi,
            settings: room.settings, reason: tried.isDone ? nil : reason)))
    }
    return RunReport(story.events)
  }

  private static let cases: [(rooms: [Tried], causes: [CommonCause])] = [
    (Array(repeating: Tried(adapter: second), count: 3) + [Tried(isDone: true)], [.adapter(second)]),
    (Array(repeating: Tried(adapter: second), count: 3) + [Tried(adapter: second, isDone: true)], []),
    (Array(repeating: Tried(network: "Old"), count: 3) + [Tried(isDone: true)], [.network("Old")]),
    (Array(repeating: Tried(rssi: -88), count: 4) + [Tried(isDone: true)], [.weakSignal]),
    (
      Array(repeating: Tried(rssi: -88), count: 4)
        + Array(repeating: Tried(rssi: -84, isDone: true), count: 2), []
    ),
    (Array(repeating: Tried(text: "error:no flash"), count: 3), [.deviceText("error:no flash")]),
    (Array(repeating: Tried(adapter: second, rssi: -90), count: 2) + [Tried(isDone: true)], []),
    (Array(repeating: Tried(isDone: true), count: 5), []),
  ]

  @Test("is what all that failed have in common, and what was done has not", arguments: cases.indices)
  func found(_ index: Int) {
    let (rooms, causes) = Self.cases[index]
    #expect(Self.report(rooms).commonCauses == causes)
  }

  @Test("is named before each room")
  func shown() {
    let report = Self.report(Self.cases[0].rooms)
    let lines = SummaryView.lines(report, reports: nil, style: TerminalStyle(width: 100, hasColor: false))
    let cause = lines.firstIndex { $0.hasPrefix("All 3 rooms that failed were tried on") }
    let room = lines.firstIndex { $0.hasPrefix("✗ Room 0") }
    #expect((cause ?? .max) < (room ?? 0))
  }
}
