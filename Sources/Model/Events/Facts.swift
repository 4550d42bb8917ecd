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
  /// The manifest as it was named on the command line.
  public var manifestPath: String
  /// SHA-256 of the manifest's bytes, lower-case hex.
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
    sealKey: String? = nil, rooms: [PlannedRoom]
  ) {
    self.command = command
    self.run = run
    self.building = building
    self.buildingName = buildingName
    self.toolVersion = toolVersion
    self.host = host
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
    case manifestPath = "manifest_path"
    case manifestSHA256 = "manifest_sha256"
    case simulated
    case sealKey = "seal_key"
    case rooms
  }
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

/// Why no adapter could be used yet.
public struct AdapterAwaited: Hashable, Sendable, Codable {
  /// What is the matter with the best of them; nil while not even the Bluetooth stack is there.
  public var trouble: CentralError.AdapterTrouble?
  /// Its name, where there is one: `hci0`.
  public var adapter: String?
  /// How long the run will wait, in seconds.
  public var seconds: Double

  /// All of it; what does not apply is left out.
  public init(trouble: CentralError.AdapterTrouble?, adapter: String? = nil, seconds: Double) {
    self.trouble = trouble
    self.adapter = adapter
    self.seconds = seconds
  }
}

/// The adapter in use.
public struct AdapterSelected: Hashable, Sendable, Codable {
  /// Its identity.
  public var adapter: AdapterID
  /// What the host calls it: `hci0`.
  public var name: String
  /// Name and version of the Bluetooth stack.
  public var stack: String?

  /// All of it; what does not apply is left out.
  public init(adapter: AdapterID, name: String, stack: String? = nil) {
    self.adapter = adapter
    self.name = name
    self.stack = stack
  }
}

/// An adapter and what it listens for.
public struct Listening: Hashable, Sendable, Codable {
  /// The adapter.
  public var adapter: AdapterID
  /// What for.
  public var purpose: ListeningPurpose
  /// For which room, when for one.
  public var room: RoomID?

  /// All of it; what does not apply is left out.
  public init(adapter: AdapterID, purpose: ListeningPurpose, room: RoomID? = nil) {
    self.adapter = adapter
    self.purpose = purpose
    self.room = room
  }
}

/// What is wrong with an adapter that is there and powered.
public struct AdapterFault: Hashable, Sendable, Codable {
  /// The adapter.
  public var adapter: AdapterID
  /// What is wrong.
  public var fault: Kind
  /// True when it was switched off and on because of that.
  public var wasPowerCycled: Bool?
  /// The stack's own words, where it said something.
  public var stackText: String?

  /// What can be wrong. The names are frozen.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// It scanned for 10 s and reported no device at all.
    case hearsNothing = "hears_nothing"
    /// The stack refused to scan with it, ten times in a row.
    case refusesToScan = "refuses_to_scan"
  }

  /// All of it; what does not apply is left out.
  public init(
    adapter: AdapterID, fault: Kind, wasPowerCycled: Bool? = nil, stackText: String? = nil
  ) {
    self.adapter = adapter
    self.fault = fault
    self.wasPowerCycled = wasPowerCycled
    self.stackText = stackText
  }

  enum CodingKeys: String, CodingKey {
    case adapter
    case fault
    case wasPowerCycled = "power_cycled"
    case stackText = "stack_text"
  }
}

/// A link that an earlier run, which did not live to end it, had left behind.
public struct LinkReleased: Hashable, Sendable, Codable {
  /// The device at its other end.
  public var address: BluetoothAddress
  /// The adapter that held it.
  public var adapter: AdapterID

  /// All of it.
  public init(address: BluetoothAddress, adapter: AdapterID) {
    self.address = address
    self.adapter = adapter
  }
}

/// Another program that scans with an adapter in use: BlueZ then takes up to 10 s longer to connect.
public struct ForeignScanDetected: Hashable, Sendable, Codable {
  /// The adapter.
  public var adapter: AdapterID
  /// The programs that it may be, for people: `bluetoothctl (pid 812)`. Empty when that is not known.
  public var clients: [String]

  /// All of it.
  public init(adapter: AdapterID, clients: [String]) {
    self.adapter = adapter
    self.clients = clients
  }
}

/// A device and the life it is in.
public struct DeviceSighted: Hashable, Sendable, Codable {
  /// Who.
  public var address: BluetoothAddress
  /// Who heard it.
  public var adapter: AdapterID
  /// The family it was recognised as; nil of a beacon that is of none, and that some room has.
  public var profile: ProfileID?
  /// RSSI in dBm.
  public var rssi: Int?
  /// Its minor when it is at work as a beacon; nil while it waits to be provisioned.
  public var minor: UInt16?

  /// All of it; what does not apply is left out.
  public init(
    address: BluetoothAddress, adapter: AdapterID, profile: ProfileID?, rssi: Int? = nil, minor: UInt16? = nil
  ) {
    self.address = address
    self.adapter = adapter
    self.profile = profile
    self.rssi = rssi
    self.minor = minor
  }
}

/// A device that could be provisioned, and that no room of the building claims.
public struct DeviceUnclaimed: Hashable, Sendable, Codable {
  /// Who.
  public var address: BluetoothAddress
  /// The adapter that heard it last.
  public var adapter: AdapterID
  /// Its family.
  public var profile: ProfileID
  /// RSSI in dBm.
  public var rssi: Int?

  /// All of it; what does not apply is left out.
  public init(address: BluetoothAddress, adapter: AdapterID, profile: ProfileID, rssi: Int? = nil) {
    self.address = address
    self.adapter = adapter
    self.profile = profile
    self.rssi = rssi
  }
}

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

/// A room and the device it gets.
public struct BindingCommitted: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// The device.
  public var address: BluetoothAddress
  /// What joined them.
  public var basis: BindingBasis

  /// All of it.
  public init(room: RoomID, address: BluetoothAddress, basis: BindingBasis) {
    self.room = room
    self.address = address
    self.basis = basis
  }
}

/// An attempt at a device.
public struct AttemptStarted: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// The device.
  public var address: BluetoothAddress
  /// The adapter used.
  public var adapter: AdapterID
  /// 1 for the first.
  public var number: Int
  /// RSSI when it was last heard, in dBm.
  public var rssi: Int?
  /// False when it may still hold what an earlier run gave it; nil when it was heard waiting to be provisioned.
  public var fresh: Bool?

  /// All of it; what does not apply is left out.
  public init(
    room: RoomID, address: BluetoothAddress, adapter: AdapterID, number: Int, rssi: Int? = nil,
    fresh: Bool? = nil
  ) {
    self.room = room
    self.address = address
    self.adapter = adapter
    self.number = number
    self.rssi = rssi
    self.fresh = fresh
  }
}

/// A stage of the current attempt.
public struct StageStarted: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// The stage.
  public var stage: Stage
  /// The setting being written, in `write`.
  public var setting: SettingName?
  /// Its timeout in seconds.
  public var timeout: Double

  /// All of it; what does not apply is left out.
  public init(room: RoomID, stage: Stage, setting: SettingName? = nil, timeout: Double) {
    self.room = room
    self.stage = stage
    self.setting = setting
    self.timeout = timeout
  }
}

/// A stage that ended, well or not.
public struct StageEnded: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// The stage.
  public var stage: Stage
  /// The setting being written, in `write`.
  public var setting: SettingName?
  /// How long it took.
  public var seconds: Double
  /// What went wrong, or nil.
  public var failure: FailureReason?

  /// All of it; what does not apply is left out.
  public init(
    room: RoomID, stage: Stage, setting: SettingName? = nil, seconds: Double, failure: FailureReason? = nil
  ) {
    self.room = room
    self.stage = stage
    self.setting = setting
    self.seconds = seconds
    self.failure = failure
  }
}

/// Words of the device's own, secrets taken out.
public struct StatusReceived: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// What it said.
  public var text: String
  /// How it was taken.
  public var meaning: StatusMeaning

  /// All of it.
  public init(room: RoomID, text: String, meaning: StatusMeaning) {
    self.room = room
    self.text = text
    self.meaning = meaning
  }
}

/// A setting that the device confirmed.
public struct SettingWritten: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// The setting.
  public var setting: SettingName
  /// How many bytes were written; nil for a secret, whose length is part of it.
  public var bytes: Int?

  /// All of it.
  public init(room: RoomID, setting: SettingName, bytes: Int?) {
    self.room = room
    self.setting = setting
    self.bytes = bytes
  }
}

/// The moment from which the device may have changed.
public struct SaveSubmitted: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// The device.
  public var address: BluetoothAddress

  /// All of it.
  public init(room: RoomID, address: BluetoothAddress) {
    self.room = room
    self.address = address
  }
}

/// A link that ended.
public struct LinkEnded: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Who ended it.
  public var cause: Disconnection.Cause
  /// Whether it was the expected end.
  public var expected: Bool

  /// All of it.
  public init(room: RoomID, cause: Disconnection.Cause, expected: Bool) {
    self.room = room
    self.cause = cause
    self.expected = expected
  }
}

/// The device's own proof.
public struct ProofHeard: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// What was heard.
  public var evidence: Evidence

  /// All of it.
  public init(room: RoomID, evidence: Evidence) {
    self.room = room
    self.evidence = evidence
  }
}

/// An attempt's end.
public struct AttemptEnded: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Which attempt.
  public var number: Int
  /// How long it took.
  public var seconds: Double
  /// Why it failed, or nil.
  public var failure: FailureReason?

  /// All of it; what does not apply is left out.
  public init(room: RoomID, number: Int, seconds: Double, failure: FailureReason? = nil) {
    self.room = room
    self.number = number
    self.seconds = seconds
    self.failure = failure
  }
}

/// Another attempt to come.
public struct RetryScheduled: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// The number it will have.
  public var attempt: Int
  /// Seconds until it may begin.
  public var delay: Double

  /// All of it.
  public init(room: RoomID, attempt: Int, delay: Double) {
    self.room = room
    self.attempt = attempt
    self.delay = delay
  }
}

/// What the device holds, read before anything is written.
public struct SettingsRead: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Setting by setting, as people read them, in the profile's order.
  public var settings: [HeldSetting]

  /// All of it.
  public init(room: RoomID, settings: [HeldSetting]) {
    self.room = room
    self.settings = settings
  }
}

/// A setting and the value that a device has for it.
public struct HeldSetting: Hashable, Sendable, Codable {
  /// Which setting.
  public var name: SettingName
  /// Its value as people read it, or its bytes in hex where they mean nothing.
  public var value: String

  /// All of it.
  public init(name: SettingName, value: String) {
    self.name = name
    self.value = value
  }
}

/// The time from an action to the write that tells the device of it.
public struct ElapsedSent: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Seconds from the action to the write, to the microsecond.
  public var seconds: Double
  /// The byte that says so to the device.
  public var byte: UInt8
  /// What the time counts from.
  public var since: ActionSource

  /// All of it.
  public init(room: RoomID, seconds: Double, byte: UInt8, since: ActionSource) {
    self.room = room
    self.seconds = seconds
    self.byte = byte
    self.since = since
  }
}

/// What an action's time was taken from. The names are frozen.
public enum ActionSource: String, Hashable, Sendable, Codable, CaseIterable {
  /// The start of the device's own session.
  case session
  /// The operator's key.
  case key
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

/// The run's end.
public struct RunFinished: Hashable, Sendable, Codable {
  /// How it ended as a whole.
  public var outcome: RunOutcome

  /// All of it.
  public init(outcome: RunOutcome) {
    self.outcome = outcome
  }
}

/// What a listening window is for. The names are frozen.
public enum ListeningPurpose: String, Hashable, Sendable, Codable, CaseIterable {
  /// Finding out who is there at the start.
  case survey
  /// Hearing one device again before it is dialled.
  case sighting
  /// Hearing a device's proof.
  case proof
}

/// What joined a room and a device, strongest first. The names are frozen.
public enum BindingBasis: String, Hashable, Sendable, Codable, CaseIterable {
  /// The manifest names the address.
  case address
  /// An earlier run joined them.
  case record
  /// It is the nearest to the adapter that stands in the room, clearly.
  case nearest
  /// The manifest lets the room take any device, and a person confirmed it.
  case any
}

/// How a device's status was taken. The names are frozen.
public enum StatusMeaning: String, Hashable, Sendable, Codable, CaseIterable {
  /// It is ready to be written.
  case ready
  /// It has kept what was written.
  case saved
  /// It refused.
  case refusal
  /// Left from an earlier attempt: no refusal.
  case stale
  /// Nothing known.
  case other
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
