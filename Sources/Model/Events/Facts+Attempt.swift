package import Bluetooth

/// An attempt at a device began.
package struct AttemptStarted: Hashable, Sendable, Codable {
  package var room: RoomID
  package var address: BluetoothAddress
  package var adapter: AdapterID
  /// The number of the attempt, from 1.
  package var number: Int
  /// The last RSSI, in dBm.
  package var rssi: Int?
  /// False when the device may hold settings of an earlier run; nil when it was received in provisioning
  /// mode.
  package var fresh: Bool?

  package init(
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
  package var subject: FactSubject { FactSubject(room: room, address: address, attempt: number) }
}

/// A stage of an attempt began.
package struct StageStarted: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The number of the attempt.
  package var attempt: Int
  package var stage: Stage
  /// The setting, in `write` and `read`.
  package var setting: SettingName?
  /// The timeout in seconds.
  package var timeout: Double

  package init(room: RoomID, attempt: Int, stage: Stage, setting: SettingName? = nil, timeout: Double) {
    self.room = room
    self.attempt = attempt
    self.stage = stage
    self.setting = setting
    self.timeout = timeout
  }
}

extension StageStarted: FactPayload {
  package var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// A stage of an attempt ended, with or without success.
package struct StageEnded: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The number of the attempt.
  package var attempt: Int
  package var stage: Stage
  /// The setting, in `write` and `read`.
  package var setting: SettingName?
  /// The duration in seconds.
  package var seconds: Double
  /// Why it failed; nil after success.
  package var failure: FailureReason?

  package init(
    room: RoomID, attempt: Int, stage: Stage, setting: SettingName? = nil, seconds: Double,
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
  package var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// A device sent a status.
package struct StatusReceived: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The number of the attempt.
  package var attempt: Int
  /// The text of the status.
  package var text: String
  package var meaning: StatusMeaning

  package init(room: RoomID, attempt: Int, text: String, meaning: StatusMeaning) {
    self.room = room
    self.attempt = attempt
    self.text = text
    self.meaning = meaning
  }
}

extension StatusReceived: FactPayload {
  package var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// The interpretation of a status. The names are frozen.
package enum StatusMeaning: String, Hashable, Sendable, Codable, CaseIterable {
  /// The device is ready to be written.
  case ready
  /// The device has saved the settings.
  case saved
  /// The device refused.
  case refusal
  /// Left from an earlier attempt; no refusal.
  case stale
  /// Unknown.
  case other
}

/// The settings that a device held before any write.
package struct SettingsRead: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The number of the attempt.
  package var attempt: Int
  /// The settings with their displayed values, in the profile's order.
  package var settings: [HeldSetting]

  package init(room: RoomID, attempt: Int, settings: [HeldSetting]) {
    self.room = room
    self.attempt = attempt
    self.settings = settings
  }
}

extension SettingsRead: FactPayload {
  package var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// A device listed the WiFi networks that it receives, before any write.
package struct WiFiChecked: Hashable, Sendable, Codable {
  package var room: RoomID
  package var attempt: Int
  /// The SSID of the network that the device is to join.
  package var ssid: String
  /// Whether the device receives that network.
  package var result: WiFiCheckResult
  /// The networks that it receives, the strongest first.
  package var networks: [FoundNetwork]

  package init(
    room: RoomID, attempt: Int, ssid: String, result: WiFiCheckResult, networks: [FoundNetwork] = []
  ) {
    self.room = room
    self.attempt = attempt
    self.ssid = ssid
    self.result = result
    self.networks = networks
  }
}

extension WiFiChecked: FactPayload {
  package var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// Whether a device receives the network that it is to join. The names are frozen.
package enum WiFiCheckResult: String, Hashable, Sendable, Codable, CaseIterable {
  case received
  /// The network is missing, so nothing is written.
  case notReceived = "not_received"
  /// Not checked: the firmware cannot list networks.
  case unsupported
  /// Not checked: the response is missing or incomplete.
  case noAnswer = "no_answer"
}

/// The value of a setting on a device.
package struct HeldSetting: Hashable, Sendable, Codable {
  package var name: SettingName
  /// The displayed value, or the bytes in hex if they cannot be decoded.
  package var value: String

  package init(name: SettingName, value: String) {
    self.name = name
    self.value = value
  }
}

/// A device got the time since an action.
package struct ElapsedSent: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The number of the attempt.
  package var attempt: Int
  /// Seconds from the action to the write, to the microsecond.
  package var seconds: Double
  /// The encoded value.
  package var byte: UInt8
  /// The start of the time.
  package var since: ActionSource

  package init(room: RoomID, attempt: Int, seconds: Double, byte: UInt8, since: ActionSource) {
    self.room = room
    self.attempt = attempt
    self.seconds = seconds
    self.byte = byte
    self.since = since
  }
}

extension ElapsedSent: FactPayload {
  package var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// The start of an action's time. The names are frozen.
package enum ActionSource: String, Hashable, Sendable, Codable, CaseIterable {
  /// The start of the GATT session.
  case session
  /// The operator's key.
  case key
}

/// A device confirmed a setting.
package struct SettingWritten: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The number of the attempt.
  package var attempt: Int
  package var setting: SettingName
  /// The number of bytes written; nil for a secret, whose length is part of it.
  package var bytes: Int?

  package init(room: RoomID, attempt: Int, setting: SettingName, bytes: Int?) {
    self.room = room
    self.attempt = attempt
    self.setting = setting
    self.bytes = bytes
  }
}

extension SettingWritten: FactPayload {
  package var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// The device is about to be asked to save: from now on it may have changed.
package struct SaveSubmitted: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The number of the attempt.
  package var attempt: Int
  package var address: BluetoothAddress

  package init(room: RoomID, attempt: Int, address: BluetoothAddress) {
    self.room = room
    self.attempt = attempt
    self.address = address
  }
}

extension SaveSubmitted: FactPayload {
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room, address: address, attempt: attempt) }
}

package struct LinkEnded: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The number of the attempt.
  package var attempt: Int
  /// What ended the link.
  package var cause: Disconnection.Cause
  /// Whether the end was expected.
  package var expected: Bool

  package init(room: RoomID, attempt: Int, cause: Disconnection.Cause, expected: Bool) {
    self.room = room
    self.attempt = attempt
    self.cause = cause
    self.expected = expected
  }
}

extension LinkEnded: FactPayload {
  package var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

/// The proof of a device was received.
package struct ProofReceived: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The number of the attempt.
  package var attempt: Int
  package var evidence: Evidence

  package init(room: RoomID, attempt: Int, evidence: Evidence) {
    self.room = room
    self.attempt = attempt
    self.evidence = evidence
  }
}

extension ProofReceived: FactPayload {
  package var subject: FactSubject { FactSubject(room: room, address: evidence.address, attempt: attempt) }
}

package struct AttemptEnded: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The number of the attempt, from 1.
  package var number: Int
  /// The duration in seconds.
  package var seconds: Double
  /// Why it failed; nil after success.
  package var failure: FailureReason?
  /// Why it is not counted, so that the next attempt has the same number; nil if it counts.
  package var notCounted: AttemptExemption?

  private enum CodingKeys: String, CodingKey {
    case room, number, seconds, failure
    case notCounted = "not_counted"
  }

  package init(
    room: RoomID, number: Int, seconds: Double, failure: FailureReason? = nil,
    notCounted: AttemptExemption? = nil
  ) {
    self.room = room
    self.number = number
    self.seconds = seconds
    self.failure = failure
    self.notCounted = notCounted
  }
}

extension AttemptEnded: FactPayload {
  package var subject: FactSubject { FactSubject(room: room, attempt: number) }
}

/// A further attempt was scheduled.
package struct RetryScheduled: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The number of the further attempt.
  package var attempt: Int
  /// Seconds until it may begin.
  package var delay: Double

  package init(room: RoomID, attempt: Int, delay: Double) {
    self.room = room
    self.attempt = attempt
    self.delay = delay
  }
}

extension RetryScheduled: FactPayload {
  package var subject: FactSubject { FactSubject(room: room) }
}
