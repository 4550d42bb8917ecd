package import Bluetooth
package import Model

/// The state of one room of a building.
package struct BuildingRoom: Hashable, Sendable {
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
  /// Where it stands: the rooms' states and reasons in every output come from here.
  package let status: RoomStatus
  /// Why the manifest's secrets cannot be compared with those that were written; nil if they can.
  package let uncompared: WantedRoom.Uncompared?
  /// Whether the manifest has it; true without a manifest.
  package let isInManifest: Bool
  package let devices: [BluetoothAddress]
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
  /// The id of the room that had its device before and that the manifest does not have: its earlier id.
  package let earlierID: RoomID?
  /// The runs that worked on it, oldest first.
  package let runs: [Run]

  init(
    _ id: RoomID, in building: LastKnownBuilding, _ runs: [Run], manifest: WantedRoom?, isNamed: Bool,
    isInManifest: Bool,
    earlierID: RoomID?
  ) {
    let (lastKnown, wanted) = (building.rooms[id], manifest?.planned)
    self.id = id
    self.earlierID = earlierID
    name = wanted?.name ?? lastKnown?.name ?? id.rawValue
    floor = wanted?.floor ?? runs.last { $0.room.planned.floor != nil }?.room.planned.floor
    group = wanted?.group ?? runs.last { $0.room.planned.group != nil }?.room.planned.group
    profile = wanted?.profile ?? lastKnown?.profile ?? ""
    family = building.families[profile]
    self.isInManifest = isInManifest
    devices = lastKnown?.bindings.map(\.address) ?? []
    acceptances = lastKnown?.acceptances ?? []
    verification = lastKnown?.verification
    provisioned = lastKnown?.lastWrite.map { RecordedAt(run: $0.run, at: $0.at) }
    self.runs = runs
    status = building.status(of: id, manifest: isNamed ? manifest : nil)
    uncompared = isNamed ? manifest?.uncompared(with: lastKnown?.lastWrite) : nil
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
  /// - Parameter isNamed: Whether a person named the manifest; otherwise it is that of the newest run.
  static func all(
    _ lastKnown: LastKnownBuilding, _ histories: [RoomID: [Run]], _ manifest: BuildingReport.Manifest?,
    isNamed: Bool
  ) -> [BuildingRoom] {
    let wanted = Dictionary(
      manifest?.rooms.map { ($0.planned.room, $0) } ?? [], uniquingKeysWith: { first, _ in first })
    let others = lastKnown.rooms.keys.filter { wanted[$0] == nil }.sorted()
    let earlier = manifest.map { lastKnown.earlierIDs(of: $0.rooms.map(\.planned)) } ?? [:]
    return ((manifest?.rooms.map(\.planned.room) ?? []) + others).map { id in
      BuildingRoom(
        id, in: lastKnown, histories[id] ?? [], manifest: wanted[id], isNamed: isNamed,
        isInManifest: manifest == nil || wanted[id] != nil, earlierID: earlier[id])
    }
  }

  /// Whether something is left to do.
  package var isOpen: Bool { isInManifest && state.isOpen }

  package var state: RoomStatus.Kind { status.kind }

  /// Runs that wrote its device or decided about it without knowledge of each other; empty unless a person has to
  /// decide.
  package var unordered: [String] { if case .conflicting(let runs) = status { runs } else { [] } }

  package var retirement: RoomRetirement? {
    if case .retired(let retirement) = status { retirement } else { nil }
  }

  var release: Release? { if case .withoutDevice(let release) = status { release } else { nil } }

  /// The acceptance because of which nothing is left to do; nil in any other state.
  package var acceptance: Acceptance? {
    if case .accepted(let acceptance) = status { acceptance } else { nil }
  }

  /// Why the newest run did not do it; nil when nothing is left to do, and where the state itself says it.
  package var openReason: FailureReason? {
    switch state {
    case .missing, .withoutDevice: nil
    default: isOpen ? last?.room.reason : nil
    }
  }

  /// When its device was first missed; nil unless it is missing.
  package var missingSince: RecordedAt? {
    if case .missing(let absence) = status { absence.since } else { nil }
  }

  /// The identity of its device on record, or the one that the newest run was to write.
  package let identity: DeviceIdentity?

  /// What its device last reported of itself.
  package var details: [DeviceDetail] { runs.last { !$0.room.details.isEmpty }?.room.details ?? [] }

  /// The newest run that worked on it.
  package var last: Run? { runs.last }
}
