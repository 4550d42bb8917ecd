public import Bluetooth

/// Everything a report needs to know about the run, so that the events alone suffice.
public struct RunStarted: Hashable, Sendable, Codable {
  /// What makes the record.
  public var command: RecordedCommand
  /// Globally unique id of the run: time, host and chance.
  public var run: String
  /// The building's stable id.
  public var building: String
  /// The building's name for people.
  public var buildingName: String
  /// Version of roboprov.
  public var toolVersion: String
  /// Name of the host the run was on.
  public var host: String
  /// The host's kernel: `Linux 6.1.0-18-amd64 x86_64`; nil in records of earlier versions.
  public var kernel: String?
  /// The host's operating system: `Debian GNU/Linux 12 (bookworm)`; nil where it does not say.
  public var operatingSystem: String?
  /// The person who ran it; nil where nobody is named.
  public var operatedBy: String?
  /// Whether the host's clock was set by a time server; nil when the host does not say.
  public var isClockSynchronised: Bool?
  /// The manifest as it was named on the command line.
  public var manifestPath: String
  /// `content:` and the SHA-256 of what the manifest says without its passwords, lower-case hex; empty where there was none.
  /// Records of earlier versions have the SHA-256 of its bytes, by which passwords could be found by trying.
  public var manifestSHA256: String
  /// Whether the building was virtual.
  public var simulated: Bool
  /// Which key seals the secrets' fingerprints, so that nobody compares those of different keys; nil without.
  public var sealKey: String?
  /// The rooms of the manifest, in its order, also those that are excluded.
  public var rooms: [PlannedRoom]

  /// All of it; what does not apply is left out.
  public init(
    _ command: RecordedCommand = .apply, run: String, building: String, buildingName: String,
    toolVersion: String, host: String, manifestPath: String, manifestSHA256: String, simulated: Bool,
    sealKey: String? = nil, operatedBy: String? = nil, isClockSynchronised: Bool? = nil,
    kernel: String? = nil, operatingSystem: String? = nil, rooms: [PlannedRoom]
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
    self.manifestPath = manifestPath
    self.manifestSHA256 = manifestSHA256
    self.simulated = simulated
    self.sealKey = sealKey
    self.rooms = rooms
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
    case manifestPath = "manifest_path"
    case manifestSHA256 = "manifest_sha256"
    case simulated
    case sealKey = "seal_key"
    case rooms
  }
}

extension RunStarted: FactPayload {
  /// It is on disk before anything else happens.
  public static var durability: Durability { .synced }
}

/// A room as the run set out to do it.
public struct PlannedRoom: Hashable, Sendable, Codable {
  /// Its stable identity.
  public var room: RoomID
  /// Its name for people.
  public var name: String
  /// The device family.
  public var profile: ProfileID
  /// The address the manifest gives.
  public var address: BluetoothAddress?
  /// True when its device is configured elsewhere, and only looked for; nil else.
  public var registered: Bool?
  /// Whose beacon proves its device; nil: only its own.
  public var proof: ProofAddress?
  /// Its settings in the profile's order; no secret has a value here.
  public var settings: [SettingResult]
  /// Why it is not to be worked on, if it is not.
  public var exclusion: Exclusion?

  /// All of it; what does not apply is left out.
  public init(
    room: RoomID, name: String, profile: ProfileID, address: BluetoothAddress? = nil,
    registered: Bool? = nil, proof: ProofAddress? = nil, settings: [SettingResult],
    exclusion: Exclusion? = nil
  ) {
    self.room = room
    self.name = name
    self.profile = profile
    self.address = address
    self.registered = registered
    self.proof = proof
    self.settings = settings
    self.exclusion = exclusion
  }
}

/// What a record was made by. The names are frozen.
public enum RecordedCommand: String, Hashable, Sendable, Codable, CaseIterable {
  /// A run that provisions.
  case apply
  /// A device was taken out of service.
  case replace
  /// A room was taken out of service.
  case retire
  /// A room was accepted as it is.
  case accept
  /// The building was verified on air; nothing was written to any device.
  case verify
}

/// A time in which this host did nothing.
public struct HostPause: Hashable, Sendable, Codable {
  /// What kept it. The names are frozen.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// It slept: a closed lid.
    case suspended
    /// The process, or the machine it runs in, was held.
    case stopped
    /// It did not pause: its wall clock was set, forward by so much.
    case clockSet = "clock_set"
  }

  /// What kept it.
  public var kind: Kind
  /// How long, in seconds; of a clock that was set, by how much, negative for backward.
  public var seconds: Double

  /// A pause.
  public init(_ kind: Kind, seconds: Double) {
    self.kind = kind
    self.seconds = seconds
  }
}

extension HostPause: FactPayload {}

/// A room waits until somebody did something for it, such as pressing a button; the run goes on meanwhile.
public struct ActionRequired: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Why nothing can be done for it before.
  public var reason: FailureReason

  /// All of it.
  public init(room: RoomID, reason: FailureReason) {
    self.room = room
    self.reason = reason
  }
}

extension ActionRequired: FactPayload {
  /// The room.
  public var subject: FactSubject { FactSubject(room: room) }
}

/// The operator asked the run to pause, to go on, or to stop.
public struct OperatorRequested: Hashable, Sendable, Codable {
  /// What was asked for.
  public enum Request: String, Hashable, Sendable, Codable, CaseIterable {
    /// No new attempt starts; attempts and proofs in flight go on.
    case pause
    /// New attempts start again.
    case resume
    /// No new attempt starts; those in flight end within a bounded time, and then the run.
    case stop
  }

  /// What was asked for.
  public var request: Request
  /// Of `stop`: how long attempts in flight go on at most, in seconds.
  public var within: Double?

  /// A request.
  public init(_ request: Request, within: Double? = nil) {
    self.request = request
    self.within = within
  }
}

extension OperatorRequested: FactPayload {}

/// The first rooms of each network, and what was said of them.
public struct CanariesJudged: Hashable, Sendable, Codable {
  /// The rooms that were done first.
  public var rooms: [RoomID]
  /// Whether the rest is to follow.
  public var approved: Bool

  /// All of it.
  public init(rooms: [RoomID], approved: Bool) {
    self.rooms = rooms
    self.approved = approved
  }
}

extension CanariesJudged: FactPayload {
  /// It is on disk before anything else happens.
  public static var durability: Durability { .synced }
}

/// A room's outcome: exactly one for each selected room.
public struct RoomFinished: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// How it ended.
  public var outcome: Outcome
  /// Its device, where one was bound or named.
  public var address: BluetoothAddress?
  /// The adapter last used for it.
  public var adapter: AdapterID?
  /// How many attempts were made.
  public var attempts: Int
  /// Seconds from its first attempt to this, waiting for retries included; 0 without attempt.
  public var seconds: Double
  /// RSSI last heard from it, in dBm.
  public var rssi: Int?
  /// What the outcome rests on.
  public var evidence: Evidence?
  /// How far each setting got.
  public var settings: [SettingResult]
  /// Why not a success.
  public var reason: FailureReason?

  /// All of it; what does not apply is left out.
  public init(
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
  /// It is on disk before anything else happens.
  public static var durability: Durability { .synced }
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, address: address) }
}

/// Why the run stops early.
public struct RunInterrupted: Hashable, Sendable, Codable {
  /// What asked for it.
  public var cause: InterruptionCause
  /// More about it for the log.
  public var detail: String?

  /// All of it; what does not apply is left out.
  public init(cause: InterruptionCause, detail: String? = nil) {
    self.cause = cause
    self.detail = detail
  }
}

extension RunInterrupted: FactPayload {
  /// It is on disk before anything else happens.
  public static var durability: Durability { .synced }
}

/// What can stop a run early. The names are frozen.
public enum InterruptionCause: String, Hashable, Sendable, Codable, CaseIterable {
  /// A person, with Ctrl-C or a signal.
  case signal
  /// The record could not be written.
  case record
  /// The Bluetooth stack or its bus went away and did not come back.
  case stack
  /// No adapter could be used any more.
  case adapter
  /// Another run works with the adapter.
  case claimed
  /// What would be done is not what the plan says.
  case plan
}

/// The run's end.
public struct RunFinished: Hashable, Sendable, Codable {
  /// How it ended as a whole.
  public var outcome: RunOutcome

  /// All of it.
  public init(outcome: RunOutcome) {
    self.outcome = outcome
  }
}

extension RunFinished: FactPayload {
  /// It is on disk before anything else happens.
  public static var durability: Durability { .synced }
}

/// How a run ended as a whole. The names are frozen.
public enum RunOutcome: String, Hashable, Sendable, Codable, CaseIterable {
  /// Every selected room is done.
  case complete
  /// Some selected room is not done.
  case incomplete
  /// A person stopped it.
  case interrupted
  /// It could not go on.
  case aborted
}
