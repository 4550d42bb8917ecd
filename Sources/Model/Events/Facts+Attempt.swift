public import Bluetooth

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

extension AttemptStarted: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, address: address, attempt: number) }
}

/// A stage of the current attempt.
public struct StageStarted: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Which attempt at its device; nil in records of earlier versions.
  public var attempt: Int?
  /// The stage.
  public var stage: Stage
  /// The setting being written, in `write`.
  public var setting: SettingName?
  /// Its timeout in seconds.
  public var timeout: Double

  /// All of it; what does not apply is left out.
  public init(room: RoomID, attempt: Int? = nil, stage: Stage, setting: SettingName? = nil, timeout: Double) {
    self.room = room
    self.attempt = attempt
    self.stage = stage
    self.setting = setting
    self.timeout = timeout
  }
}

extension StageStarted: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// A stage that ended, well or not.
public struct StageEnded: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Which attempt at its device; nil in records of earlier versions.
  public var attempt: Int?
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
    room: RoomID, attempt: Int? = nil, stage: Stage, setting: SettingName? = nil, seconds: Double,
    failure: FailureReason? = nil
  ) {
    self.room = room
    self.attempt = attempt
    self.stage = stage
    self.setting = setting
    self.seconds = seconds
    self.failure = failure
  }
}

extension StageEnded: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// Words of the device's own.
public struct StatusReceived: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Which attempt at its device; nil in records of earlier versions.
  public var attempt: Int?
  /// What it said.
  public var text: String
  /// How it was taken.
  public var meaning: StatusMeaning

  /// All of it.
  public init(room: RoomID, attempt: Int? = nil, text: String, meaning: StatusMeaning) {
    self.room = room
    self.attempt = attempt
    self.text = text
    self.meaning = meaning
  }
}

extension StatusReceived: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
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

/// What the device holds, read before anything is written.
public struct SettingsRead: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Which attempt at its device; nil in records of earlier versions.
  public var attempt: Int?
  /// Setting by setting, as people read them, in the profile's order.
  public var settings: [HeldSetting]

  /// All of it.
  public init(room: RoomID, attempt: Int? = nil, settings: [HeldSetting]) {
    self.room = room
    self.attempt = attempt
    self.settings = settings
  }
}

extension SettingsRead: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// What a device said of the WiFi networks that it receives, before anything was written.
public struct WiFiChecked: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Which attempt at its device.
  public var attempt: Int
  /// The network that the device is to join.
  public var ssid: String
  /// Whether it receives that.
  public var result: WiFiCheckResult
  /// The networks that it receives, the strongest first.
  public var networks: [HeardNetwork]

  /// All of it.
  public init(
    room: RoomID, attempt: Int, ssid: String, result: WiFiCheckResult, networks: [HeardNetwork] = []
  ) {
    self.room = room
    self.attempt = attempt
    self.ssid = ssid
    self.result = result
    self.networks = networks
  }
}

extension WiFiChecked: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// Whether a device receives the network that it is to join. The names are frozen.
public enum WiFiCheckResult: String, Hashable, Sendable, Codable, CaseIterable {
  /// It does.
  case received
  /// It does not: nothing is written.
  case notReceived = "not_received"
  /// Not checked: its firmware cannot list networks.
  case unsupported
  /// Not checked: it did not answer, or not to the end.
  case noAnswer = "no_answer"
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
  /// Which attempt at its device; nil in records of earlier versions.
  public var attempt: Int?
  /// Seconds from the action to the write, to the microsecond.
  public var seconds: Double
  /// The byte that says so to the device.
  public var byte: UInt8
  /// What the time counts from.
  public var since: ActionSource

  /// All of it.
  public init(room: RoomID, attempt: Int? = nil, seconds: Double, byte: UInt8, since: ActionSource) {
    self.room = room
    self.attempt = attempt
    self.seconds = seconds
    self.byte = byte
    self.since = since
  }
}

extension ElapsedSent: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// What an action's time was taken from. The names are frozen.
public enum ActionSource: String, Hashable, Sendable, Codable, CaseIterable {
  /// The start of the device's own session.
  case session
  /// The operator's key.
  case key
}

/// A setting that the device confirmed.
public struct SettingWritten: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Which attempt at its device; nil in records of earlier versions.
  public var attempt: Int?
  /// The setting.
  public var setting: SettingName
  /// How many bytes were written; nil for a secret, whose length is part of it.
  public var bytes: Int?

  /// All of it.
  public init(room: RoomID, attempt: Int? = nil, setting: SettingName, bytes: Int?) {
    self.room = room
    self.attempt = attempt
    self.setting = setting
    self.bytes = bytes
  }
}

extension SettingWritten: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// The moment from which the device may have changed.
public struct SaveSubmitted: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Which attempt at its device; nil in records of earlier versions.
  public var attempt: Int?
  /// The device.
  public var address: BluetoothAddress

  /// All of it.
  public init(room: RoomID, attempt: Int? = nil, address: BluetoothAddress) {
    self.room = room
    self.attempt = attempt
    self.address = address
  }
}

extension SaveSubmitted: FactPayload {
  /// It is on disk before anything else happens.
  public static var durability: Durability { .synced }
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, address: address, attempt: attempt) }
}

/// A link that ended.
public struct LinkEnded: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Which attempt at its device; nil in records of earlier versions.
  public var attempt: Int?
  /// Who ended it.
  public var cause: Disconnection.Cause
  /// Whether it was the expected end.
  public var expected: Bool

  /// All of it.
  public init(room: RoomID, attempt: Int? = nil, cause: Disconnection.Cause, expected: Bool) {
    self.room = room
    self.attempt = attempt
    self.cause = cause
    self.expected = expected
  }
}

extension LinkEnded: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// The device's own proof.
public struct ProofHeard: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Which attempt at its device; nil in records of earlier versions.
  public var attempt: Int?
  /// What was heard.
  public var evidence: Evidence

  /// All of it.
  public init(room: RoomID, attempt: Int? = nil, evidence: Evidence) {
    self.room = room
    self.attempt = attempt
    self.evidence = evidence
  }
}

extension ProofHeard: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, address: evidence.address, attempt: attempt) }
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

extension AttemptEnded: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, attempt: number) }
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

extension RetryScheduled: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room) }
}
