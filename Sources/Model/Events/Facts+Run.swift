package import Bluetooth

/// A run began. Contains everything about the run that a report needs, so that the events alone suffice.
package struct RunStarted: Hashable, Sendable, Codable {
  /// The command that makes the record.
  package var command: RecordedCommand
  /// The globally unique id of the run, from time, host and random bits.
  package var run: String
  /// The building's stable id.
  package var building: String
  /// The building's display name.
  package var buildingName: String
  package var toolVersion: String
  package var host: String
  /// The host's kernel: `Linux 6.1.0-18-amd64 x86_64`; nil if unknown.
  package var kernel: String?
  /// The host's operating system: `Debian GNU/Linux 12 (bookworm)`; nil if unknown.
  package var operatingSystem: String?
  /// The operator; nil if no name was given.
  package var operatedBy: String?
  /// Whether a time server set the host's clock; nil if the host does not report it.
  package var isClockSynchronised: Bool?
  /// How far the host's clock is behind the newest event that the run had read, in seconds; nil unless it is
  /// behind.
  package var clockBehind: Double?
  /// The runs that this run had read and that no other of them names; nil if it had read none.
  package var predecessors: [Predecessor]?
  /// The path of the manifest on the command line.
  package var manifestPath: String
  /// `content:` and the SHA-256 of the manifest's content without its passwords, lower-case hex; empty
  /// without a manifest. A digest of all bytes would permit an offline search for the passwords.
  package var manifestSHA256: String
  package var simulated: Bool
  /// The name of the key that seals the fingerprints of secrets; those of different keys cannot be compared.
  /// Nil without a key.
  package var sealKey: String?
  /// The rooms of the manifest, in its order, including excluded ones.
  package var rooms: [PlannedRoom]
  /// The device families of the program that made the record, of which the rooms' ones are some: a record does
  /// not depend on the families of the program that reads it. Nil when it has none.
  package var families: [RecordedFamily]?

  package init(
    _ command: RecordedCommand = .apply, run: String, building: String, buildingName: String,
    toolVersion: String, host: String, manifestPath: String, manifestSHA256: String, simulated: Bool,
    sealKey: String? = nil, operatedBy: String? = nil, isClockSynchronised: Bool? = nil,
    kernel: String? = nil, operatingSystem: String? = nil, clockBehind: Double? = nil,
    predecessors: [Predecessor] = [], rooms: [PlannedRoom],
    families: [RecordedFamily] = []
  ) {
    self.command = command
    self.run = run
    self.building = building
    self.buildingName = buildingName
    self.toolVersion = toolVersion
    self.host = host
    self.kernel = kernel
    self.operatingSystem = operatingSystem
    self.operatedBy = operatedBy
    self.isClockSynchronised = isClockSynchronised
    self.clockBehind = clockBehind
    self.predecessors = predecessors.isEmpty ? nil : predecessors
    self.manifestPath = manifestPath
    self.manifestSHA256 = manifestSHA256
    self.simulated = simulated
    self.sealKey = sealKey
    self.rooms = rooms
    self.families = families.isEmpty ? nil : families
  }

  enum CodingKeys: String, CodingKey {
    case command
    case run
    case building
    case buildingName = "building_name"
    case toolVersion = "tool_version"
    case host
    case kernel
    case operatingSystem = "os"
    case operatedBy = "operator"
    case isClockSynchronised = "clock_synchronised"
    case clockBehind = "clock_behind"
    case predecessors
    case manifestPath = "manifest_path"
    case manifestSHA256 = "manifest_sha256"
    case simulated
    case sealKey = "seal_key"
    case rooms
    case families
  }
}

extension RunStarted {
  /// The room of this id as planned.
  package subscript(room: RoomID) -> PlannedRoom? { rooms.first { $0.room == room } }
}

extension RunStarted: FactPayload {
  package static var durability: Durability { .synced }
}

/// A room as planned at the start of the run.
package struct PlannedRoom: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The display name.
  package var name: String
  /// The floor in the manifest, if it has one.
  package var floor: String?
  package var profile: ProfileID
  /// The address in the manifest.
  package var address: BluetoothAddress?
  /// True when its device was configured elsewhere; nil otherwise.
  package var registered: Bool?
  /// The addresses whose beacon proves its device; nil for its own address only.
  package var proof: ProofAddress?
  /// The settings in the profile's order; secrets have no value here.
  package var settings: [SettingResult]
  /// The identity that its device sends with them; nil for a family without one.
  package var identity: DeviceIdentity?
  /// Why the run does not work on it; nil when it does.
  package var exclusion: Exclusion?

  package init(
    room: RoomID, name: String, floor: String? = nil, profile: ProfileID, address: BluetoothAddress? = nil,
    registered: Bool? = nil, proof: ProofAddress? = nil, settings: [SettingResult],
    identity: DeviceIdentity? = nil, exclusion: Exclusion? = nil
  ) {
    self.room = room
    self.name = name
    self.floor = floor
    self.profile = profile
    self.address = address
    self.registered = registered
    self.proof = proof
    self.settings = settings
    self.identity = identity
    self.exclusion = exclusion
  }
}

/// The command that made a record. The names are frozen.
package enum RecordedCommand: String, Hashable, Sendable, Codable, CaseIterable {
  case apply
  case replace
  case retire
  case accept
  /// The building was verified on air; nothing was written to any device.
  case verify
}

/// A pause of this host, or a change of its clock.
package struct HostPause: Hashable, Sendable, Codable {
  /// The kinds of pauses. The names are frozen.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The host was suspended: a closed lid.
    case suspended
    /// The process, or its virtual machine, was stopped.
    case stopped
    /// No pause: the wall clock was set.
    case clockSet = "clock_set"
  }

  package var kind: Kind
  /// The length in seconds; for a clock that was set, the change, negative for backward.
  package var seconds: Double

  package init(_ kind: Kind, seconds: Double) {
    self.kind = kind
    self.seconds = seconds
  }
}

extension HostPause: FactPayload {}

/// A room waits for an operator action, such as pressing a button; the run continues meanwhile.
package struct OperatorAwaited: Hashable, Sendable, Codable {
  package var room: RoomID
  /// Why the room needs the action.
  package var reason: FailureReason

  package init(room: RoomID, reason: FailureReason) {
    self.room = room
    self.reason = reason
  }
}

extension OperatorAwaited: FactPayload {
  package var subject: FactSubject { FactSubject(room: room) }
}

/// The operator asked the run to pause, to resume, or to stop.
package struct OperatorRequested: Hashable, Sendable, Codable {
  /// The requests.
  package enum Request: String, Hashable, Sendable, Codable, CaseIterable {
    /// No new attempt starts; attempts and proofs in flight continue.
    case pause
    /// New attempts start again.
    case resume
    /// No new attempt starts; those in flight end within a bounded time, and then the run ends.
    case stop
  }

  package var request: Request
  /// For `stop`: how long attempts in flight may continue, in seconds.
  package var within: Double?

  package init(_ request: Request, within: Double? = nil) {
    self.request = request
    self.within = within
  }
}

extension OperatorRequested: FactPayload {}

/// The result of the first rooms of each network was decided.
package struct CanariesJudged: Hashable, Sendable, Codable {
  package var rooms: [RoomID]
  /// Whether the remaining rooms follow.
  package var approved: Bool

  package init(rooms: [RoomID], approved: Bool) {
    self.rooms = rooms
    self.approved = approved
  }
}

extension CanariesJudged: FactPayload {
  package static var durability: Durability { .synced }
}

/// A room got its outcome: one for each selected room. A second one replaces a success that a later sighting of
/// the same run contradicted.
package struct RoomFinished: Hashable, Sendable, Codable {
  package var room: RoomID
  package var outcome: Outcome
  /// Its device, if it has one.
  package var address: BluetoothAddress?
  /// The adapter used last.
  package var adapter: AdapterID?
  /// The attempts that count (`AttemptEnded.notCounted`).
  package var attempts: Int
  /// Seconds from the first attempt to the outcome, with the waits for retries; 0 without an attempt.
  package var seconds: Double
  /// The last RSSI of its device, in dBm.
  package var rssi: Int?
  /// The evidence for the outcome.
  package var evidence: Evidence?
  /// The state of each setting.
  package var settings: [SettingResult]
  /// Why it is not a success; nil after success.
  package var reason: FailureReason?

  package init(
    room: RoomID, outcome: Outcome, address: BluetoothAddress? = nil, adapter: AdapterID? = nil,
    attempts: Int, seconds: Double, rssi: Int? = nil, evidence: Evidence? = nil, settings: [SettingResult],
    reason: FailureReason? = nil
  ) {
    self.room = room
    self.outcome = outcome
    self.address = address
    self.adapter = adapter
    self.attempts = attempts
    self.seconds = seconds
    self.rssi = rssi
    self.evidence = evidence
    self.settings = settings
    self.reason = reason
  }
}

extension RoomFinished: FactPayload {
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room, address: address) }
}

/// The run must stop early.
package struct RunInterrupted: Hashable, Sendable, Codable {
  package var cause: InterruptionCause
  /// Details for the log.
  package var detail: String?

  package init(cause: InterruptionCause, detail: String? = nil) {
    self.cause = cause
    self.detail = detail
  }
}

extension RunInterrupted: FactPayload {
  package static var durability: Durability { .synced }
}

/// The causes of an early stop. The names are frozen.
package enum InterruptionCause: String, Hashable, Sendable, Codable, CaseIterable {
  /// The operator, with Ctrl-C or a signal.
  case signal
  /// The record could not be written.
  case record
  /// The Bluetooth stack or its bus was lost and did not return.
  case stack
  /// No adapter could be used any more.
  case adapter
  /// Another run uses the adapter.
  case claimed
  /// Matching differs from the plan.
  case plan
}

/// The run ended.
package struct RunFinished: Hashable, Sendable, Codable {
  /// The outcome of the run as a whole.
  package var outcome: RunOutcome

  package init(outcome: RunOutcome) {
    self.outcome = outcome
  }
}

extension RunFinished: FactPayload {
  package static var durability: Durability { .synced }
}

/// The outcome of a run as a whole. The names are frozen.
package enum RunOutcome: String, Hashable, Sendable, Codable, CaseIterable {
  /// Every selected room is done.
  case complete
  /// Some selected room is not done.
  case incomplete
  /// The operator stopped it.
  case interrupted
  /// It could not continue.
  case aborted
}
