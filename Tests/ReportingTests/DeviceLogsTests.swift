import Bluetooth
import Model
import RecordedText
import SampleFacts
import Testing

@testable import Reporting

@Suite("devices/<room>.log")
struct DeviceLogsTests {
  private func log(_ room: RoomID, _ events: [RunEvent]) throws -> String {
    try #require(DeviceLogs.texts(events).first { $0.0 == room }).1
  }

  @Test("a room's log matches its snapshot", arguments: ["kitchen", "office", "garage", "bath"] as [RoomID])
  func snapshot(room: RoomID) throws {
    try expectSnapshot(try log(room, RunScript.mixed.events), "\(room).log")
  }

  @Test("each room has a log, in the manifest's order")
  func all() {
    #expect(DeviceLogs.texts(RunScript.mixed.events).map(\.0) == ["kitchen", "office", "garage", "bath"])
    #expect(DeviceLogs.texts([]).isEmpty)
  }

  @Test("the events of one room are in its log only")
  func apart() throws {
    let kitchen = try log("kitchen", RunScript.mixed.events)
    #expect(kitchen.contains("C4:7C:8D:00:00:02 on hci0 at -52 dBm"))
    #expect(!kitchen.contains("C4:7C:8D:00:00:05"))
    #expect(!kitchen.contains("le-connection-abort-by-local"))
    #expect(!kitchen.contains("  scan  ") && !kitchen.contains("  run  ") && !kitchen.contains("  adapter  "))
  }

  @Test("the log of a killed run states that the record ends early")
  func killed() throws {
    var script = RunScript()
    script.begin([RunScript.kitchen])
    script.write(RunScript.kitchen, to: .sensor(2))
    let text = try log("kitchen", script.events)
    #expect(text.contains("The record ends before the outcome of this room"))
    #expect(text.contains("Outcome    unconfirmed\n"))
  }

  /// A fact of every kind.
  static let facts: [Fact] = [
    .adapterAwaited(.init(problem: .blocked, adapter: "hci0", seconds: 30)),
    .adapterAwaited(.init(problem: .absent, seconds: 30)),
    .foreignScanDetected(.init(adapter: .first, clients: ["bluetoothctl (pid 812)"])),
    .runInterrupted(.init(cause: .signal)), .runInterrupted(.init(cause: .stack, detail: "bus\nlost")),
    .stageEnded(
      .init(
        room: "a", attempt: 1, stage: .write, setting: .minor, seconds: 0.2,
        failure: .attributeRejected(FailedStep(.write, setting: .minor), attError: 0x0D))),
    .attemptEnded(
      .init(room: "a", number: 2, seconds: 3, failure: .identityOnAir(7, [.sensor(9)]))),
    .statusReceived(.init(room: "a", attempt: 1, text: "error:flash", meaning: .stale)),
    .linkEnded(.init(room: "a", attempt: 1, cause: .adapterLost, expected: false)),
  ]

  /// A reason with texts of the device and of the stack.
  private func hostileReason(_ text: String) -> FailureReason {
    .notReceivedAfterSave(SaveResponse(deviceText: text, stackText: text))
  }

  @Test("every event is one line, whatever text it contains", arguments: Hostile.texts)
  func hostile(text: String) throws {
    var script = RunScript()
    let room = PlannedRoom.sample("a", text, minor: 1)
    script.begin([room], name: text)
    let reason = hostileReason(text)
    script.append(.statusReceived(.init(room: "a", attempt: 1, text: text, meaning: .refusal)))
    script.append(.stageEnded(.init(room: "a", attempt: 1, stage: .save, seconds: 1, failure: reason)))
    script.append(.runInterrupted(.init(cause: .stack, detail: text)))
    script.end(room, .failed, reason)
    var plain = RunScript()
    plain.begin([.sample("a", "x", minor: 1)], name: "x")
    let harmless = hostileReason("x")
    plain.append(.statusReceived(.init(room: "a", attempt: 1, text: "x", meaning: .refusal)))
    plain.append(.stageEnded(.init(room: "a", attempt: 1, stage: .save, seconds: 1, failure: harmless)))
    plain.append(.runInterrupted(.init(cause: .stack, detail: "x")))
    plain.end(.sample("a", "x", minor: 1), .failed, harmless)

    let hostile = try log("a", script.events)
    let tame = try log("a", plain.events)
    #expect(!hostile.unicodeScalars.contains { $0 != "\n" && $0.isControlling })
    // The reason at the end may wrap; the table before it may not grow.
    func table(_ text: String) -> Int { text.lines.prefix { !$0.hasPrefix("Outcome") }.count }
    #expect(table(hostile) == table(tame))
  }

  @Test("the stack's error text about a room without an attempt is in its log")
  func stackText() throws {
    var script = RunScript()
    script.begin([.sample("a", "A", minor: 1)])
    script.end(.sample("a", "A", minor: 1), .failed, hostileReason("org.bluez.Error.Failed"))
    #expect(try log("a", script.events).contains("Stack text org.bluez.Error.Failed\n"))
  }

  @Test("the log has the events of the room and its device, and which events were left out, and nothing else")
  func own() throws {
    var script = RunScript()
    script.begin([.sample("a", "A", minor: 1, address: .sensor(1))])
    for fact in Self.facts { script.append(fact) }
    for number in [1, 2] as [UInt64] {
      script.append(
        .deviceSighted(
          .init(address: .sensor(number), adapter: .first, profile: "robo-sensor", rssi: -60)))
    }
    script.append(.eventsOmitted(.init([.init("device_sighted", 7)])))
    try expectSnapshot(try log("a", script.events), "facts.log")
  }
}
