import Bluetooth
import Model
import Testing

@testable import Reporting

@Suite("What people are told")
struct ExplanationTests {
  /// Every code in every setting in which it reads differently.
  private static let reasons: [FailureReason] = FailureReason.Code.allCases.flatMap {
    code -> [FailureReason] in
    switch code {
    case .linkLost, .stageTimedOut, .interrupted, .adapterLost, .stackLost, .hostPaused:
      [FailureReason(code)]
        + Stage.allCases.map {
          FailureReason(
            code, stage: $0, setting: $0 == .write ? .wifiPassword : nil,
            seconds: code == .stageTimedOut ? 10 : nil)
        }
    case .connectTimedOut: [FailureReason(code, stage: .connect, seconds: 15)]
    case .attributeRejected:
      [
        FailureReason(code, stage: .write, setting: .roomName, attError: 0x0D),
        FailureReason(code, stage: .write, setting: "blink", attError: 0x80),
        FailureReason(code, stage: .save, attError: 0x0E), FailureReason(code, stage: .write, attError: 0x7F),
        FailureReason(code),
      ]
    case .refused:
      [FailureReason(code, stage: .save, deviceText: "error:wifi \u{1B}[1mfailed\n"), FailureReason(code)]
    case .wrongIdentity, .configuredOtherwise, .settingsChanged:
      [FailureReason(code, minor: 12), FailureReason(code)]
    case .minorOnAir, .minorOnRecord:
      [FailureReason(code, minor: 5, addresses: [.sensor(77)]), FailureReason(code)]
    case .notClearlyNearest:
      [
        FailureReason(
          code, candidates: [.sensor(1, -52), .sensor(2, -54)], near: "hci1"),
        FailureReason(
          code, candidates: [.sensor(1, -52), .sensor(1, -55, at: 2)], near: "hci1"),
      ]
    case .addressNeeded:
      [FailureReason(code, addresses: [.sensor(1), .sensor(2)]), FailureReason(code)]
    case .notNear, .heardTooBriefly:
      [FailureReason(code, candidates: [.sensor(1, -78)], near: "hci1")]
    case .adapterMissing, .adapterShared: [FailureReason(code, near: "hci1")]
    case .noCandidate: [FailureReason(code), FailureReason(code, near: "hci1")]
    case .tooManyCandidates:
      [FailureReason(code, addresses: (1...7).map { .sensor($0) }), FailureReason(code, addresses: [])]
    case .readBackMismatch:
      [
        FailureReason(code, stage: .read, setting: "interval", held: "power low, interval 1s"),
        FailureReason(code),
      ]
    case .foreignSettings:
      [FailureReason(code, held: "uuid …, major 1, minor 9", minor: 9), FailureReason(code)]
    case .noSelfDisconnect: [FailureReason(code, stage: .save, seconds: 3)]
    case .notHeardAfterSave: [FailureReason(code, stage: .verify, seconds: 30)]
    case .heardFromOtherAddress:
      [
        FailureReason(
          code, stage: .verify, minor: 5, addresses: [.sensor(77)], candidates: [.sensor(77, -71)]),
        FailureReason(
          code, stage: .verify, deviceText: "error:no", minor: 5, addresses: [.sensor(77), .sensor(78)]),
      ]
    case .stackError:
      [
        FailureReason(code, stage: .discover, stackText: "org.bluez.Error.Failed: br-connection-canceled"),
        FailureReason(code),
      ]
    case .adapterClaimed: [FailureReason(code, stackText: "hci0: run r by pid 7"), FailureReason(code)]
    case .neverHeard, .adapterDeaf, .unknownToStack, .connectFailed, .serviceMissing, .saveNotKept,
      .canariesFailed, .canariesRefused,
      .notConfirmed,
      .tooManyFailures,
      .planOutdated, .outOfSlots, .recordUnwritable:
      [FailureReason(code)]
    }
  }

  private func explain(
    _ outcome: Outcome, _ reason: FailureReason?, address: BluetoothAddress? = .sensor(5), rssi: Int? = -60,
    profile: ProfileID = "robo-sensor", wifi: String? = "Office WiFi", registered: Bool = false
  ) throws -> Explanation {
    var room = PlannedRoom.sample("garage", "Garage", minor: 5, address: address, wifi: wifi)
    room.profile = profile
    room.registered = registered ? true : nil
    var story = Story()
    story.begin([room])
    story.end(room, outcome, reason, attempts: 1, rssi: rssi)
    let report = try #require(RunReport(story.events)["garage"])
    return try #require(Explanation(of: report))
  }

  @Test("all of it, to be read by a person")
  func snapshot() throws {
    var text = ""
    func add(_ title: String, _ explanation: Explanation) {
      text += "\(title)\n  \(explanation.sentence)\n  → \(explanation.advice)\n"
    }
    for reason in Self.reasons {
      let context = [reason.stage?.rawValue, reason.setting?.rawValue].compactMap(\.self).joined(
        separator: " ")
      add("\(reason.code.rawValue) \(context)", try explain(.failed, reason))
    }
    for outcome in Outcome.allCases where !outcome.isSuccess {
      add("\(outcome.rawValue), no reason", try explain(outcome, nil))
    }
    add("never_heard, no address", try explain(.unreachable, .init(.neverHeard), address: nil))
    add("connect_timed_out, weak", try explain(.unreachable, .init(.connectTimedOut, seconds: 15), rssi: -91))
    add("refused, no WiFi", try explain(.failed, .init(.refused, deviceText: "error:no ssid"), wifi: nil))
    add("link_lost, unconfirmed", try explain(.unconfirmed, .init(.linkLost, stage: .save)))
    for code in [FailureReason.Code.adapterLost, .stackLost, .recordUnwritable] {
      add("\(code.rawValue), unconfirmed", try explain(.unconfirmed, .init(code, stage: .verify)))
    }
    add("interrupted, unconfirmed", try explain(.unconfirmed, .init(.interrupted, stage: .verify)))
    add(
      "never_heard, another family",
      try explain(.unreachable, .init(.neverHeard), profile: "no-family-of-ours"))
    try expectSnapshot(text, "explanations.txt")
  }

  @Test("the same of a family that can always be written, and of devices that were configured elsewhere")
  func families() throws {
    var text = ""
    func add(_ title: String, _ explanation: Explanation) {
      text += "\(title)\n  \(explanation.sentence)\n  → \(explanation.advice)\n"
    }
    for reason in Self.reasons where reason.stage == nil || reason.stage == .read || reason.stage == .verify {
      add("\(reason.code.rawValue)", try explain(.failed, reason, profile: "iot-design-shop"))
    }
    let held = "uuid 8D9E2A60-51C4-4B0B-9C6B-3F1E7A2D5C18, major 40, minor 5"
    for reason in [
      FailureReason(.neverHeard),
      FailureReason(.tooManyCandidates, minor: 5, addresses: [.sensor(7), .sensor(8)]),
      FailureReason(.configuredOtherwise, held: held, minor: 5),
      FailureReason(.minorOnAir, minor: 5, addresses: [.sensor(7)]),
    ] {
      add(
        "\(reason.code.rawValue), registered",
        try explain(.needsHands, reason, profile: "iot-design-shop", registered: true))
    }
    try expectSnapshot(text, "explanations-families.txt")
  }

  @Test("every reason has a sentence and advice, whole and on one line")
  func whole() throws {
    for reason in Self.reasons {
      for outcome in Outcome.allCases where !outcome.isSuccess {
        for address in [nil, BluetoothAddress.sensor(5)] {
          let explanation = try explain(outcome, reason, address: address, profile: "no-family-of-ours")
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

  @Test("a success needs no words", arguments: Outcome.allCases.filter(\.isSuccess))
  func success(outcome: Outcome) throws {
    var story = Story()
    story.begin([Story.garage])
    story.end(Story.garage, outcome, nil)
    let report = try #require(RunReport(story.events)["garage"])
    #expect(Explanation(of: report) == nil)
  }

  @Test("after an unproved save, looking comes before writing")
  func unconfirmed() throws {
    let explanation = try explain(.unconfirmed, .init(.linkLost, stage: .save))
    #expect(explanation.advice.contains("listens first"))
  }
}

extension HeardCandidate {
  /// A sensor as an adapter hears it.
  fileprivate static func sensor(_ number: UInt64, _ rssi: Int, at adapter: UInt64 = 1) -> Self {
    HeardCandidate(
      address: .sensor(number), adapter: AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7100 + adapter)),
      rssi: rssi)
  }
}
