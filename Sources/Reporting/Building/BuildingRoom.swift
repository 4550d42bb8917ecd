package import Bluetooth
package import Model

/// The state of one room of a building.
package struct BuildingRoom: Hashable, Sendable {
  /// The state of a room. The names are frozen.
  package enum State: String, Hashable, Sendable, Codable, CaseIterable {
    case done
    case outdated
    /// Its device was searched for and not received since.
    case missing
    case unconfirmed
    case open
    case untried
    case accepted
    case retired
  }

  /// A setting on record.
  package struct Setting: Hashable, Sendable {
    package var result: SettingResult
    /// The run that recorded it; nil for a setting that was not written.
    package var recorded: RecordedAt?

    init(result: SettingResult, recorded: RecordedAt?) {
      (self.result, self.recorded) = (result, recorded)
    }

    /// A setting of a run after which nothing on record shows what the device holds.
    fileprivate init(notKept result: SettingResult) {
      self.init(result: result, recorded: nil)
      if result.state == .acknowledged || result.state == .proved { self.result.state = .written }
    }
  }

  /// One run that worked on the room.
  package struct Run: Hashable, Sendable {
    package var recorded: RecordedAt
    package var room: RoomReport
    package var adapterName: String?

    init(_ run: BuildingRun, _ room: RoomReport) {
      recorded = RecordedAt(run: run.started.run, at: run.began)
      self.room = room
      adapterName = run.report.name(of: room.adapter)
    }
  }

  package let id: RoomID
  package let name: String
  /// Its floor, by the manifest or the newest run that has one on record.
  package let floor: String?
  /// Its group, likewise.
  package let group: String?
  package let profile: FamilyID
  /// Its family on record; nil when no run described it.
  package let family: RecordedFamily?
  package let state: State
  /// Whether the manifest has it; true without a manifest.
  package let isInManifest: Bool
  package let devices: [BluetoothAddress]
  /// Runs that wrote its device or decided about it without knowledge of each other; empty unless a person has to
  /// decide.
  package let unordered: [String]
  /// Its settings, in the profile's order.
  package let settings: [Setting]
  /// The evidence for its state; nil without a proof.
  package let evidence: Evidence?
  package let seen: RecordedAt?
  /// The run that wrote its device, and when; nil without a write that may still apply.
  package let provisioned: RecordedAt?
  /// Its acceptances, with person and end; oldest first.
  package let acceptances: [Acceptance]
  /// The result of the last `verify`.
  package let verification: RecordedVerification?
  /// The search that did not find its device as recorded; nil if it was received since.
  package let absence: Absence?
  package let retirement: RoomRetirement?
  /// The runs that worked on it, oldest first.
  package let runs: [Run]

  init(
    _ id: RoomID, _ lastKnown: LastKnownRoom?, _ runs: [Run], wanted: PlannedRoom?, sealKey: String?,
    families: [FamilyID: RecordedFamily], isInManifest: Bool
  ) {
    self.id = id
    name = wanted?.name ?? lastKnown?.name ?? id.rawValue
    floor = wanted?.floor ?? runs.last { $0.room.planned.floor != nil }?.room.planned.floor
    group = wanted?.group ?? runs.last { $0.room.planned.group != nil }?.room.planned.group
    profile = wanted?.profile ?? lastKnown?.profile ?? ""
    family = families[profile]
    self.isInManifest = isInManifest
    devices = lastKnown?.bindings.map(\.address) ?? []
    acceptances = lastKnown?.acceptances ?? []
    retirement = lastKnown?.retirement
    unordered = lastKnown?.unordered ?? []
    verification = lastKnown?.verification
    absence = lastKnown?.absence
    provisioned = lastKnown?.lastWrite.map { RecordedAt(run: $0.run, at: $0.at) }
    self.runs = runs
    state = Self.state(
      lastKnown, isTried: !runs.isEmpty,
      isSatisfied: wanted.map { Self.satisfies(lastKnown?.lastWrite, $0, sealKey, families) } ?? true)
    let lastWrite = lastKnown?.lastWrite
    identity = lastWrite?.identity ?? runs.last?.room.identity
    settings =
      lastWrite?.settings.map { Setting(result: $0, recorded: lastWrite?.settingsRecorded[$0.name]) }
      ?? runs.last?.room.settings.map { Setting(notKept: $0) } ?? []
    if case .proved(let evidence)? = lastWrite?.state {
      self.evidence = evidence
      seen = lastWrite?.seen
    } else {
      evidence = nil
      seen = nil
    }
  }

  /// The rooms of a building, in the manifest's order; those that it does not have come last.
  static func all(
    _ lastKnown: LastKnownBuilding, _ histories: [RoomID: [Run]], _ manifest: BuildingReport.Manifest?
  ) -> [BuildingRoom] {
    let wanted = Dictionary(
      manifest?.rooms.map { ($0.room, $0) } ?? [], uniquingKeysWith: { first, _ in first })
    let others = lastKnown.rooms.keys.filter { wanted[$0] == nil }.sorted()
    return ((manifest?.rooms.map(\.room) ?? []) + others).map { id in
      BuildingRoom(
        id, lastKnown.rooms[id], histories[id] ?? [], wanted: wanted[id], sealKey: manifest?.sealKey,
        families: lastKnown.families, isInManifest: manifest == nil || wanted[id] != nil)
    }
  }

  private static func satisfies(
    _ lastWrite: LastWrite?, _ wanted: PlannedRoom, _ sealKey: String?,
    _ families: [FamilyID: RecordedFamily]
  ) -> Bool {
    guard let lastWrite else { return false }
    if let address = wanted.address, address != lastWrite.address { return false }
    if let identity = wanted.identity, lastWrite.identity.map({ $0 != identity }) ?? false { return false }
    return lastWrite.satisfies(
      wanted.settings, sealKey: sealKey, besides: families[wanted.profile]?.expectedSettings ?? [])
  }

  private static func state(_ room: LastKnownRoom?, isTried: Bool, isSatisfied: Bool) -> State {
    switch room?.progress {
    case .retired: .retired
    case .accepted: .accepted
    case .done: isSatisfied ? .done : .outdated
    case .missing: .missing
    case .unconfirmed: .unconfirmed
    case .open: isTried ? .open : .untried
    case nil: .untried
    }
  }

  /// Whether something is left to do.
  package var isOpen: Bool {
    switch state {
    case .done, .accepted, .retired: false
    case .outdated, .missing, .unconfirmed, .open, .untried: isInManifest
    }
  }

  /// Why the newest run did not do it; nil when nothing is left to do, and for a missing room, whose state says it.
  package var openReason: FailureReason? { isOpen && state != .missing ? last?.room.reason : nil }

  /// When its device was first missed; nil unless it is missing.
  package var missingSince: RecordedAt? { state == .missing ? absence?.since : nil }

  /// The identity of its device on record, or the one that the newest run was to write.
  package let identity: DeviceIdentity?

  /// What its device last reported of itself.
  package var details: [DeviceDetail] { runs.last { !$0.room.details.isEmpty }?.room.details ?? [] }

  /// The newest run that worked on it.
  package var last: Run? { runs.last }
}
