import Bluetooth
import Families
import Foundation
import Model
import Testing

@testable import Journal

/// A run's events, told as they come.
private struct Run {
  private(set) var events: [RunEvent] = []
  private let start: Date

  init(
    _ id: String, day: Int = 0, _ command: RecordedCommand = .apply, simulated: Bool = false,
    seal: String? = "k", rooms: [PlannedRoom]
  ) {
    start = Date(timeIntervalSince1970: 1_795_251_600 + Double(day) * 86_400)
    tell(
      .runStarted(
        .init(
          command, run: id, building: "house", buildingName: "House", toolVersion: "0", host: "h",
          manifestPath: "m", manifestSHA256: "0", simulated: simulated, sealKey: seal, rooms: rooms)))
  }

  mutating func tell(_ facts: Fact...) {
    for fact in facts {
      events.append(
        RunEvent(
          sequence: events.count + 1, at: start.addingTimeInterval(Double(events.count)),
          elapsed: .seconds(events.count), fact: fact))
    }
  }
}

private let kitchen = PlannedRoom(
  room: "kitchen", name: "Kitchen", profile: "robo-sensor",
  settings: [
    .init(name: .wifiPassword, value: nil, state: .notWritten, fingerprint: "f1"),
    .init(name: .minor, value: "7", state: .notWritten),
  ])

private func address(_ number: UInt64) -> BluetoothAddress { .init(rawValue: 0xC47C_8D00_0000 + number) }

private func evidence(_ number: UInt64, run: String? = nil) -> Evidence {
  Evidence(grade: .freshBeacon, address: address(number), minor: 7, run: run)
}

extension Run {
  mutating func bind(_ number: UInt64) {
    tell(.bindingCommitted(.init(room: "kitchen", address: address(number), basis: .any)))
  }

  mutating func attempt(_ number: UInt64) {
    tell(
      .attemptStarted(.init(room: "kitchen", address: address(number), adapter: Events.adapter, number: 1)))
  }

  mutating func save(_ number: UInt64) {
    tell(
      .settingWritten(.init(room: "kitchen", setting: .minor, bytes: 2)),
      .saveSubmitted(.init(room: "kitchen", address: address(number))))
  }

  mutating func finish(_ outcome: Outcome, _ evidence: Evidence? = nil, _ reason: FailureReason? = nil) {
    var settings = kitchen.settings
    if evidence != nil {
      settings = settings.map {
        var s = $0; s.state = .written; return s
      }
    }
    tell(
      .roomFinished(
        .init(
          room: "kitchen", outcome: outcome, address: evidence?.address, attempts: 1, seconds: 1,
          evidence: evidence, settings: settings, reason: reason)))
  }

  /// A run that provisions the kitchen with this device.
  static func success(_ id: String, day: Int, _ number: UInt64) -> Run {
    var run = Run(id, day: day, rooms: [kitchen])
    run.bind(number)
    run.attempt(number)
    run.save(number)
    run.finish(.provisioned, evidence(number))
    return run
  }
}

@Suite("The building's state, folded over its runs")
struct BuildingRecordTests {
  private func state(_ runs: Run...) -> BuildingStanding {
    BuildingRecord(runs.map(\.events)).standing
  }

  private func kitchenAfter(_ runs: Run...) -> RoomStanding? {
    BuildingRecord(runs.map(\.events)).standing.rooms["kitchen"]
  }

  @Test("a success is a binding, and a device at work with its settings")
  func success() throws {
    let room = try #require(kitchenAfter(.success("a", day: 0, 1)))
    #expect(room.binding?.address == address(1) && room.binding?.run == "a")
    let deed = try #require(room.deed)
    #expect(deed.state == .proved(evidence(1)) && deed.run == "a" && deed.sealKey == "k")
    #expect(deed.settings.map(\.fingerprint) == ["f1", nil])
    #expect(room.last?.outcome == .provisioned)
  }

  @Test("every beginning of a run counts for what it is", arguments: 0...5)
  func prefixes(length: Int) {
    let whole = Run.success("a", day: 0, 1)
    let cut = Array(whole.events.prefix(length))
    let room = BuildingRecord([cut]).standing.rooms["kitchen"]
    switch length {
    case 0: #expect(room == nil)
    case 1: #expect(room?.binding == nil && room?.deed == nil)
    case 2, 3, 4: #expect(room?.binding?.address == address(1) && room?.deed == nil)
    default:
      #expect(room?.deed?.state == .submitted)
      #expect(room?.deed?.settings.map(\.state) == [.notWritten, .written], "only what it confirmed")
    }
  }

  @Test("runs count in the order in which they began, however they are given")
  func order() {
    var later = Run("b", day: 1, rooms: [kitchen])
    later.attempt(1)
    later.finish(.failed, nil, .refused(stage: .save, deviceText: "error:no"))
    // By name it would be the other way round.
    let forward = state(.success("z", day: 0, 1), later)
    #expect(forward == state(later, .success("z", day: 0, 1)))
    #expect(forward.rooms["kitchen"]?.deed == nil, "it was heard waiting again, and was not done")
    #expect(forward.rooms["kitchen"]?.binding?.address == address(1), "its room is its room")
  }

  @Test("a run that did not come to the room changes nothing of it")
  func untouched() {
    var later = Run("b", day: 1, rooms: [kitchen])
    later.finish(.cancelled, nil, .interrupted(.idle))
    #expect(kitchenAfter(.success("a", day: 0, 1), later)?.deed?.state == .proved(evidence(1)))
  }

  @Test("what was done on record keeps the run that did it")
  func carriedOver() {
    var later = Run("b", day: 1, rooms: [kitchen])
    later.finish(.alreadyProvisioned, evidence(1, run: "a"))
    let deed = kitchenAfter(.success("a", day: 0, 1), later)?.deed
    #expect(deed?.run == "a")
    #expect(deed?.seen?.run == "a", "it was not heard in the later run")
  }

  @Test("hearing a device when the building is verified renews what is on record of it, and of no other")
  func verified() throws {
    func seen(_ finding: RoomVerified.Finding, at number: UInt64) -> String? {
      var later = Run("b", day: 1, .verify, rooms: [kitchen])
      later.tell(
        .roomVerified(
          .init(room: "kitchen", finding: finding, address: address(number), minor: 7, windows: 3)))
      return kitchenAfter(.success("a", day: 0, 1), later)?.deed?.seen?.run
    }
    #expect(seen(.onAir, at: 1) == "b")
    #expect(seen(.onAir, at: 2) == "a")
    for finding in RoomVerified.Finding.allCases where finding != .onAir {
      #expect(seen(finding, at: 1) == "a", "\(finding)")
    }
  }

  @Test(
    "a save of which nobody knows what came stays a question, unless the device itself answered",
    arguments: [
      (.notHeardAfterSave(SaveResponse()), true), (.interrupted(.awaitingProof(UnprovedSave())), true),
      (.refused(stage: .save, deviceText: "error:no"), false), (.saveNotKept, false),
    ] as [(FailureReason, Bool)])
  func questions(reason: FailureReason, stays: Bool) {
    var run = Run("a", rooms: [kitchen])
    run.bind(1)
    run.attempt(1)
    run.save(1)
    run.tell(.attemptEnded(.init(room: "kitchen", number: 1, seconds: 1, failure: reason)))
    run.finish(.unconfirmed, nil, reason)
    #expect((kitchenAfter(run)?.deed?.state == .submitted) == stays)
  }

  @Test(
    "a device heard at work as something else is not at work as recorded",
    arguments: [
      FailureReason.wrongIdentity(minor: 9), .configuredOtherwise(minor: 9),
    ])
  func otherIdentity(reason: FailureReason) {
    var later = Run("b", day: 1, rooms: [kitchen])
    later.finish(.needsHands, nil, reason)
    #expect(kitchenAfter(.success("a", day: 0, 1), later)?.deed == nil)
  }

  @Test("settings that changed in the manifest take nothing from what the device has")
  func settingsChanged() {
    var later = Run("b", day: 1, rooms: [kitchen])
    later.finish(.needsHands, nil, .settingsChanged(minor: 7))
    #expect(kitchenAfter(.success("a", day: 0, 1), later)?.deed?.state == .proved(evidence(1)))
  }

  @Test(
    "a released device is out of service, unless the room merely got another",
    arguments: [
      BindingReleased.Cause.replaced, .retired, .rebound,
    ])
  func released(cause: BindingReleased.Cause) {
    var later = Run("b", day: 1, .replace, rooms: [kitchen])
    later.tell(
      .bindingReleased(.init(room: "kitchen", address: address(1), cause: cause, reason: "dead")))
    let state = state(.success("a", day: 0, 1), later)
    #expect(state.rooms["kitchen"]?.bindings == [] && state.rooms["kitchen"]?.deed == nil)
    #expect(state.retired[address(1)]?.reason == (cause == .rebound ? nil : "dead"))
    #expect((state.retired[address(1)] == nil) == (cause == .rebound))
    var again = Run("c", day: 2, rooms: [kitchen])
    again.bind(1)
    #expect(self.state(.success("a", day: 0, 1), later, again).retired.isEmpty, "back in service")
  }

  @Test("a waiver holds until the room is done")
  func waiver() {
    var waived = Run("b", day: 1, .accept, rooms: [kitchen])
    waived.tell(.roomAccepted(.init(room: "kitchen", reason: "no power", by: "QA")))
    #expect(kitchenAfter(waived)?.acceptance?.by == "QA")
    #expect(kitchenAfter(waived, .success("c", day: 2, 1))?.acceptance == nil)
  }

  @Test("everybody who waived a room is on record, also after two laptops were merged")
  func acceptances() {
    func waived(_ run: String, by person: String) -> Run {
      var waived = Run(run, day: 1, .accept, rooms: [kitchen])
      waived.tell(.roomAccepted(.init(room: "kitchen", reason: "no power", by: person)))
      return waived
    }
    let room = kitchenAfter(waived("b", by: "QA"), waived("c", by: "Anna"))
    #expect(room?.acceptances.map(\.by) == ["QA", "Anna"])
    #expect(room?.acceptances.allSatisfy { $0.ended == nil } == true)
    let done = kitchenAfter(waived("b", by: "QA"), waived("c", by: "Anna"), .success("d", day: 2, 1))
    #expect(done?.acceptances.map(\.ended?.run) == ["d", "d"])
  }

  @Test("a room out of service is back with its next device")
  func retirement() {
    var retired = Run("b", day: 1, .retire, rooms: [kitchen])
    retired.tell(.roomRetired(.init(room: "kitchen", reason: nil)))
    #expect(kitchenAfter(.success("a", day: 0, 1), retired)?.retirement != nil)
    var again = Run("c", day: 2, rooms: [kitchen])
    again.bind(2)
    #expect(kitchenAfter(retired, again)?.retirement == nil)
  }

  @Test("two laptops that gave a room two devices leave both on record")
  func twoLaptops() {
    let both = state(.success("a", day: 0, 1), .success("b", day: 0, 2))
    #expect(both.rooms["kitchen"]?.bindings.map(\.address) == [address(1), address(2)])
    #expect(both.rooms["kitchen"]?.binding == nil)
  }

  @Test("a rehearsal never counts")
  func rehearsals() {
    var rehearsal = Run("r", day: 1, simulated: true, rooms: [kitchen])
    rehearsal.bind(2)
    #expect(state(rehearsal).rooms.isEmpty)
    #expect(state(.success("a", day: 0, 1), rehearsal) == state(.success("a", day: 0, 1)))
  }
}

/// A room whose device can be written again, and is read first.
private let lobby = PlannedRoom(
  room: "lobby", name: "Lobby", profile: "iot-design-shop", settings: lobbySettings(minor: "7", power: "low"))

private func lobbySettings(
  minor: String, power: String, _ state: SettingState = .notWritten
) -> [SettingResult] {
  [
    .init(name: .uuid, value: "4D6F6F72-0000-4C61-6D70-000000000001", state: state),
    .init(name: .major, value: "1", state: state), .init(name: .minor, value: minor, state: state),
    .init(name: .power, value: power, state: state),
  ]
}

extension Run {
  fileprivate static let identity = "uuid 4D6F6F72-0000-4C61-6D70-000000000001, major 1, minor 7"

  fileprivate mutating func begin(fresh: Bool?) {
    tell(
      .attemptStarted(
        .init(room: "lobby", address: address(1), adapter: Events.adapter, number: 1, fresh: fresh)))
  }

  fileprivate mutating func submit() {
    tell(.saveSubmitted(.init(room: "lobby", address: address(1))))
  }

  fileprivate mutating func end(
    _ outcome: Outcome, _ grade: Evidence.Grade? = nil, _ settings: [SettingResult]? = nil,
    _ reason: FailureReason? = nil
  ) {
    tell(
      .roomFinished(
        .init(
          room: "lobby", outcome: outcome, address: address(1), attempts: 1, seconds: 1,
          evidence: grade.map { Evidence(grade: $0, address: address(1), minor: 7) },
          settings: settings ?? lobbySettings(minor: "7", power: "low"), reason: reason)))
  }

  /// The lobby's beacon is provisioned.
  fileprivate static var lobbyDone: Run {
    var run = Run("a", rooms: [lobby])
    run.tell(.bindingCommitted(.init(room: "lobby", address: address(1), basis: .address)))
    run.begin(fresh: nil)
    run.submit()
    run.end(.provisioned, .freshBeacon, lobbySettings(minor: "7", power: "low", .proved))
    return run
  }

  fileprivate static func later(_ day: Int = 1, _ body: (inout Run) -> Void) -> Run {
    var run = Run("run-\(day)", day: day, rooms: [lobby])
    body(&run)
    return run
  }
}

@Suite("The state of a device that can be written again")
struct RewritableRecordTests {
  private func deed(_ runs: Run...) -> Deed? {
    BuildingRecord(runs.map(\.events)).standing.rooms["lobby"]?.deed
  }

  private func power(_ deed: Deed?) -> SettingResult? { deed?.settings.first { $0.name == "power" } }

  @Test("stays as it was done when it is dialled at work, and goes when it was heard as from the factory")
  func dialled() {
    let kept = deed(.lobbyDone, .later { $0.begin(fresh: false) })
    #expect(kept?.run == "a")
    if case .proved? = kept?.state {} else { Issue.record("no longer done: \(String(describing: kept))") }
    #expect(deed(.lobbyDone, .later { $0.begin(fresh: true) }) == nil)
    #expect(deed(.lobbyDone, .later { $0.begin(fresh: nil) }) == nil, "as older records say it")
  }

  @Test("is a question from the first write on, whose settings are the run's")
  func begun() {
    let run = Run.later {
      $0.begin(fresh: false)
      $0.submit()
    }
    #expect(deed(.lobbyDone, run)?.state == .submitted)
    #expect(deed(.lobbyDone, run)?.run == "run-1")
    let step = FailedStep(.write, setting: "power")
    for reason: FailureReason in [
      .linkLost(step), .readBackMismatch(setting: "power", held: "power high"), .interrupted(.during(step)),
      .adapterLost(.during(step)),
    ] {
      var ended = run
      ended.tell(.attemptEnded(.init(room: "lobby", number: 1, seconds: 1, failure: reason)))
      ended.end(.unconfirmed, nil, nil, reason)
      #expect(deed(.lobbyDone, ended)?.state == .submitted, "\(reason.code)")
    }
  }

  @Test("takes over what is read, and keeps what is not")
  func read() {
    let run = Run.later {
      $0.begin(fresh: false)
      // The manifest says nothing of its power any more.
      $0.end(
        .alreadyProvisioned, .beaconOnAir,
        lobbySettings(minor: "7", power: "low", .proved).filter { $0.name != "power" })
    }
    let kept = deed(.lobbyDone, run)
    #expect(kept?.run == "a" && kept?.settings.count == 4)
    #expect(power(kept)?.value == "low")
    let changed = Run.later(2) {
      $0.begin(fresh: false)
      $0.end(.alreadyProvisioned, .beaconOnAir, lobbySettings(minor: "7", power: "high", .proved))
    }
    #expect(power(deed(.lobbyDone, run, changed))?.value == "high")
    let unread = Run.later(3) {
      $0.end(.alreadyProvisioned, .beaconOnAir, lobbySettings(minor: "7", power: "medium"))
    }
    #expect(power(deed(.lobbyDone, run, changed, unread))?.value == "high", "nobody has seen that")
  }

  @Test("is proved when what a killed run submitted is read to be there")
  func mended() {
    let killed = Run.later {
      $0.begin(fresh: false)
      $0.submit()
    }
    let mended = Run.later(2) {
      $0.begin(fresh: false)
      $0.end(.alreadyProvisioned, .beaconOnAir, lobbySettings(minor: "7", power: "low", .proved))
    }
    let deed = deed(.lobbyDone, killed, mended)
    #expect(deed?.state == .proved(Evidence(grade: .beaconOnAir, address: address(1), minor: 7)))
    #expect(deed?.settings.allSatisfy { $0.state == .proved } == true)
  }

  @Test("is ours to mend when it is heard as something else than it was read to hold")
  func otherOnAir() {
    let run = Run.later {
      $0.begin(fresh: false)
      $0.end(.failed, nil, nil, .wrongIdentity(minor: 3))
    }
    #expect(deed(.lobbyDone, run)?.state == .submitted)
  }

  @Test("is nobody's word any more when another's settings are found on it")
  func stolen() {
    func run(_ held: String) -> Run {
      .later {
        $0.begin(fresh: false)
        $0.end(.needsHands, nil, nil, .foreignSettings(held: held, .reading))
      }
    }
    #expect(deed(.lobbyDone, run("uuid 0D1E2F30-1111-2222-3333-444455556666, major 1, minor 7")) == nil)
    // A laptop that knew nothing of it took our own for another's; the records were merged since.
    if case .proved? = deed(.lobbyDone, run(Run.identity))?.state {} else { Issue.record("not done") }
    // Begun to be written, it may hold anything.
    let begun = Run.later {
      $0.begin(fresh: false)
      $0.submit()
    }
    let later = Run.later(2) {
      $0.end(.needsHands, nil, nil, .foreignSettings(held: "uuid 0D1E, major 1, minor 7", .beacon(minor: 7)))
    }
    #expect(deed(.lobbyDone, begun, later)?.state == .submitted)
  }
}

@Suite("The site's key")
struct SiteKeyTests {
  private func fixed(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: SiteKey.length) }

  @Test("is made once, for its owner alone")
  func made() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/new/place/site.key"
    let first = try SiteKey.seal(at: path) { fixed(1) }
    let second = try SiteKey.seal(at: path) { fixed(2) }
    #expect(first.key == second.key)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path + "/new/place") == ["site.key"])
  }

  @Test("another key has another name")
  func names() {
    #expect(SiteKey.seal(with: fixed(1)).key != SiteKey.seal(with: fixed(2)).key)
    #expect(SiteKey.seal(with: fixed(1)).key.count == 16)
  }

  @Test("is refused where others may read it, or where it is none")
  func refused() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/site.key"
    _ = try SiteKey.seal(at: path) { fixed(1) }
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(throws: JournalError(.open, path, .readableByOthers)) { try SiteKey.seal(at: path) { fixed(1) } }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(throws: JournalError(.read, path, .notAKey)) { try SiteKey.seal(at: path) { fixed(1) } }
  }
}
