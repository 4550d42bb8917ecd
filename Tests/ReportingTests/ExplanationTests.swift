import Bluetooth
import Model
import SampleFacts
import Testing

@testable import Reporting

@Suite("Explanations of rooms that are not done")
struct ExplanationTests {
  /// The codes that are possible in every stage.
  static let staged: Set<FailureReason.Code> = [
    .linkLost, .stageTimedOut, .interrupted, .adapterLost, .stackLost, .hostPaused,
  ]

  /// The beacon of a firmware that differs from the factory's.
  private static let otherBeacon = DeviceIdentity.beacon("6F1C2A90-5B7D-4E21-9A44-0C1D2E3F4A5B", 7, 5)

  /// Every code, in every context that changes its explanation.
  static let reasons = FailureReason.Code.allCases.flatMap { examples(of: $0) }

  private static func examples(of code: FailureReason.Code) -> [FailureReason] {
    let steps = Stage.allCases.map { FailedStep($0, setting: $0 == .write ? .wifiPassword : nil) }
    return switch code {
    case .linkLost: steps.map { .linkLost($0) }
    case .stageTimedOut: steps.map { .stageTimedOut($0, seconds: 10) }
    case .interrupted: [.interrupted(.idle())] + steps.map { .interrupted(.during($0)) }
    case .adapterLost: [.adapterLost(.idle())] + steps.map { .adapterLost(.during($0)) }
    case .stackLost: [.stackLost(.idle())] + steps.map { .stackLost(.during($0)) }
    case .hostPaused: steps.map { .hostPaused($0) }
    case .connectTimedOut: [.connectTimedOut(seconds: 15)]
    case .attributeRejected:
      [
        .attributeRejected(FailedStep(.write, setting: .roomName), attError: 0x0D),
        .attributeRejected(FailedStep(.write, setting: "blink"), attError: 0x80),
        .attributeRejected(FailedStep(.save), attError: 0x0E),
        .attributeRejected(FailedStep(.write), attError: 0x7F),
        .attributeRejected(FailedStep(.write)),
      ]
    case .refused:
      [
        "error:wifi \u{1B}[1mfailed\n", "error:flash write failed", "low battery", "error:invalid length",
        "DHCP timeout",
        "wrong password", "unknown ssid", "busy",
      ].map { .refused(stage: .save, deviceText: $0) }
    case .wrongIdentity:
      [.wrongIdentity(12), .wrongIdentity(5), .wrongIdentity(Self.otherBeacon)]
    case .configuredOtherwise:
      [
        .configuredOtherwise(12), .configuredOtherwise(5),
        .configuredOtherwise(Self.otherBeacon),
      ]
    case .settingsChanged: [.settingsChanged(12), .settingsChanged(nil)]
    case .contradictorySightings:
      [nil, SaveResponse()].map {
        .contradictorySightings(
          Contradiction(
            .sensor(5), StateSighting(adapter: .first, identity: nil),
            StateSighting(adapter: .first, identity: 5)),
          $0
        )
      }
    case .settingsUnknown: [.settingsUnknown(5), .settingsUnknown(nil)]
    case .authorizationRequired: [.authorizationRequired]
    case .localAdapterNeeded: [.localAdapterNeeded]
    case .beaconAsBefore: [.beaconAsBefore(5, SaveResponse()), .beaconAsBefore(5, nil)]
    case .identityOnAir:
      [.identityOnAir(5, [.sensor(77)]), .identityOnAir(5, [])]
    case .identityOnRecord:
      [.identityOnRecord(5, [.sensor(77)]), .identityOnRecord(5, [])]
    case .notClearlyNearest:
      [[.sensor(1, -52), .sensor(2, -54)], [.sensor(1, -52), .sensor(1, -55, at: 2)]].map {
        .notClearlyNearest(near: "hci1", $0)
      }
    case .addressNeeded: [.addressNeeded(received: [.sensor(1), .sensor(2)]), .addressNeeded(received: [])]
    case .addressMissing: [.addressMissing]
    case .ambiguousFamily: [.ambiguousFamily(["tag", "lamp"])]
    case .notNear: [.notNear(near: "hci1", [.sensor(1, -78)])]
    case .receivedTooBriefly: [.receivedTooBriefly(near: "hci1", [.sensor(1, -78)])]
    case .adapterMissing: [.adapterMissing(near: "hci1")]
    case .adapterShared: [.adapterShared(near: "hci1")]
    case .noCandidate: [.noCandidate(), .noCandidate(near: "hci1")]
    case .tooManyCandidates: [.tooManyCandidates((1...7).map { .sensor($0) }), .tooManyCandidates([])]
    case .readBackMismatch: [.readBackMismatch(setting: "interval", held: "power low, interval 1s")]
    case .foreignSettings: [.foreignSettings(held: "uuid …, major 1, minor 9", .onAir)]
    case .credentialsRefused:
      [
        .credentialsRefused(FailedStep(.ready)),
        .credentialsRefused(FailedStep(.ready), source: "env: ESP_POP"),
      ]
    case .pairingRequired: [.pairingRequired(FailedStep(.write, setting: .wifiPassword))]
    case .pairingRefused: [.pairingRefused(FailedStep(.connect, stackText: "Authentication Failed"))]
    case .passkeyRefused:
      [
        .passkeyRefused(FailedStep(.connect)),
        .passkeyRefused(FailedStep(.connect), source: "labels: labels.json"),
      ]
    case .passkeyUnused: [.passkeyUnused(FailedStep(.connect))]
    case .pairingUnsuitable:
      [.pairingUnsuitable(FailedStep(.connect, stackText: "Authentication Failed"))]
    case .pairingLost: [.pairingLost(FailedStep(.connect))]
    case .otherDevice: [.otherDevice(held: "shellyplus1-a8032abe54dc")]
    case .deviceRestarts: [.deviceRestarts]
    case .securityTooLow: [.securityTooLow(held: "security 0")]
    case .notForWiFi: [.notForWiFi]
    case .settingUnsupported: [.settingUnsupported("endpoints.custom-data")]
    case .wifiRefused: WiFiRefusal.allCases.map { .wifiRefused($0, deviceText: "error 3") }
    case .networkNotReceived:
      [
        .networkNotReceived(
          ssid: "Office WiFi",
          networks: [FoundNetwork(ssid: "Guests, 2nd floor", rssi: -52), FoundNetwork(ssid: "", rssi: -80)]),
        .networkNotReceived(ssid: "Office WiFi", networks: []),
        .networkNotReceived(
          ssid: "Office WiFi", networks: [FoundNetwork(ssid: "Guests", rssi: -82, channel: 36)]),
      ]
    case .noSelfDisconnect: [.noSelfDisconnect(seconds: 3)]
    case .notReceivedAfterSave: [.notReceivedAfterSave(SaveResponse())]
    case .receivedFromOtherAddress:
      [
        .receivedFromOtherAddress(
          OtherSenders(identity: 5, addresses: [.sensor(77)], candidates: [.sensor(77, -71)]), SaveResponse()),
        .receivedFromOtherAddress(
          OtherSenders(identity: 5, addresses: [.sensor(77), .sensor(78)], candidates: []),
          SaveResponse(deviceText: "error:no")),
      ]
    case .stackError:
      [
        .stackError(FailedStep(.discover, stackText: "org.bluez.Error.Failed: br-connection-canceled")),
        .stackError(FailedStep(.discover)),
      ]
    case .adapterClaimed: [.adapterClaimed(holder: "hci0: run r by pid 7")]
    case .neverReceived: [.neverReceived()]
    case .adapterDeaf: [.adapterDeaf]
    case .contentHidden:
      [.contentHidden(stackText: "RemoveDevice /org/bluez/hci0/dev_C4: org.bluez.Error.Failed")]
    case .notRecognised: [.notRecognised]
    case .unknownToStack: [.unknownToStack()]
    case .connectFailed: [.connectFailed(FailedStep(.connect))]
    case .serviceMissing: [.serviceMissing(FailedStep(.discover))]
    case .serviceAmbiguous: [.serviceAmbiguous(FailedStep(.discover))]
    case .saveNotKept: [.saveNotKept]
    case .canariesFailed: [.canariesFailed]
    case .canariesRefused: [.canariesRefused]
    case .notConfirmed: [.notConfirmed]
    case .tooManyFailures: [.tooManyFailures]
    case .planOutdated: [.planOutdated]
    case .outOfSlots: [.outOfSlots(FailedStep(.connect))]
    case .recordUnwritable: [.recordUnwritable(.idle())]
    }
  }

  static func explain(
    _ outcome: Outcome, _ reason: FailureReason?, address: BluetoothAddress? = .sensor(5), rssi: Int? = -60,
    profile: FamilyID = "robo-sensor", wifi: String? = "Office WiFi", registered: Bool = false
  ) throws -> Explanation {
    var room = PlannedRoom.sample("garage", "Garage", minor: 5, address: address, wifi: wifi)
    room.profile = profile
    room.registered = registered ? true : nil
    var script = RunScript()
    script.begin([room])
    script.end(room, outcome, reason, attempts: 1, rssi: rssi)
    let report = try #require(RunReport(script.events)["garage"])
    return try #require(Explanation(of: report))
  }

  @Test("the explanation of every reason has a sentence and advice, each complete and on one line")
  func whole() throws {
    for reason in Self.reasons {
      for outcome in Outcome.allCases where !outcome.isSuccess {
        for address in [nil, BluetoothAddress.sensor(5)] {
          let explanation = try Self.explain(outcome, reason, address: address, profile: "no-family-of-ours")
          for text in [explanation.sentence, explanation.advice] {
            #expect(text.count > 20 && text.last == ".", "\(reason): \(text)")
            #expect(
              !text.contains("  ") && !text.contains(" .") && text.visible == text, "\(reason): \(text)")
            #expect(text.first?.isUppercase == true, "\(reason): \(text)")
            #expect(!text.contains("nil") && !text.contains("Optional"), "\(reason): \(text)")
          }
        }
      }
    }
  }

  @Test("on a phone, no advice names a command that only the person at the laptop can run")
  func phone() throws {
    for reason in Self.reasons {
      for profile in ["robo-sensor", "shelly", "improv-wifi", "firefly"] as [FamilyID] {
        let advice = try Self.explain(.failed, reason, profile: profile).advice.withoutCommandLine
        #expect(!advice.contains("same command") && advice.firstMatch(of: /[Rr]un `/) == nil, "\(advice)")
      }
    }
  }

  @Test(
    "credentials are compared with the label only where the label has them",
    arguments: [("esp-idf", true), ("shelly", false)] as [(FamilyID, Bool)])
  func credentials(profile: FamilyID, isOnLabel: Bool) throws {
    let reason = FailureReason.credentialsRefused(FailedStep(.ready), source: "env:DOOR")
    let advice = try Self.explain(.actionRequired, reason, profile: profile).advice
    #expect(advice.contains("label") == isOnLabel && advice.contains("“env:DOOR”"), "\(advice)")
  }

  @Test("an attempt that ended with the restart for the settings gives that as its only reason")
  func restart() {
    let clause = { AttemptExemption.clause($0, .deviceRestarts) }
    #expect(clause(.deviceRestarts) == "not counted: it restarts for its settings")
    #expect(clause(nil) == "failed: restarts")
  }

  @Test("a done room has no explanation", arguments: Outcome.allCases.filter(\.isSuccess))
  func success(outcome: Outcome) throws {
    var script = RunScript()
    script.begin([RunScript.garage])
    script.end(RunScript.garage, outcome, nil)
    let report = try #require(RunReport(script.events)["garage"])
    #expect(Explanation(of: report) == nil)
  }

  @Test(
    "a near device that loses the link in the same step each time gets no advice to go nearer",
    arguments: [(Stage.write, 3), (.ready, 1)])
  func repeated(step: Stage, expected: Int) throws {
    let room = RunScript.garage
    var script = RunScript()
    script.begin([room])
    for (number, stage) in [Stage.write, .write, step].enumerated() {
      let failure = FailureReason.linkLost(FailedStep(stage, setting: stage == .write ? .wifiPassword : nil))
      script.append(
        .attemptStarted(
          .init(room: room.room, address: .sensor(5), adapter: .first, number: number + 1, rssi: -48)))
      script.append(.attemptEnded(.init(room: room.room, number: number + 1, seconds: 1, failure: failure)))
      if number == 2 { script.end(room, .failed, failure, attempts: 3, rssi: -48) }
    }
    let report = try #require(RunReport(script.events)["garage"])
    let explanation = try #require(Explanation(of: report))
    #expect(!explanation.advice.contains("within 3 m") && explanation.advice.contains("-48 dBm"))
    #expect(explanation.sentence.contains("\(expected) times in a row") == (expected > 1))
    #expect(explanation.advice.contains("replace the") == (expected > 1))
  }

  @Test("the advice for an unproved save states that the next run scans first")
  func unconfirmed() throws {
    let explanation = try Self.explain(.unconfirmed, .linkLost(FailedStep(.save)))
    #expect(explanation.advice.contains("The run scans first"))
  }
}

extension ReceivedCandidate {
  /// A sensor as an adapter receives it.
  fileprivate static func sensor(_ number: UInt64, _ rssi: Int, at adapter: UInt64 = 1) -> Self {
    ReceivedCandidate(
      address: .sensor(number), adapter: AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7100 + adapter)),
      rssi: rssi)
  }
}

@Suite("Causes in a device's error message")
struct RefusalCauseTests {
  @Test(
    "an error message names its cause",
    arguments: [
      ("error:flash write failed", .storage), ("NVS full", .storage), ("out of memory", .storage),
      ("Battery too low", .power), ("brown-out", .power), ("error:invalid length", .length),
      ("err_len", .length), ("name too long", .length), ("error: dhcp timeout", .ipAddress),
      ("no_ip", .ipAddress), ("wifi auth failed", .password), ("4-way handshake timeout", .password),
      ("invalid key", .password), ("unknown ssid", .network), ("NO_AP_FOUND", .network), ("busy", .busy),
    ] as [(String, RefusalCause)])
  func names(message: String, cause: RefusalCause) {
    #expect(RefusalCause(message) == cause)
  }

  @Test(
    "an unspecific error message names no cause",
    arguments: ["", "error:7", "wifi failed", "monkey business in the valley", "keyboard"])
  func none(message: String) {
    #expect(RefusalCause(message) == nil)
  }

  @Test(
    "the advice mentions WiFi problems only for a room with WiFi",
    arguments: ["dhcp", "wrong password", "unknown ssid"])
  func wifi(message: String) throws {
    let reason = FailureReason.refused(stage: .save, deviceText: message)
    #expect(try ExplanationTests.explain(.failed, reason).advice.contains("WiFi"))
    #expect(
      try ExplanationTests.explain(.failed, reason, wifi: nil).advice.contains("may not save without WiFi"))
  }
}
