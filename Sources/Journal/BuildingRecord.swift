import Bluetooth
import Families
public import Model

/// The building's present state: everything that was ever done in it, folded in the order in which it happened.
///
/// Total: any prefix of any run counts for what it is, also the record of a run that was killed. Rehearsals never
/// count.
public struct BuildingRecord: Hashable, Sendable, Codable {
  /// What the next run decides by.
  public private(set) var standing = BuildingStanding()

  /// Settings that the device of a room has confirmed in the current attempt. It is empty between two runs.
  private var written: [RoomID: Set<SettingName>] = [:]

  private enum CodingKeys: CodingKey {
    case standing
  }

  /// The state of a building in which nothing was done yet.
  public init() {}

  /// The state after these runs, each from its beginning, in whatever order they are given.
  public init(_ runs: [[RunEvent]]) {
    for events in Self.ordered(runs) { apply(events) }
  }

  /// Runs in the order in which they began; the earlier id first where two began at once.
  static func ordered(_ runs: [[RunEvent]]) -> [[RunEvent]] {
    runs.sorted { a, b in
      guard let first = a.first, let second = b.first else { return a.count < b.count }
      return first.at != second.at ? first.at < second.at : first.fact.run ?? "" < second.fact.run ?? ""
    }
  }

  /// Takes in a further run, from its beginning as far as it is on record.
  public mutating func apply(_ events: [RunEvent]) {
    guard case .runStarted(let started)? = events.first?.fact, !started.simulated else { return }
    for room in started.rooms { name(room) }
    for event in events { apply(event, in: started) }
    written = [:]
  }

  private mutating func name(_ room: PlannedRoom) {
    if standing.rooms[room.room] == nil {
      standing.rooms[room.room] = RoomStanding(name: room.name, profile: room.profile)
    }
    standing.rooms[room.room]?.name = room.name
    standing.rooms[room.room]?.profile = room.profile
  }

  private mutating func apply(_ event: RunEvent, in run: RunStarted) {
    guard let id = event.fact.room else { return }
    var room = standing.rooms[id] ?? RoomStanding(name: id.rawValue, profile: "")
    let recorded = RecordedAt(run: run.run, at: event.at)
    switch event.fact {
    case .bindingCommitted(let fact):
      room.retirement = nil
      standing.retired[fact.address] = nil
      if !room.bindings.contains(where: { $0.address == fact.address }) {
        room.bindings.append(
          Binding(address: fact.address, basis: fact.basis, run: run.run, at: event.at))
      }
    case .bindingReleased(let fact):
      room.bindings.removeAll { $0.address == fact.address }
      if room.deed?.address == fact.address { room.deed = nil }
      if fact.cause != .rebound {
        standing.retired[fact.address] = Retirement(room: id, reason: fact.reason, at: event.at)
      }
    case .roomRetired(let fact):
      room.retirement = RoomRetirement(reason: fact.reason, recorded: recorded)
      room.endAcceptances(recorded)
    case .roomAccepted(let fact):
      room.acceptances.append(Acceptance(reason: fact.reason, by: fact.by, given: recorded))
    case .roomVerified(let fact):
      verify(&room, fact, recorded)
    case .attemptStarted(let fact):
      written[id] = []
      // It was heard waiting: whatever was kept before is not any more.
      if fact.fresh ?? true { room.deed = nil }
    case .settingWritten(let fact):
      written[id, default: []].insert(fact.setting)
    case .saveSubmitted(let fact):
      room.deed = Deed(
        address: fact.address, state: .submitted, settings: settings(of: id, in: run), sealKey: run.sealKey,
        run: run.run, at: event.at)
      for setting in written[id, default: []] { room.deed?.settingsRecorded[setting] = recorded }
    case .attemptEnded(let fact):
      // Only these two are the device's own word that nothing was kept.
      if fact.failure?.code == .refused || fact.failure?.code == .saveNotKept { room.deed = nil }
    case .roomFinished(let fact):
      finish(&room, fact, recorded, in: run)
    case .runStarted, .adapterAwaited, .adapterSelected, .adapterFaulted, .foreignScanDetected, .linkReleased,
      .listeningStarted,
      .listeningStopped,
      .deviceSighted, .canariesJudged, .deviceUnclaimed, .hostPaused, .operatorRequested, .actionRequired,
      .stageStarted, .stageEnded,
      .statusReceived, .linkEnded, .proofHeard,
      .retryScheduled, .settingsRead, .wifiChecked, .elapsedSent, .runInterrupted, .runFinished:
      break
    }
    standing.rooms[id] = room
  }

  private func finish(
    _ room: inout RoomStanding, _ fact: RoomFinished, _ recorded: RecordedAt, in run: RunStarted
  ) {
    room.last = fact
    room.lastRun = run.run
    if fact.outcome.isSuccess, let evidence = fact.evidence {
      succeed(&room, fact, evidence, recorded, in: run)
    } else if let reason = fact.reason {
      room.deed = room.deed.flatMap { after(reason, $0, isRewritable: isRewritable(room)) }
    }
  }

  private func succeed(
    _ room: inout RoomStanding, _ fact: RoomFinished, _ evidence: Evidence, _ recorded: RecordedAt,
    in run: RunStarted
  ) {
    let address = room.binding?.address ?? evidence.address
    // The beacon of another address proves nothing, unless the run's manifest said that the device changes its own.
    guard evidence.address == address || run.rooms.first(where: { $0.room == fact.room })?.proof == .any
    else { return }
    room.endAcceptances(recorded)
    // What an earlier run saw is no sighting of this one.
    let seen =
      evidence.run.map { earlier in evidence.seenAt.map { RecordedAt(run: earlier, at: $0) } } ?? recorded
    if fact.outcome == .alreadyProvisioned, room.deed?.address == address {
      // It was heard as wanted, or read, which tells nothing of what was not: that is still as it was written.
      room.deed?.state = .proved(evidence)
      if evidence.run == nil {
        room.deed?.seen = recorded
        room.deed?.take(fact.settings.filter { $0.state == .proved }, recorded: recorded)
      }
    } else {
      var deed = Deed(
        address: address, state: .proved(evidence), settings: fact.settings, sealKey: run.sealKey,
        run: evidence.run ?? run.run, at: recorded.at)
      deed.seen = seen
      for setting in fact.settings where setting.state != .notWritten {
        deed.settingsRecorded[setting.name] = seen
      }
      room.deed = deed
    }
  }

  /// Hearing the device that is proved is newer evidence. Of any other nothing is taken back: a device that is not heard may
  /// be too far away, and what else was heard is for the next run to judge.
  private func verify(_ room: inout RoomStanding, _ fact: RoomVerified, _ recorded: RecordedAt) {
    room.verification = RecordedVerification(fact, recorded: recorded)
    guard fact.finding == .onAir, let deed = room.deed, case .proved(let old) = deed.state,
      fact.address == deed.address || fact.address == deed.heardAt
    else { return }
    room.deed?.state = .proved(
      Evidence(grade: .beaconOnAir, address: old.address, minor: fact.minor, rssi: fact.rssi))
    room.deed?.seen = recorded
  }

  /// What is left of a deed when its device was found to be something else.
  private func after(_ reason: FailureReason, _ deed: Deed, isRewritable: Bool) -> Deed? {
    var deed = deed
    switch reason {
    case .wrongIdentity where isRewritable:
      // It was read to hold what it was given, and is not heard so: ours to mend.
      deed.state = .submitted
      return deed
    case .wrongIdentity, .configuredOtherwise:
      return nil
    case .foreignSettings(let held, _) where deed.state != .submitted && deed.identity != held:
      // Somebody gave it something else since. (To a laptop that knows nothing of the deed, our own is foreign.)
      return nil
    default:
      return deed
    }
  }

  private func isRewritable(_ room: RoomStanding) -> Bool {
    DeviceProfiles[room.profile]?.isRewritable ?? false
  }

  private func settings(of room: RoomID, in run: RunStarted) -> [SettingResult] {
    let planned = run.rooms.first { $0.room == room }?.settings ?? []
    return planned.map { setting in
      var setting = setting
      if written[room]?.contains(setting.name) == true { setting.state = .written }
      return setting
    }
  }
}

extension Fact {
  /// The id of the run that this fact begins.
  var run: String? { if case .runStarted(let fact) = self { fact.run } else { nil } }
}
