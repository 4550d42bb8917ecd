import Bluetooth
import Foundation
import Model
import SampleFacts
import Testing

@testable import Reporting

/// Every sentence that roboprov can show about a room, a building or a run, collected in one text.
@Suite("Every sentence for people")
struct SentenceTests {
  @Test("every sentence is in one snapshot that a person can read")
  func snapshot() throws {
    try expectSnapshot(try Self.catalogue(), "sentences.txt")
  }

  @Test("every sentence uses the words of the style guide, correct plurals, and no names of the code")
  func words() throws {
    for line in try Self.catalogue().split(separator: "\n") where line.hasPrefix("  ") {
      let problems = Self.problems(in: String(line))
      #expect(problems.isEmpty, "\(problems): \(line)")
    }
  }

  @Test(
    "the check finds the problem of a sentence",
    arguments: [
      "The sensor was not heard.", "Nobody told it.", "1 rooms are left.", "Optional(\"x\") is left.",
      "The outcome is action_required.", "It is neverHeard.", "The value is nil.", "Use --device ADDRESS.",
      #"Room \(name) is done."#, "It has \u{201C}a\u{201D} and somebody.",
    ])
  func problem(line: String) {
    #expect(!Self.problems(in: line).isEmpty)
  }

  @Test(
    "the check accepts a correct sentence",
    arguments: [
      "Set `wifi_check: false` for this room.", "It refused the settings: \u{201C}err_len\u{201D}.",
      "1 room is left.",
      "The iBeacon has -60 dBm.", "21 rooms are left.",
    ])
  func noProblem(line: String) {
    #expect(Self.problems(in: line).isEmpty)
  }

  /// The problems of a line. Texts in quotation marks come from devices, and texts in backticks are commands.
  static func problems(in line: String) -> [String] {
    let own = line.replacing(/`[^`]*`/, with: "").replacing(/\u{201C}[^\u{201D}]*\u{201D}/, with: "")
    var problems: [String] = []
    let oldWords =
      /(?i)\b(heard|hears?|hearing|listens?|listening|tells?|told|says?|said|somebody|nobody|whom|hands|deed|standing|dials?|stumbled?|troubles?|went away|stood still)\b/
    problems += own.matches(of: oldWords).map { "old word \($0.output.1)" }
    let plural =
      /(?:^|[^\d.,-])1 (rooms|devices|sensors|beacons|attempts|adapters|scans|networks|links|neighbours|windows|scan windows|digits|runs|labels|days)\b/
    problems += own.matches(of: plural).map { "plural \($0.output.0)" }
    problems += own.matches(of: /\b[a-z]+(_[a-z]+)+\b/).map { "machine name \($0.output.0)" }
    problems += own.matches(of: /\b(?!dBm\b|iBeacon\b)[a-z]+[A-Z]\w*/).map { "identifier \($0.output)" }
    problems += own.matches(of: /\bnil\b|Optional\(|\\\(|%@|<[a-z]+>/).map { "value \($0.output)" }
    problems += own.matches(of: /\b(ADDRESS|ROOM|NAME|FILE|DIR|BUILDING|MANIFEST|RUN)\b/).map {
      "placeholder \($0.output.0)"
    }
    return problems
  }
}

extension SentenceTests {
  /// All sentences: a title that names the case, and below it the sentence and the advice.
  static func catalogue() throws -> String {
    var text = ""
    func section(_ title: String) { text += (text.isEmpty ? "" : "\n") + "# \(title)\n\n" }
    func add(_ title: String, _ words: Explanation) {
      text += "\(title)\n  \(words.sentence)\n  → \(words.advice)\n"
    }
    func add(_ title: String, _ line: String) { text += "\(title)\n  \(line)\n" }
    try addReasons(section, add)
    try addOutcomes(section, add)
    section("States of a room in the reports of a building")
    for state in RoomStatus.Kind.allCases {
      add(state.rawValue, "\(state.symbol) \(state.words); \(state.meaning)")
    }
    section("Conflicts between the manifest and the record")
    for conflict in conflicts {
      add("\(conflict)".prefix { $0 != "(" }.description, conflict.explanation { $0.rawValue.uppercased() })
    }
    section("Requests of the operator during a run")
    for request in [OperatorRequested(.pause), .init(.resume), .init(.stop), .init(.stop, within: 20)] {
      add("\(request.request)", request.words)
    }
    section("How fast a run was")
    text += "  \(try RunSpeedTests.sample().sentence)\n"
    section("Scans by other programs")
    for clients in [[], ["bluetoothctl"], ["bluetoothctl", "python3"]] {
      let scan = ForeignScanDetected(adapter: .first, clients: clients)
      add(
        "\(clients.count) clients", Explanation(scan.sentence(adapter: "hci0"), scan.advice))
    }
    section("Plans")
    for line in planLines { text += "  \(line)\n" }
    section("Results of verify")
    for line in verifications { text += "\(line)\n" }
    section("Evidence")
    for grade in Evidence.Grade.allCases {
      let evidence = Evidence(
        grade: grade, address: .sensor(5), identity: 5, rssi: -60, secondsAfterSave: 1.5)
      add(grade.rawValue, "\(evidence.words(.utc)); in a plan: \(evidence.claim(.utc))")
    }
    section("Reasons in a few words, for headings and logs")
    for code in FailureReason.Code.allCases { add(code.rawValue, code.words) }
    section("Events, as device logs and --verbose show them")
    for fact in SampleFacts.facts + DeviceLogsTests.facts {
      let words = EventWords(fact, SettingTitles([RecordedFamily].builtIn)) { _ in "hci0" }
      add(fact.kind.rawValue, "\(words.topic): \(words.text)")
    }
    return text
  }

  private static func addReasons(
    _ section: (String) -> Void, _ add: (String, Explanation) -> Void
  ) throws {
    func title(_ reason: FailureReason) -> String {
      [reason.code.rawValue, reason.stage?.rawValue, reason.setting?.rawValue].compactMap(\.self)
        .joined(separator: " ")
    }
    section("Reasons, in a room with a Robo Sensor")
    for reason in ExplanationTests.reasons {
      add(title(reason), try ExplanationTests.explain(.failed, reason))
    }
    for (what, words) in [
      (
        "never_received, no address",
        try ExplanationTests.explain(.unreachable, .neverReceived(), address: nil)
      ),
      (
        "connect_timed_out, weak",
        try ExplanationTests.explain(.unreachable, .connectTimedOut(seconds: 15), rssi: -91)
      ),
      (
        "refused, no WiFi",
        try ExplanationTests.explain(.failed, .refused(stage: .save, deviceText: "error:no ssid"), wifi: nil)
      ),
    ] { add(what, words) }
    section("ATT errors of a device")
    for code: UInt8 in [0x02, 0x03, 0x07, 0x08, 0x0D, 0x11, 0x13, 0x0E, 0x80] {
      let reason = FailureReason.attributeRejected(FailedStep(.write, setting: .minor), attError: code)
      add("attribute_rejected \(code)", try ExplanationTests.explain(.failed, reason))
    }
    section("Reasons, in a room whose device can always be written")
    for reason in ExplanationTests.reasons
    where !ExplanationTests.staged.contains(reason.code) || [nil, .read, .verify].contains(reason.stage) {
      add(title(reason), try ExplanationTests.explain(.failed, reason, profile: "iot-design-shop"))
    }
    section("Reasons, in a room whose device was configured elsewhere")
    let held = DeviceIdentity.beacon("8D9E2A60-51C4-4B0B-9C6B-3F1E7A2D5C18", 40, 5)
    for reason: FailureReason in [
      .neverReceived(), .tooManyCandidates([.sensor(7), .sensor(8)], identity: 5),
      .configuredOtherwise(held), .identityOnAir(5, [.sensor(7)]),
    ] {
      add(
        title(reason),
        try ExplanationTests.explain(.actionRequired, reason, profile: "iot-design-shop", registered: true))
    }
    add(
      "never_received, no address",
      try ExplanationTests.explain(
        .actionRequired, .neverReceived(), address: nil, profile: "iot-design-shop", registered: true))
    section("Reasons, in a room with a Firefly")
    for reason: FailureReason in [
      .serviceMissing(FailedStep(.discover)), .neverReceived(), .linkLost(FailedStep(.write)),
    ] {
      add(title(reason), try ExplanationTests.explain(.failed, reason, profile: "firefly"))
    }
    section("Reasons, in a room with a family that this version does not know")
    for reason: FailureReason in [
      .neverReceived(), .connectFailed(FailedStep(.connect)), .settingsChanged(5),
    ] {
      add(title(reason), try ExplanationTests.explain(.unreachable, reason, profile: "no-family-of-ours"))
    }
  }

  private static func addOutcomes(
    _ section: (String) -> Void, _ add: (String, Explanation) -> Void
  ) throws {
    section("Outcomes without a reason")
    for outcome in Outcome.allCases where !outcome.isSuccess {
      add(outcome.rawValue, try ExplanationTests.explain(outcome, nil))
    }
    section("Settings that were written but not proved")
    for reason: FailureReason in [
      .linkLost(FailedStep(.save)), .adapterLost(.awaitingProof()), .stackLost(.awaitingProof()),
      .recordUnwritable(.awaitingProof()), .interrupted(.awaitingProof()),
    ] {
      add(reason.code.rawValue, try ExplanationTests.explain(.unconfirmed, reason))
    }
    for reason: FailureReason in [.linkLost(FailedStep(.verify)), .interrupted(.awaitingProof())] {
      add(
        "\(reason.code.rawValue), no beacon",
        try ExplanationTests.explain(.unconfirmed, reason, profile: "esp-idf"))
    }
    add(
      "not_received_after_save, no beacon",
      try ExplanationTests.explain(.unconfirmed, .notReceivedAfterSave(SaveResponse()), profile: "firefly"))
  }

  private static var conflicts: [RecordConflict] {
    [
      .boundToAnother(room: "lobby", named: .sensor(1), recorded: .sensor(2)),
      .deviceOfAnotherRoom(room: "lobby", named: .sensor(1), other: "attic"),
      .deviceRetired(
        room: "lobby", named: .sensor(1),
        Retirement(room: "lobby", reason: "water damage", at: .distantPast)),
      .renumbered(room: "lobby", from: 5, to: 6, device: .sensor(1)),
      .severalDevices(room: "lobby", [.sensor(1), .sensor(2)]),
      .severalRooms(device: .sensor(1), ["lobby", "attic"]),
      .identityTwice(5, ["lobby", "attic"], [.sensor(1), .sensor(2)]),
      .unordered(room: "lobby", runs: ["20261123T090000Z-ada-1f3a9c", "20261123T091000Z-bob-77aa01"]),
    ]
  }

  private static var planLines: [String] {
    let settings = [
      PlannedSetting(name: .minor, value: "302", recorded: "301", change: .changed),
      PlannedSetting(name: .wifiSSID, value: "Guest, 2nd floor"),
    ]
    func step(_ action: PlannedStep.Action, _ settings: [PlannedSetting]?, _ reason: FailureReason? = nil)
      -> PlannedStep
    {
      PlannedStep(
        room: "lobby", name: "Lobby", action: action, address: .sensor(1), settings: settings, reason: reason)
    }
    let titles = SettingTitles([RecordedFamily].builtIn)
    let provision = step(.provision, settings)
    let stop = step(.stop, nil, .neverReceived())
    let actions = [PlannedStep.Action.provision, .done, .await, .stop, .exclude].map(\.words)
    let differences = [
      PlanDifference(planned: provision, found: stop), .init(planned: nil, found: provision),
      .init(planned: provision, found: nil),
      .init(planned: provision, found: step(.provision, [settings[1]])),
    ]
    return actions + [provision.writes(titles)] + differences.map { $0.words(titles) }
  }

  private static var verifications: [String] {
    let rooms = RoomVerified.Finding.allCases.map { finding in
      (
        name: "Lobby",
        room: RoomVerified(
          room: "lobby", finding: finding, address: .sensor(1), identity: 5, rssi: [-91], windowsReceived: 1,
          windows: 2, others: [.sensor(2)],
          adapters: ["hci0", "gw3/hci0"].map { .init(adapter: AdapterID(.sensor(8)), name: $0, seconds: 10) },
          unused: AdapterID(.sensor(9)))
      )
    }
    return VerificationView.lines(
      rooms, unexpected: [], style: TerminalStyle(width: 200, hasColor: false)
    ).filter { !$0.isEmpty }.map { "  " + $0 }
  }
}
