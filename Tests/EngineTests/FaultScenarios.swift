import Bluetooth
import Engine
import Model
import SampleFacts
import Testing
import VirtualBuilding

/// A fault of a sensor, and the outcome of its room.
struct FaultCase: Sendable, CustomTestStringConvertible {
  var fault: Fault
  var outcome: Outcome
  var reason: FailureReason.Code?
  var stage: Stage?
  var attempts: Int

  init(
    _ fault: Fault, _ outcome: Outcome, _ reason: FailureReason.Code? = nil, _ stage: Stage? = nil,
    attempts: Int = 3
  ) {
    self.fault = fault
    self.outcome = outcome
    self.reason = reason
    self.stage = stage
    self.attempts = attempts
  }

  var testDescription: String { "\(fault)" }

  /// Two retries are allowed. An explicit refusal gets one retry in any case.
  static let all: [FaultCase] = [
    .init(.silent, .unreachable, .neverReceived, attempts: 0),
    .init(.neverAnswers, .unreachable, .connectTimedOut, .connect),
    .init(.drops(in: .connect), .unreachable, .connectFailed, .connect),
    .init(.drops(in: .discover), .failed, .linkLost, .discover),
    .init(.drops(in: .subscribe), .failed, .linkLost, .ready),
    .init(.drops(in: .write(1)), .failed, .linkLost, .write),
    .init(.drops(in: .write(4)), .failed, .linkLost, .write),
    .init(.drops(in: .save), .failed, .linkLost, .save),
    .init(
      .rejectsWrite(to: RoboSensorGATT.minor, code: 0x80), .failed, .attributeRejected, .write, attempts: 2),
    .init(
      .rejectsWrite(to: RoboSensorGATT.minor, code: 0x0F), .failed, .pairingRequired, .write, attempts: 1),
    .init(.errorAfterFirstWrite("flash busy"), .failed, .refused, .write, attempts: 2),
    .init(.errorOnSave("flash worn out"), .failed, .refused, .save, attempts: 2),
    // A character that combines with the colon hides no refusal.
    .init(.errorOnSave("\u{301}flash worn out"), .failed, .refused, .save, attempts: 2),
    .init(.returnsWithMinor(9), .failed, .wrongIdentity, .verify, attempts: 1),
    .init(.neverReturns, .unconfirmed, .notReceivedAfterSave, .verify, attempts: 1),
    .init(.restartsBeforeConfirming(saved: false), .failed, .linkLost, .save),
    // The session continues with these.
    .init(.restartsBeforeConfirming(saved: true), .provisioned, attempts: 1),
    .init(.slow, .provisioned, attempts: 1),
    .init(.lateCharacteristics, .provisioned, attempts: 1),
    .init(.noReady, .provisioned, attempts: 1),
    .init(.noSaved, .provisioned, attempts: 1),
    .init(.refusesSubscription, .provisioned, attempts: 1),
    .init(.staleError("left from yesterday"), .provisioned, attempts: 1),
    .init(.lastingError("left from yesterday"), .provisioned, attempts: 1),
    .init(.savesOnlyWithSSID, .provisioned, attempts: 1),
    .init(.withoutWiFiScan, .provisioned, attempts: 1),
    .init(.staleAttributes, .provisionedAfterRetry, attempts: 2),
  ]

  /// The status is only read, never notified. After SAVE it affects only the reason.
  static let withoutNotifications: [FaultCase] = [
    .init(.staleError("left from yesterday"), .provisioned, attempts: 1),
    .init(.noReady, .provisioned, attempts: 1),
    .init(.noSaved, .provisioned, attempts: 1),
    .init(.restartsBeforeConfirming(saved: true), .provisioned, attempts: 1),
    .init(.restartsBeforeConfirming(saved: false), .failed, .linkLost, .save),
    .init(.errorOnSave("flash worn out"), .failed, .refused, .save, attempts: 2),
    .init(.errorAfterFirstWrite("flash busy"), .failed, .refused, .save, attempts: 2),
    .init(.neverReturns, .unconfirmed, .notReceivedAfterSave, .verify, attempts: 1),
    .init(.drops(in: .write(4)), .failed, .linkLost, .write),
  ]

  /// The number of settings that the last attempt confirmed, and the evidence.
  var rest: (written: ClosedRange<Int>, evidence: Evidence.Grade?) {
    switch (outcome, fault) {
    case (_, .noSaved), (_, .restartsBeforeConfirming(saved: true)): (4...4, .freshBeaconUnacknowledged)
    case (.provisioned, _), (.provisionedAfterRetry, _): (4...4, .freshBeacon)
    case (_, .neverReturns): (4...4, .savedStatus)
    case (_, .drops(in: .write(let number))): (number - 1...number - 1, nil)
    case (_, .rejectsWrite): (3...3, nil)
    // The refusal is sent together with the first confirmation.
    case (_, .errorAfterFirstWrite): (stage == .save ? 4...4 : 1...2, nil)
    case (_, .drops(in: .save)), (_, .errorOnSave), (_, .returnsWithMinor), (_, .restartsBeforeConfirming):
      (4...4, nil)
    default: (0...0, nil)
    }
  }

  /// Faults of the first attempt only: all of them must be overcome.
  static let passing: [Fault] = [
    .neverAnswers, .drops(in: .connect), .drops(in: .discover), .drops(in: .subscribe), .drops(in: .write(1)),
    .drops(in: .write(3)), .drops(in: .save), .rejectsWrite(to: RoboSensorGATT.roomName, code: 0x80),
    .errorAfterFirstWrite("flash busy"), .errorOnSave("flash busy"), .restartsBeforeConfirming(saved: false),
  ]
}

@Suite("faults of sensors") struct FaultScenarios {
  @Test(
    "each fault of a sensor gives its room the expected outcome, and affects no other room",
    arguments: FaultCase.all)
  func fault(_ example: FaultCase) async throws {
    let rooms = [Sample.room(1, address: 1), Sample.room(2, address: 2), Sample.room(3, address: 3)]
    // The number of attempts depends on the number of adapters that remember the device: one here.
    let run = try await rehearse(
      [[], [.init(example.fault)], []], rooms: rooms, scenario: { $0.adapters = oneAdapter }
    ).expectInvariants()
    let room = try #require(run.outcome(2))
    #expect(room.outcome == example.outcome)
    #expect(room.reason?.code == example.reason)
    #expect(room.reason?.stage == example.stage)
    #expect(room.attempts == example.attempts)
    #expect(room.evidence?.grade == example.rest.evidence)
    #expect(example.rest.written.contains(room.settings.count(where: \.state.isConfirmed)))
    #expect(room.settings.contains { $0.state == .proved } == example.outcome.isSuccess)
    for healthy in [1, 3] {
      #expect(run.outcome(healthy)?.outcome == .provisioned)
    }
    #expect(run.result.outcome == (example.outcome.isSuccess ? .complete : .incomplete))
  }

  @Test(
    "a device whose service or characteristics are there twice is not written, of whatever family",
    arguments: [Fault.twoServices, .twoCharacteristics], 1...5)
  func ambiguous(fault: Fault, number: Int) async throws {
    let rooms = [
      Sample.room(1, address: 1), Sample.beaconRoom(2, address: 2), Sample.fireflyRoom(3, address: 3),
      ImprovScenarios.room(4), EspScenarios.room(5),
    ]
    let room = rooms[number - 1]
    let run = try await rehearse(
      [], rooms: [room],
      scenario: { scenario in
        scenario.sensors = [
          SensorScenario(
            address: Sample.address(UInt64(number)), family: FirmwareFamily.of(room), faults: [.init(fault)])
        ]
      }
    ).expectInvariants()
    #expect(run.outcome(number)?.reason?.code == .serviceAmbiguous && run.writes.isEmpty)
  }

  @Test(
    "each fault gives the expected outcome when the status can only be read",
    arguments: FaultCase.withoutNotifications)
  func withoutNotifications(_ example: FaultCase) async throws {
    let rooms = [Sample.room(1, address: 1)]
    let run = try await rehearse([[.init(example.fault), .init(.refusesSubscription)]], rooms: rooms)
      .expectInvariants()
    let room = try #require(run.outcome(1))
    #expect(room.outcome == example.outcome)
    #expect(room.reason?.code == example.reason)
    #expect(room.reason?.stage == example.stage)
    #expect(room.attempts == example.attempts)
    #expect(room.evidence?.grade == example.rest.evidence)
    #expect(example.rest.written.contains(room.settings.count(where: \.state.isConfirmed)))
  }

  @Test("an error of an earlier attempt is no response to SAVE when the status can only be read")
  func lastingError() async throws {
    let rooms = [Sample.room(1, address: 1)]
    let faults: [Fault] = [.lastingError("flash busy"), .noSaved, .refusesSubscription, .neverReturns]
    let run = try await rehearse([faults.map { .init($0) }], rooms: rooms).expectInvariants()
    let room = try #require(run.outcome(1))
    #expect(room.outcome == .unconfirmed)
    #expect(room.reason?.code == .notReceivedAfterSave)
    #expect(room.reason?.deviceText == nil)
    let statuses = run.events.compactMap { event in
      if case .statusReceived(let fact) = event.fact { fact } else { nil }
    }
    #expect(statuses.contains { $0.text == "error:flash busy" })
    #expect(!statuses.contains { $0.meaning == .refusal })
  }

  @Test("a fault of the first attempt is overcome by another attempt", arguments: FaultCase.passing)
  func passing(_ fault: Fault) async throws {
    let run = try await rehearse([[.init(fault, attempts: 1)]]).expectInvariants()
    #expect(run.outcome(1)?.outcome == .provisionedAfterRetry)
    #expect(run.outcome(1)?.attempts == 2)
  }

  @Test("a sensor that refuses SAVE without an SSID stops a room without WiFi, with the sensor's message")
  func noWiFi() async throws {
    let rooms = [Sample.room(1, address: 1, wifi: false)]
    let run = try await rehearse([[.init(.savesOnlyWithSSID)]], rooms: rooms).expectInvariants()
    #expect(run.outcome(1)?.outcome == .failed)
    #expect(run.outcome(1)?.reason?.deviceText == "error:no ssid")
    // Empty credentials never replace valid ones: none were written.
    #expect(
      !run.writes.contains { [RoboSensorGATT.ssid, RoboSensorGATT.password].contains($0.characteristic) })
  }

  @Test(
    "a status that quotes the password in a usual form is recorded without it",
    arguments: [
      "correct horse", "CORRECT HORSE", "rect horse",
      "636f727265637420686f727365", "correct%20horse", "c\0o\0r\0r\0e\0c\0t\0 \0h\0o\0r\0s\0e",
    ])
  func echo(_ form: String) async throws {
    let rooms = [Sample.room(1, address: 1)]
    let run = try await rehearse([[.init(.errorOnSave("no \(form)"))]], rooms: rooms).expectInvariants()
    #expect(run.outcome(1)?.reason?.deviceText == "error:no •••")
  }

  @Test("a record distinguishes written settings from proved ones")
  func settings() async throws {
    let run = try await rehearse([[], [.init(.drops(in: .write(3)))]])
    let proved = try #require(run.outcome(1)).settings
    #expect(proved.map(\.name) == [.wifiSSID, .wifiPassword, .roomName, .minor])
    #expect(proved.map(\.state) == [.acknowledged, .acknowledged, .acknowledged, .proved])
    #expect(proved.map(\.value) == ["Plant", nil, "Room 1", "1"])
    let lost = try #require(run.outcome(2)).settings
    #expect(lost.map(\.state) == [.written, .written, .submitted, .notWritten])
  }
}
