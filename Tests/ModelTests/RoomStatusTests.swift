import Bluetooth
import Foundation
import Testing

@testable import Model

/// The decision table of docs/internals/record.md ("Where a room stands"), and what it does not show.
@Suite("where a room stands") struct RoomStatusTests {
  private static let document = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/internals/record.md")

  private static let columns = [
    "unordered runs", "retired", "accepted", "last write", "search", "manifest", "last outcome",
    "device released",
  ]
  /// What each column can say. The first value of a column is what is usual.
  private static let values: [[String]] = [
    ["no", "yes"], ["no", "yes"], ["no", "yes", "of another device"],
    ["none", "submitted", "acknowledged", "proved", "proved elsewhere"],
    ["received", "missing", "otherwise"],
    ["as written", "not comparable", "other settings", "another device", "another identity"],
    ["none", "begun", "failed", "action required", "unreachable"], ["no", "yes"],
  ]

  private struct Row: Hashable {
    var cells: [String]
    var state: String

    func fits(_ values: [String]) -> Bool {
      zip(cells, values).allSatisfy { cell, value in
        if cell.isEmpty { return true }
        let named = cell.replacingOccurrences(of: ", or ", with: ", ").components(separatedBy: ", ")
        let isUnproved = ["submitted", "acknowledged", "proved elsewhere"].contains(value)
        return named.contains(value) || isUnproved && named.contains("not proved")
      }
    }
  }

  private static func table() throws -> [Row] {
    let text = try String(contentsOf: document, encoding: .utf8)
    let lines = text.components(separatedBy: "\n")
    let header = try #require(
      lines.firstIndex(of: "| " + (columns + ["state"]).joined(separator: " | ") + " |"))
    return lines[(header + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      let cells = line.dropFirst().dropLast().components(separatedBy: "|")
        .map { $0.trimmingCharacters(in: .whitespaces) }
      return Row(cells: Array(cells.dropLast()), state: cells.last ?? "")
    }
  }

  private static let device = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
  private static let other = BluetoothAddress(rawValue: 0xC47C_8D00_0002)
  private static let place = RecordedAt(run: "a", at: Date(timeIntervalSince1970: 0))

  private static func identity(_ minor: Int) -> DeviceIdentity { DeviceIdentity(["minor \(minor)"]) }

  private static func write(_ state: LastWrite.State, password: String = "sealed") -> LastWrite {
    LastWrite(
      address: device, state: state,
      settings: [
        .init(name: .roomName, value: "A", state: .proved),
        .init(name: .wifiPassword, value: nil, state: .acknowledged, fingerprint: password),
      ], identity: identity(7), sealKey: "k", run: "a", at: place.at)
  }

  private static func proof(_ address: BluetoothAddress = device) -> LastWrite.State {
    .proved(Evidence(grade: .freshBeacon, address: address, identity: identity(7)))
  }

  private static func wanted(
    name: String = "A", password: String? = "sealed", key: String? = "k", address: BluetoothAddress? = nil,
    minor: Int = 7
  ) -> WantedRoom {
    WantedRoom(
      PlannedRoom(
        room: "r", name: "R", profile: "robo-sensor", address: address,
        settings: [
          .init(name: .roomName, value: name, state: .notWritten),
          .init(name: .wifiPassword, value: nil, state: .notWritten, fingerprint: password),
        ], identity: identity(minor)), sealKey: key, expected: [])
  }

  private static func room(_ values: [String]) -> (LastKnownRoom, WantedRoom) {
    var room = LastKnownRoom(name: "R", profile: "robo-sensor")
    if values[0] == "yes" { room.unordered = ["a", "b"] }
    if values[1] == "yes" { room.retirement = RoomRetirement(reason: nil, recorded: place) }
    if values[2] != "no" {
      let subject = values[2] == "yes" ? Acceptance.Subject.unknown : .device(BluetoothAddress(rawValue: 9))
      room.acceptances = [Acceptance(reason: "x", by: "QA", given: place, subject: subject)]
    }
    switch values[3] {
    case "submitted": room.lastWrite = write(.submitted)
    case "acknowledged": room.lastWrite = write(.acknowledged)
    case "proved": room.lastWrite = write(proof())
    case "proved elsewhere": room.lastWrite = write(proof(other))
    default: break
    }
    switch values[4] {
    case "missing": room.absence = Absence(finding: .missing, since: place, last: place)
    case "otherwise": room.absence = Absence(finding: .waiting, since: place, last: place)
    default: break
    }
    func finish(_ outcome: Outcome, _ reason: FailureReason) {
      room.last = RoomFinished(
        room: "r", outcome: outcome, attempts: 1, seconds: 1, settings: [], reason: reason)
    }
    if values[6] != "none" { room.lastRun = "a" }
    switch values[6] {
    case "failed": finish(.failed, .saveNotKept)
    case "action required": finish(.actionRequired, .settingsUnknown(nil))
    case "unreachable": finish(.unreachable, .neverReceived())
    default: break
    }
    if values[7] == "yes" {
      room.release = Release(BindingReleased(room: "r", address: device, cause: .replaced), place)
    }
    let manifest =
      switch values[5] {
      case "not comparable": wanted(password: nil, key: nil, address: device)
      case "other settings": wanted(name: "B", address: device)
      case "another device": wanted(address: other)
      case "another identity": wanted(address: device, minor: 8)
      default: wanted(address: device)
      }
    return (room, manifest)
  }

  @Test("every combination has the state of the first row of the table that fits, and every row decides one")
  func table() throws {
    let rows = try Self.table()
    var reached: Set<Row> = []
    var wrong: [String] = []
    var all: [[String]] = [[]]
    for values in Self.values { all = all.flatMap { begun in values.map { begun + [$0] } } }
    for values in all {
      let (known, manifest) = Self.room(values)
      let state = RoomStatus(known, manifest: manifest).kind.rawValue
      let row = rows.first { $0.fits(values) }
      if let row { reached.insert(row) }
      if row?.state != state { wrong.append("\(values): \(state), not \(row?.state ?? "in the table")") }
    }
    #expect(all.count == 9000 && wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")
    #expect(reached == Set(rows))
    #expect(Set(rows.map(\.state)) == Set(RoomStatus.Kind.allCases.map(\.rawValue)))
  }

  @Test(
    "a change that a run found stands for whoever cannot compare, and ends with a run that finds the manifest equal"
  )
  func recordedChange() {
    var building = LastKnownBuilding()
    var room = LastKnownRoom(name: "R", profile: "robo-sensor")
    room.lastWrite = Self.write(Self.proof())
    func state(_ manifest: WantedRoom?) -> RoomStatus.Kind {
      building.rooms["r"] = room
      return building.status(of: "r", manifest: manifest).kind
    }
    room.wanted = Self.wanted(password: "another")
    let unread = Self.wanted(password: nil)
    let manifests = [nil, unread, Self.wanted(password: "x", key: "other"), Self.wanted()]
    for manifest in manifests { #expect(state(manifest) == .changed, "a manifest removes no finding") }
    // A run without the key keeps what an earlier one found; one with the key replaces it.
    room.wanted = unread.over(room.wanted, room.lastWrite)
    #expect(state(nil) == .changed && state(unread) == .changed)
    room.wanted = Self.wanted().over(room.wanted, room.lastWrite)
    #expect(state(nil) == .done && state(unread) == .done)
    #expect(state(Self.wanted(password: "new")) == .changed && state(nil) == .done)
  }

  @Test("an acceptance covers its device, and ends when another one is found")
  func acceptances() {
    func acceptance(_ by: String, _ subject: Acceptance.Subject) -> Acceptance {
      Acceptance(reason: "x", by: by, given: Self.place, subject: subject)
    }
    for (subject, none, own, other) in [
      (.device(Self.device), true, true, false), (.noDevice, true, false, false),
      (.unknown, true, true, true),
    ] as [(Acceptance.Subject, Bool, Bool, Bool)] {
      let covered = [nil, Self.device, Self.other].map { acceptance("QA", subject).covers($0) }
      #expect(covered == [none, own, other], "\(subject)")
    }
    var room = LastKnownRoom(name: "R", profile: "robo-sensor")
    room.acceptances = [
      acceptance("A", .unknown), acceptance("B", .device(Self.other)), acceptance("C", .unknown),
      acceptance("D", .device(Self.device)),
    ]
    let (first, second) = (RecordedAt(run: "1", at: Self.place.at), RecordedAt(run: "2", at: Self.place.at))
    room.acceptances[0].ended = Self.place
    room.endAcceptances(ofOtherThan: Self.device, first)
    #expect(room.acceptances.map(\.ended) == [Self.place, first, nil, nil])
    #expect(room.acceptances[1].subject == .device(Self.other))
    #expect(room.acceptances[2].subject == .device(Self.device) && room.acceptance?.by == "D")
    room.endAcceptances(second)
    #expect(room.acceptances.map(\.ended) == [Self.place, first, second, second] && room.acceptance == nil)
  }

  @Test("a write gave the same if device and settings are equal; newer results take the place of its own")
  func writes() {
    var write = Self.write(.submitted)
    #expect(write.gaveTheSame(as: Self.write(.acknowledged)))
    #expect(!write.gaveTheSame(as: Self.write(.submitted, password: "another")))
    write.address = Self.other
    #expect(!write.gaveTheSame(as: Self.write(.submitted)))
    write.take(
      [
        .init(name: .roomName, value: "B", state: .written), .init(name: .minor, value: "7", state: .written),
      ],
      recorded: Self.place)
    #expect(
      write.settings.map(\.name) == [.roomName, .wifiPassword, .minor] && write.settings[0].value == "B")
    #expect(write.settingsRecorded == [.roomName: Self.place, .minor: Self.place])
  }

  @Test("a write whose proof is taken back is as before the proof: acknowledged, or only submitted")
  func withdrawnProof() {
    var proved = Self.write(Self.proof(Self.other))
    proved.seen = Self.place
    #expect(proved.proof(fromAnyAddress: true) != nil && proved.proof(fromAnyAddress: false) == nil)
    #expect(proved.receivedAt == Self.other && !proved.isUnproved)
    var unanswered = proved
    unanswered.settings[1].state = .notWritten
    proved.withdrawProof()
    #expect(proved.state == .acknowledged && proved.seen == nil && proved.isUnproved)
    #expect(proved.settings.map(\.state) == [.acknowledged, .acknowledged])
    unanswered.withdrawProof()
    #expect(unanswered.state == .submitted && unanswered.settings.map(\.state) == [.written, .notWritten])
  }

  @Test("the holdings of a device are found by its address and identity")
  func holdings() {
    var building = LastKnownBuilding()
    building.holdings[Self.device] = [7, 8].map { Holding(identity: Self.identity($0)) }
    #expect(building.holdings(of: Self.device, as: Self.identity(8)) == [Holding(identity: Self.identity(8))])
    #expect(building.holdings(of: Self.other, as: Self.identity(8)).isEmpty)
    #expect(!building.isRewritable("x"), "nothing is known of a family without a run")
  }

  @Test("the adapter that proved a room is named unless it scanned to the end")
  func prover() {
    let (own, other) = (AdapterID(Self.device), AdapterID(Self.other))
    var room = LastKnownRoom(name: "R", profile: "robo-sensor")
    room.lastWrite = Self.write(Self.proof())
    room.lastWrite?.provedBy = own
    #expect(room.prover(besides: [own]) == nil && room.prover(besides: [other]) == own)
    let scans = [AdapterScan(adapter: own, name: "hci0", isComplete: false)]
    #expect(room.prover(besides: scans) == own, "a scan that was cut short shows nothing")
  }

  @Test("what differs is named, old and new")
  func changes() {
    let changes = Self.wanted(name: "B", password: "another", address: Self.other, minor: 8)
      .changes(from: Self.write(.acknowledged))
    #expect(
      changes.settings == [
        PlannedSetting(name: .roomName, value: "B", recorded: "A", change: .changed),
        PlannedSetting(name: .wifiPassword, value: nil, change: .changed),
      ])
    #expect(changes.address == Self.device && changes.identity?.wanted == Self.identity(8))
  }

  @Test("an identity is its parts: a comma within one does not cut it")
  func identityParts() {
    let suite = DeviceIdentity(["name Suite 3, East"])
    let parts = ["uuid 1", "name Suite 3, East \\ West, 2"]
    #expect(suite.distinction == "name Suite 3, East" && suite.parts.count == 1 && suite.shared == "")
    #expect(suite != DeviceIdentity(["name Suite 3", "East"]))
    let long = DeviceIdentity(parts)
    #expect(long.parts == parts && long.distinction == parts[1])
    #expect(DeviceIdentity(recorded: long.description).parts == parts)
    #expect(DeviceIdentity(recorded: "a, b,c").distinction == "b,c")
    // With a backslash it is read character by character, and otherwise the same.
    #expect(DeviceIdentity(recorded: "a, , b,c").parts == ["a", "", "b,c"])
    #expect(DeviceIdentity(recorded: "a, , b,c\\d").parts == ["a", "", "b,cd"])
    for text in ["", ",", "a,", "a, b,c", "\\", "a\\"] {
      let hostile = DeviceIdentity(recorded: text)
      #expect(hostile.distinction.utf8.count <= text.utf8.count && hostile.parts.joined().count <= text.count)
    }
  }

  @Test("only a device's own evidence shows that it kept nothing", arguments: FailureReason.Code.allCases)
  func content(code: FailureReason.Code) throws {
    let denying: Set<FailureReason.Code> = [.saveNotKept, .refused, .wifiRefused]
    let other: Set<FailureReason.Code> = [.wrongIdentity, .configuredOtherwise, .foreignSettings]
    let json = """
      {"code":"\(code.rawValue)","stage":"\(Self.stage(code))","identity":"minor 7","held":"x","device_text":"x",\
      "cause":"unknown","setting":"minor","stack_text":"x","addresses":["C4:7C:8D:00:00:01"],"near":"hci0",\
      "candidates":[],"families":["a"],"networks":[],"ssid":"x","seconds":1,\
      "sightings":[{"adapter":"C4:7C:8D:00:00:01"},{"adapter":"C4:7C:8D:00:00:01"}]}
      """
    let reason = try JSONDecoder().decode(FailureReason.self, from: Data(json.utf8))
    #expect(reason.code == code)
    #expect((reason.content?.deniesSave == true) == denying.contains(code))
    #expect((reason.content != nil) == (denying.contains(code) || other.contains(code)))
  }

  /// The stage that the code permits.
  private static func stage(_ code: FailureReason.Code) -> String {
    switch code {
    case .neverReceived: "search"
    case .connectTimedOut, .unknownToStack: "connect"
    case .wifiRefused, .noSelfDisconnect, .deviceRestarts: "save"
    case .readBackMismatch, .foreignSettings, .networkNotReceived: "read"
    case .securityTooLow, .notForWiFi, .otherDevice: "ready"
    case .settingUnsupported: "discover"
    default: "verify"
    }
  }
}
