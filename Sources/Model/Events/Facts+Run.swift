package import Bluetooth

/// A run began. Contains what a reader needs to know about the run itself: it needs neither the manifest nor a family of
/// its own build.
package struct RunStarted: FactPayload {
  package var command: RecordedCommand
  package var run: String
  package var building: String
  package var buildingName: String
  package var toolVersion: String
  package var host: String
  package var kernel: String?
  package var operatingSystem: String?
  package var operatedBy: String?
  package var isClockSynchronised: Bool?
  package var clockBehind: Double?
  package var predecessors: [Predecessor]?
  package var manifestPath: String
  /// A digest with the passwords would permit an offline search for them.
  package var manifestSHA256: String
  package var simulated: Bool
  package var sealKey: String?
  package var rooms: [PlannedRoom]
  package var families: [RecordedFamily]?
  package static var durability: Durability { .synced }

  package init(
    _ command: RecordedCommand = .apply, run: String, building: String, buildingName: String,
    toolVersion: String, host: String, manifestPath: String, manifestSHA256: String, simulated: Bool,
    sealKey: String? = nil, operatedBy: String? = nil, isClockSynchronised: Bool? = nil,
    kernel: String? = nil, operatingSystem: String? = nil, clockBehind: Double? = nil,
    predecessors: [Predecessor] = [], rooms: [PlannedRoom],
    families: [RecordedFamily] = []
  ) {
    (self.command, self.run, self.building, self.buildingName) = (command, run, building, buildingName)
    (self.toolVersion, self.host, self.kernel) = (toolVersion, host, kernel)
    (self.operatingSystem, self.operatedBy) = (operatingSystem, operatedBy)
    (self.isClockSynchronised, self.clockBehind) = (isClockSynchronised, clockBehind)
    self.predecessors = predecessors.isEmpty ? nil : predecessors
    (self.manifestPath, self.manifestSHA256, self.simulated) = (manifestPath, manifestSHA256, simulated)
    (self.sealKey, self.rooms) = (sealKey, rooms)
    self.families = families.isEmpty ? nil : families
  }

  enum CodingKeys: String, CodingKey {
    case command, run, building
    case buildingName = "building_name"
    case toolVersion = "tool_version"
    case host, kernel
    case operatingSystem = "os"
    case operatedBy = "operator"
    case isClockSynchronised = "clock_synchronised"
    case clockBehind = "clock_behind"
    case predecessors
    case manifestPath = "manifest_path"
    case manifestSHA256 = "manifest_sha256"
    case simulated
    case sealKey = "seal_key"
    case rooms, families
  }
}

/// A room as planned at the start of the run.
package struct PlannedRoom: Hashable, Sendable, Codable {
  package var room: RoomID
  package var name: String
  package var floor: String?
  package var group: String?
  package var profile: FamilyID
  package var address: BluetoothAddress?
  package var registered: Bool?
  package var proof: ProofAddress?
  package var settings: [SettingResult]
  package var identity: DeviceIdentity?
  package var exclusion: Exclusion?

  package init(
    room: RoomID, name: String, floor: String? = nil, group: String? = nil, profile: FamilyID,
    address: BluetoothAddress? = nil,
    registered: Bool? = nil, proof: ProofAddress? = nil, settings: [SettingResult],
    identity: DeviceIdentity? = nil, exclusion: Exclusion? = nil
  ) {
    (self.room, self.name, self.floor, self.group, self.profile) = (room, name, floor, group, profile)
    (self.address, self.registered, self.proof, self.settings) = (address, registered, proof, settings)
    (self.identity, self.exclusion) = (identity, exclusion)
  }
}

/// The command that made a record. The names are frozen.
package enum RecordedCommand: String, Hashable, Sendable, Codable, CaseIterable {
  case apply
  case replace
  case retire
  case accept
  case verify
}

/// Observations were left out of the record, because they came faster than it may grow.
package struct EventsOmitted: FactPayload {
  /// The number of omitted events of one kind.
  package struct Count: Hashable, Sendable, Codable {
    package var kind: Fact.Kind
    package var count: Int

    package init(_ kind: Fact.Kind, _ count: Int) {
      (self.kind, self.count) = (kind, count)
    }
  }

  /// Since the last fact of this kind, by name.
  package var omitted: [Count]

  package init(_ omitted: [Count]) {
    self.omitted = omitted
  }
}

/// A pause of this host, a time in which it was too busy, or a change of its clock.
package struct HostPause: FactPayload {
  /// The kinds of pauses. The names are frozen.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case suspended
    case stopped
    case clockSet = "clock_set"
    case busy
  }

  package var kind: Kind
  package var seconds: Double

  package init(_ kind: Kind, seconds: Double) {
    (self.kind, self.seconds) = (kind, seconds)
  }
}

/// A room waits for an operator action, such as pressing a button; the run continues meanwhile.
package struct OperatorAwaited: RoomFact {
  package var room: RoomID
  package var reason: FailureReason

  package init(room: RoomID, reason: FailureReason) {
    (self.room, self.reason) = (room, reason)
  }
}

/// The operator asked the run to pause, to resume, or to stop.
package struct OperatorRequested: FactPayload {
  package enum Request: String, Hashable, Sendable, Codable, CaseIterable {
    case pause
    case resume
    case stop
  }

  package var request: Request
  package var within: Double?

  package init(_ request: Request, within: Double? = nil) {
    (self.request, self.within) = (request, within)
  }
}

/// The result of the first rooms of each network was decided.
package struct CanariesJudged: FactPayload {
  package var rooms: [RoomID]
  package var approved: Bool
  package static var durability: Durability { .synced }

  package init(rooms: [RoomID], approved: Bool) {
    (self.rooms, self.approved) = (rooms, approved)
  }
}

/// A room got its outcome: one for each selected room. A second one replaces a success that a later sighting of
/// the same run contradicted.
package struct RoomFinished: FactPayload {
  package var room: RoomID
  package var outcome: Outcome
  package var address: BluetoothAddress?
  package var adapter: AdapterID?
  package var attempts: Int
  package var seconds: Double
  package var rssi: Int?
  package var evidence: Evidence?
  package var settings: [SettingResult]
  package var reason: FailureReason?
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room, address: address) }

  package init(
    room: RoomID, outcome: Outcome, address: BluetoothAddress? = nil, adapter: AdapterID? = nil,
    attempts: Int, seconds: Double, rssi: Int? = nil, evidence: Evidence? = nil, settings: [SettingResult],
    reason: FailureReason? = nil
  ) {
    (self.room, self.outcome, self.address, self.adapter) = (room, outcome, address, adapter)
    (self.attempts, self.seconds, self.rssi, self.evidence) = (attempts, seconds, rssi, evidence)
    (self.settings, self.reason) = (settings, reason)
  }
}

/// The run must stop early.
package struct RunInterrupted: FactPayload {
  package var cause: InterruptionCause
  package var detail: String?
  package static var durability: Durability { .synced }

  package init(cause: InterruptionCause, detail: String? = nil) {
    (self.cause, self.detail) = (cause, detail)
  }
}

/// The causes of an early stop. The names are frozen.
package enum InterruptionCause: String, Hashable, Sendable, Codable, CaseIterable {
  case signal
  case record
  case stack
  case adapter
  case claimed
  case plan
}

/// The run ended.
package struct RunFinished: FactPayload {
  package var outcome: RunOutcome
  package static var durability: Durability { .synced }

  package init(outcome: RunOutcome) {
    self.outcome = outcome
  }
}

/// The outcome of a run as a whole. The names are frozen.
package enum RunOutcome: String, Hashable, Sendable, Codable, CaseIterable {
  case complete
  case incomplete
  case interrupted
  case aborted
}
