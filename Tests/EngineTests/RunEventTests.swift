import Bluetooth
import Foundation
import Model
import Testing

@Suite struct RunEventTests {
  static let address = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
  static let finished = RoomFinished(
    room: "lobby", outcome: .failed, address: address, adapter: AdapterID(address), attempts: 2, seconds: 3.5,
    rssi: -61, evidence: Evidence(grade: .savedStatus, address: address),
    settings: [SettingResult(name: .wifiPassword, value: nil, state: .written)],
    reason: .attributeRejected(FailedStep(.write, setting: .minor), attError: 0x0D))

  /// One of each kind. A kind that is forgotten here or in `Fact`'s table is named by the tests below.
  static let facts: [Fact] = [
    .runStarted(
      RunStarted(
        run: "r", building: "b", buildingName: "B", toolVersion: "0", host: "h", manifestPath: "m.yaml",
        manifestSHA256: "00", simulated: true, sealKey: "k",
        rooms: [
          PlannedRoom(
            room: "lobby", name: "Lobby", profile: "robo-sensor",
            settings: [
              SettingResult(name: .wifiPassword, value: nil, state: .notWritten, fingerprint: "f00d")
            ], exclusion: Exclusion(.accepted, reason: "no power yet", by: "M. Muster"))
        ])),
    .adapterAwaited(AdapterAwaited(trouble: .poweredOff, adapter: "hci0", seconds: 30)),
    .adapterSelected(AdapterSelected(adapter: AdapterID(address), name: "hci0", stack: "BlueZ 5.66")),
    .adapterFaulted(
      AdapterFault(
        adapter: AdapterID(address), fault: .hearsNothing, wasPowerCycled: true, stackText: "no answer")),
    .linkReleased(LinkReleased(address: address, adapter: AdapterID(address))),
    .foreignScanDetected(
      ForeignScanDetected(adapter: AdapterID(address), clients: ["bluetoothctl (pid 812)"])),
    .listeningStarted(Listening(adapter: AdapterID(address), purpose: .survey)),
    .listeningStopped(Listening(adapter: AdapterID(address), purpose: .proof, room: "lobby")),
    .deviceSighted(
      DeviceSighted(
        address: address, adapter: AdapterID(address), profile: "robo-sensor", rssi: -50, minor: 7)),
    .bindingCommitted(BindingCommitted(room: "lobby", address: address, basis: .any)),
    .bindingReleased(
      BindingReleased(room: "lobby", address: address, cause: .replaced, reason: "dead", silent: true)),
    .roomRetired(RoomRetired(room: "lobby", reason: "torn down")),
    .roomAccepted(RoomAccepted(room: "lobby", reason: "no power yet", by: "M. Muster")),
    .roomVerified(
      RoomVerified(
        room: "lobby", finding: .duplicate, address: BluetoothAddress(rawValue: 0xC47C_8D00_0001), minor: 1,
        rssi: [-70, -60], windowsHeard: 2, windows: 3, others: [BluetoothAddress(rawValue: 0xC47C_8D00_0002)])
    ),
    .hostPaused(HostPause(.suspended, seconds: 300)),
    .attemptStarted(
      AttemptStarted(room: "lobby", address: address, adapter: AdapterID(address), number: 1, rssi: -50)),
    .stageStarted(StageStarted(room: "lobby", attempt: 1, stage: .write, setting: .minor, timeout: 10)),
    .stageEnded(
      StageEnded(
        room: "lobby", attempt: 1, stage: .write, setting: .minor, seconds: 10,
        failure: .stageTimedOut(FailedStep(.write, setting: .minor), seconds: 10))),
    .statusReceived(StatusReceived(room: "lobby", attempt: 1, text: "error:flash", meaning: .refusal)),
    .settingsRead(SettingsRead(room: "lobby", attempt: 1, settings: [HeldSetting(name: .minor, value: "7")])),
    .elapsedSent(ElapsedSent(room: "lobby", attempt: 1, seconds: 0.512_345, byte: 13, since: .key)),
    .settingWritten(SettingWritten(room: "lobby", attempt: 1, setting: .roomName, bytes: 5)),
    .saveSubmitted(SaveSubmitted(room: "lobby", attempt: 1, address: address)),
    .linkEnded(LinkEnded(room: "lobby", attempt: 1, cause: .remote, expected: true)),
    .proofHeard(
      ProofHeard(
        room: "lobby", attempt: 1,
        evidence: Evidence(
          grade: .freshBeacon, address: address, minor: 7, rssi: -48, secondsAfterSave: 2.5))),
    .attemptEnded(AttemptEnded(room: "lobby", number: 1, seconds: 4, failure: nil)),
    .retryScheduled(RetryScheduled(room: "lobby", attempt: 2, delay: 2)),
    .canariesJudged(CanariesJudged(rooms: ["lobby"], approved: true)),
    .deviceUnclaimed(
      DeviceUnclaimed(address: Sample.address(9), adapter: Sample.adapter, profile: "robo-sensor", rssi: -70)),
    .roomFinished(finished),
    .runInterrupted(RunInterrupted(cause: .signal, detail: "SIGINT")),
    .runFinished(RunFinished(outcome: .incomplete)),
  ]

  @Test func thereIsAnExampleOfEveryKind() {
    #expect(Self.facts.map(\.kind) == Fact.Kind.allCases)
  }

  @Test(arguments: facts) func comesBackAsItWasWritten(fact: Fact) throws {
    let event = RunEvent(
      sequence: 7, at: Date(timeIntervalSince1970: 1_795_251_600.123), elapsed: .microseconds(4711),
      fact: fact)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let data = try encoder.encode(event)
    let back = try JSONDecoder().decode(RunEvent.self, from: data)
    #expect(back == event)
    #expect(try encoder.encode(back) == data)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains(#""at":"2026-11-21T09:00:00.123Z""#))
    #expect(text.contains(#""v":1"#))
    // Frozen names are snake_case throughout.
    #expect(text.firstMatch(of: #/"[a-z]+[A-Z][A-Za-z]*":/#) == nil)
  }

  @Test(arguments: facts) func tellsTheAttemptItBelongsTo(fact: Fact) {
    #expect((fact.attempt == 1) == factsOfAttempts.contains(fact.kind))
    if fact.attempt != nil { #expect(fact.room == "lobby") }
  }

  @Test("records of earlier versions do not say which attempt a stage belongs to")
  func withoutAttempt() throws {
    let line =
      #"{"v":1,"seq":1,"at":"2026-11-21T09:00:00.000Z","elapsed_us":0,"kind":"save_submitted","#
      + #""data":{"room":"lobby","address":"C4:7C:8D:00:00:01"}}"#
    let event = try JSONDecoder().decode(RunEvent.self, from: Data(line.utf8))
    #expect(event.fact == .saveSubmitted(.init(room: "lobby", address: Self.address)))
    #expect(event.fact.attempt == nil)
    #expect(event.fact.durability == .synced)
  }

  @Test("the reading of a kind that does not exist fails, and so does its name")
  func unknownKind() {
    #expect(Fact.Kind(rawValue: "run_exploded") == nil)
    #expect(Fact.Kind(rawValue: "run_started") == "run_started")
  }

  @Test(arguments: [
    #"{"v":2,"seq":1,"at":"2026-11-21T09:00:00.000Z","elapsed_us":0,"kind":"run_finished","data":{"outcome":"complete"}}"#,
    #"{"v":1,"seq":1,"at":"2026-11-21T09:00:00.000Z","elapsed_us":0,"kind":"run_exploded","data":{}}"#,
    #"{"v":1,"seq":1,"at":"yesterday","elapsed_us":0,"kind":"run_finished","data":{"outcome":"complete"}}"#,
    #"{"v":1,"seq":1,"at":"2026-11-21T09:00:00.000Z","elapsed_us":0,"kind":"run_finished","data":{"outcome":"fine"}}"#,
  ])
  func refusesWhatItDoesNotKnow(line: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(RunEvent.self, from: Data(line.utf8)) }
  }
}
