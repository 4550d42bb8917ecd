package import Bluetooth

/// An attempt at a device began.
package struct AttemptStarted: FactPayload {
  package var room: RoomID
  package var address: BluetoothAddress
  package var adapter: AdapterID
  package var number: Int
  package var rssi: Int?
  package var fresh: Bool?
  package var subject: FactSubject { FactSubject(room: room, address: address, attempt: number) }

  package init(
    room: RoomID, address: BluetoothAddress, adapter: AdapterID, number: Int, rssi: Int? = nil,
    fresh: Bool? = nil
  ) {
    (self.room, self.address, self.adapter, self.number) = (room, address, adapter, number)
    (self.rssi, self.fresh) = (rssi, fresh)
  }
}

/// A bond with a device is about to be made on the host of an adapter: from now on it may exist there. If the family keeps
/// it, a second one says that it was made: until then it is one that runs remove.
package struct BondIntended: FactPayload {
  package var room: RoomID
  package var attempt: Int
  package var address: BluetoothAddress
  package var adapter: AdapterID
  /// True once it is made and no run removes it (`DeviceFamily.keepsBond`); nil otherwise.
  package var kept: Bool?
  /// True if it is made, kept, and protected by a passkey; nil otherwise.
  package var protected: Bool?
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room, address: address, attempt: attempt) }

  package init(
    room: RoomID, attempt: Int, address: BluetoothAddress, adapter: AdapterID, isKept: Bool = false,
    isProtected: Bool = false
  ) {
    (self.room, self.attempt, self.address, self.adapter) = (room, attempt, address, adapter)
    (kept, protected) = (isKept ? true : nil, isProtected ? true : nil)
  }
}

/// A stage of an attempt began.
package struct StageStarted: AttemptFact {
  package var room: RoomID
  package var attempt: Int
  package var stage: Stage
  package var setting: SettingName?
  package var timeout: Double

  package init(room: RoomID, attempt: Int, stage: Stage, setting: SettingName? = nil, timeout: Double) {
    (self.room, self.attempt, self.stage, self.setting) = (room, attempt, stage, setting)
    self.timeout = timeout
  }
}

/// A stage of an attempt ended, with or without success.
package struct StageEnded: AttemptFact {
  package var room: RoomID
  package var attempt: Int
  package var stage: Stage
  package var setting: SettingName?
  package var seconds: Double
  package var failure: FailureReason?

  package init(
    room: RoomID, attempt: Int, stage: Stage, setting: SettingName? = nil, seconds: Double,
    failure: FailureReason? = nil
  ) {
    (self.room, self.attempt, self.stage, self.setting) = (room, attempt, stage, setting)
    (self.seconds, self.failure) = (seconds, failure)
  }
}

/// A device sent a status.
package struct StatusReceived: AttemptFact {
  package var room: RoomID
  package var attempt: Int
  package var text: String
  package var meaning: StatusMeaning

  package init(room: RoomID, attempt: Int, text: String, meaning: StatusMeaning) {
    (self.room, self.attempt, self.text, self.meaning) = (room, attempt, text, meaning)
  }
}

/// The interpretation of a status. The names are frozen.
package enum StatusMeaning: String, Hashable, Sendable, Codable, CaseIterable {
  case ready
  case accepted
  case notAccepted = "not_accepted"
  case saved
  case refusal
  case stale
  case other
}

/// The settings that a device held before any write.
package struct SettingsRead: AttemptFact {
  package var room: RoomID
  package var attempt: Int
  package var settings: [HeldSetting]

  package init(room: RoomID, attempt: Int, settings: [HeldSetting]) {
    (self.room, self.attempt, self.settings) = (room, attempt, settings)
  }
}

/// A device listed the WiFi networks that it receives, before any write.
package struct WiFiChecked: AttemptFact {
  package var room: RoomID
  package var attempt: Int
  package var ssid: String
  package var result: WiFiCheckResult
  package var networks: [FoundNetwork]

  package init(
    room: RoomID, attempt: Int, ssid: String, result: WiFiCheckResult, networks: [FoundNetwork] = []
  ) {
    (self.room, self.attempt, self.ssid, self.result, self.networks) = (room, attempt, ssid, result, networks)
  }
}

/// A device reported what it is, or where it can be reached.
package struct DeviceDescribed: AttemptFact {
  package var room: RoomID
  package var attempt: Int
  package var details: [DeviceDetail]

  package init(room: RoomID, attempt: Int, details: [DeviceDetail]) {
    (self.room, self.attempt, self.details) = (room, attempt, details)
  }
}

/// What a device reports of itself.
package struct DeviceDetail: Hashable, Sendable, Codable {
  /// The names are frozen.
  package enum Name: String, Hashable, Sendable, Codable, CaseIterable {
    case firmware
    case firmwareVersion = "firmware_version"
    case hardware
    case deviceName = "device_name"
    case system
    case systemVersion = "system_version"
    case url
    case security
    case ipAddress = "ip_address"
    case bssid
    case channel
    case nodeID = "node_id"
  }

  package var name: Name
  package var value: String

  package init(_ name: Name, _ value: String) { (self.name, self.value) = (name, value) }
}

/// A device got the time since an action.
package struct ElapsedSent: AttemptFact {
  package var room: RoomID
  package var attempt: Int
  package var seconds: Double
  package var byte: UInt8
  package var since: ActionSource

  package init(room: RoomID, attempt: Int, seconds: Double, byte: UInt8, since: ActionSource) {
    (self.room, self.attempt, self.seconds, self.byte, self.since) = (room, attempt, seconds, byte, since)
  }
}

/// The start of an action's time. The names are frozen.
package enum ActionSource: String, Hashable, Sendable, Codable, CaseIterable {
  case session
  case key
}

/// A device confirmed a setting.
package struct SettingWritten: AttemptFact {
  package var room: RoomID
  package var attempt: Int
  package var setting: SettingName
  package var bytes: Int?

  package init(room: RoomID, attempt: Int, setting: SettingName, bytes: Int?) {
    (self.room, self.attempt, self.setting, self.bytes) = (room, attempt, setting, bytes)
  }
}

/// The device is about to be asked to save: from now on it may have changed.
package struct SaveSubmitted: FactPayload {
  package var room: RoomID
  package var attempt: Int
  package var address: BluetoothAddress
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room, address: address, attempt: attempt) }

  package init(room: RoomID, attempt: Int, address: BluetoothAddress) {
    (self.room, self.attempt, self.address) = (room, attempt, address)
  }
}

package struct LinkEnded: AttemptFact {
  package var room: RoomID
  package var attempt: Int
  package var cause: Disconnection.Cause
  package var expected: Bool

  package init(room: RoomID, attempt: Int, cause: Disconnection.Cause, expected: Bool) {
    (self.room, self.attempt, self.cause, self.expected) = (room, attempt, cause, expected)
  }
}

/// The proof of a device was received.
package struct ProofReceived: FactPayload {
  package var room: RoomID
  package var attempt: Int
  package var evidence: Evidence
  package var subject: FactSubject { FactSubject(room: room, address: evidence.address, attempt: attempt) }

  package init(room: RoomID, attempt: Int, evidence: Evidence) {
    (self.room, self.attempt, self.evidence) = (room, attempt, evidence)
  }
}

package struct AttemptEnded: FactPayload {
  package var room: RoomID
  package var number: Int
  package var seconds: Double
  package var failure: FailureReason?
  package var notCounted: AttemptExemption?
  package var subject: FactSubject { FactSubject(room: room, attempt: number) }

  private enum CodingKeys: String, CodingKey {
    case room, number, seconds, failure
    case notCounted = "not_counted"
  }

  package init(
    room: RoomID, number: Int, seconds: Double, failure: FailureReason? = nil,
    notCounted: AttemptExemption? = nil
  ) {
    (self.room, self.number, self.seconds, self.failure) = (room, number, seconds, failure)
    self.notCounted = notCounted
  }
}

/// A further attempt was scheduled.
package struct RetryScheduled: RoomFact {
  package var room: RoomID
  package var attempt: Int
  package var delay: Double

  package init(room: RoomID, attempt: Int, delay: Double) {
    (self.room, self.attempt, self.delay) = (room, attempt, delay)
  }
}
