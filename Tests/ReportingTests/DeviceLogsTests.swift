import Bluetooth
import Model
import Testing

@testable import Reporting

@Suite("devices/<room>.log")
struct DeviceLogsTests {
  private func log(_ room: RoomID, _ events: [RunEvent]) throws -> String {
    try #require(DeviceLogs.texts(events).first { $0.0 == room }).1
  }

  @Test("the whole of it", arguments: ["kitchen", "office", "garage", "bath"] as [RoomID])
  func snapshot(room: RoomID) throws {
    try expectSnapshot(try log(room, Story.mixed.events), "\(room).log")
  }

  @Test("one for each room, in the manifest's order")
  func all() {
    #expect(DeviceLogs.texts(Story.mixed.events).map(\.0) == ["kitchen", "office", "garage", "bath"])
    #expect(DeviceLogs.texts([]).isEmpty)
  }

  @Test("what happens in one room is in its log alone")
  func apart() throws {
    let kitchen = try log("kitchen", Story.mixed.events)
    #expect(kitchen.contains("C4:7C:8D:00:00:02 on hci0 at -52 dBm"))
    #expect(!kitchen.contains("C4:7C:8D:00:00:05"))
    #expect(!kitchen.contains("le-connection-abort-by-local"))
  }

  @Test("the log of a killed run says so")
  func killed() throws {
    var story = Story()
    story.begin([Story.kitchen])
    story.write(Story.kitchen, to: .sensor(2))
    let text = try log("kitchen", story.events)
    #expect(text.contains("The record ends before this room's outcome"))
    #expect(text.contains("Outcome    unconfirmed\n"))
  }

  /// A fact of every kind.
  static let facts: [Fact] = [
    .adapterAwaited(.init(trouble: .blocked, adapter: "hci0", seconds: 30)),
    .adapterAwaited(.init(trouble: .absent, seconds: 30)),
    .foreignScanDetected(.init(adapter: .first, clients: ["bluetoothctl (pid 812)"])),
    .runInterrupted(.init(cause: .signal)), .runInterrupted(.init(cause: .stack, detail: "bus\nlost")),
    .stageEnded(
      .init(
        room: "a", stage: .write, setting: .minor, seconds: 0.2,
        failure: .attributeRejected(FailedStep(.write, setting: .minor), attError: 0x0D))),
    .attemptEnded(
      .init(room: "a", number: 2, seconds: 3, failure: .minorOnAir(MinorHolders(7, [.sensor(9)])))),
    .statusReceived(.init(room: "a", text: "error:flash", meaning: .stale)),
    .linkEnded(.init(room: "a", cause: .adapterLost, expected: false)),
  ]

  /// The device and the stack both have their say in it.
  private func hostileReason(_ text: String) -> FailureReason {
    .notHeardAfterSave(SaveResponse(deviceText: text, stackText: text))
  }

  @Test("every event is one line, whatever others said in it", arguments: Hostile.texts)
  func hostile(text: String) throws {
    var story = Story()
    let room = PlannedRoom.sample("a", text, minor: 1)
    story.begin([room], name: text)
    let reason = hostileReason(text)
    story.tell(.statusReceived(.init(room: "a", text: text, meaning: .refusal)))
    story.tell(.stageEnded(.init(room: "a", stage: .save, seconds: 1, failure: reason)))
    story.tell(.runInterrupted(.init(cause: .stack, detail: text)))
    story.end(room, .failed, reason)
    var plain = Story()
    plain.begin([.sample("a", "x", minor: 1)], name: "x")
    let harmless = hostileReason("x")
    plain.tell(.statusReceived(.init(room: "a", text: "x", meaning: .refusal)))
    plain.tell(.stageEnded(.init(room: "a", stage: .save, seconds: 1, failure: harmless)))
    plain.tell(.runInterrupted(.init(cause: .stack, detail: "x")))
    plain.end(.sample("a", "x", minor: 1), .failed, harmless)

    let hostile = try log("a", story.events)
    let tame = try log("a", plain.events)
    #expect(!hostile.unicodeScalars.contains { $0 != "\n" && $0.isObeyed })
    // The reason at the end may wrap; the table before it may not grow.
    func table(_ text: String) -> Int { text.lines.prefix { !$0.hasPrefix("Outcome") }.count }
    #expect(table(hostile) == table(tame))
  }

  @Test("every kind of fact is in words")
  func kinds() throws {
    var story = Story()
    story.begin([.sample("a", "A", minor: 1)])
    for fact in Self.facts { story.tell(fact) }
    try expectSnapshot(try log("a", story.events), "facts.log")
  }
}
