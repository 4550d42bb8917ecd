package import Bluetooth

/// What a run would do, room by room, by the advertisements and the record: `plan` shows and saves it, and
/// `apply --plan` requires the same result before it writes anything.
package struct ApplyPlan: Hashable, Sendable, Codable {
  /// The name and version of the encoded form.
  package static let schema = "roboprov/plan/1"

  package var schema: String
  /// The building's stable id.
  package var building: String
  /// The manifest's digest, as in `RunStarted`.
  package var manifestSHA256: String
  /// The fingerprint of the passwords of the planned rooms; nil without a site key.
  package var passwords: SealedPasswords?
  /// The rooms of the manifest, in its order.
  package var rooms: [PlannedStep]

  package init(
    building: String, manifestSHA256: String, passwords: SealedPasswords? = nil, rooms: [PlannedStep]
  ) {
    schema = Self.schema
    self.building = building
    self.manifestSHA256 = manifestSHA256
    self.passwords = passwords
    self.rooms = rooms
  }

  enum CodingKeys: String, CodingKey {
    case schema
    case building
    case manifestSHA256 = "manifest_sha256"
    case passwords
    case rooms
  }

  /// - Throws: `DecodingError`; a duplicate room is `dataCorrupted`.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    schema = try container.decode(String.self, forKey: .schema)
    building = try container.decode(String.self, forKey: .building)
    manifestSHA256 = try container.decode(String.self, forKey: .manifestSHA256)
    passwords = try container.decodeIfPresent(SealedPasswords.self, forKey: .passwords)
    rooms = try container.decode([PlannedStep].self, forKey: .rooms)
    // Only one of two steps could be carried out, and the operator may have read the other.
    guard Set(rooms.map(\.room)).count == rooms.count else {
      throw DecodingError.dataCorruptedError(
        forKey: .rooms, in: container, debugDescription: "a room is there twice")
    }
  }
}

/// What a run would do with one room.
package struct PlannedStep: Hashable, Sendable, Codable {
  /// The actions. The names are frozen.
  package enum Action: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its device is written.
    case provision
    /// It is provisioned already.
    case done
    /// Its device was configured elsewhere and not received yet: the run waits for it.
    case await
    /// Nothing can be written.
    case stop
    /// The run does not work on it.
    case exclude
  }

  package var room: RoomID
  /// The display name.
  package var name: String
  package var action: Action
  /// True when its device was configured elsewhere; nil otherwise.
  package var registered: Bool?
  package var address: BluetoothAddress?
  package var basis: BindingBasis?
  /// The settings that its device would get, in the order of the family; nil unless `action` is `provision`.
  package var settings: [PlannedSetting]?
  /// Whether the device was received.
  package var received: Bool
  /// The RSSI of the device in dBm, if known.
  package var rssi: Int?
  /// The evidence for `done`.
  package var evidence: Evidence?
  /// The outcome for `stop`.
  package var outcome: Outcome?
  /// The reason for `stop`.
  package var reason: FailureReason?
  /// The reason for `exclude`.
  package var exclusion: Exclusion?

  enum CodingKeys: String, CodingKey {
    case room
    case name
    case action
    case registered
    case address
    case basis
    case settings
    case received
    case rssi
    case evidence
    case outcome
    case reason
    case exclusion
  }

  package init(
    room: RoomID, name: String, action: Action, registered: Bool? = nil,
    address: BluetoothAddress? = nil, basis: BindingBasis? = nil, settings: [PlannedSetting]? = nil,
    received: Bool = false, rssi: Int? = nil, evidence: Evidence? = nil, outcome: Outcome? = nil,
    reason: FailureReason? = nil, exclusion: Exclusion? = nil
  ) {
    self.room = room
    self.name = name
    self.action = action
    self.registered = registered
    self.address = address
    self.basis = basis
    self.settings = settings
    self.received = received
    self.rssi = rssi
    self.evidence = evidence
    self.outcome = outcome
    self.reason = reason
    self.exclusion = exclusion
  }
}

/// A room whose step differs between a plan and the present matching.
package struct PlanDifference: Hashable, Sendable {
  /// The step in the plan; nil for a room that it does not have.
  package var planned: PlannedStep?
  /// The present step; nil for a room that the manifest no longer has.
  package var found: PlannedStep?

  package init(planned: PlannedStep?, found: PlannedStep?) {
    self.planned = planned
    self.found = found
  }
}

extension ApplyPlan {
  /// The rooms of the plan.
  package var selection: RoomSelection {
    let chosen = rooms.filter { $0.exclusion?.cause != .deselected }.map(\.room)
    // An empty `only` would select all rooms.
    return chosen.isEmpty ? RoomSelection(skip: Set(rooms.map(\.room))) : RoomSelection(only: Set(chosen))
  }

  /// The relevant differences from the present matching: which device is written for each room, on which
  /// basis and with which settings, and which rooms get nothing. RSSI, sightings of provisioned devices and
  /// the recorded earlier values may differ.
  package func differences(from found: ApplyPlan) -> [PlanDifference] {
    let planned = Dictionary(rooms.map { ($0.room, $0) }, uniquingKeysWith: { first, _ in first })
    let present = Set(found.rooms.map(\.room))
    let changed = found.rooms.compactMap { step -> PlanDifference? in
      let old = planned[step.room]
      return old?.essence == step.essence ? nil : PlanDifference(planned: old, found: step)
    }
    let gone = rooms.filter { !present.contains($0.room) }.map { PlanDifference(planned: $0, found: nil) }
    return changed + gone
  }
}

extension PlannedStep {
  private struct Essence: Hashable {
    var action: Action
    var address: BluetoothAddress?
    var basis: BindingBasis?
    var reason: FailureReason.Code?
    var written: [Value] = []
  }

  private struct Value: Hashable {
    var name: SettingName
    var value: String?
  }

  fileprivate var essence: some Hashable {
    // A device that is never written may or may not be received.
    if registered == true, action == .await || action == .done { return Essence(action: .done) }
    return Essence(
      action: action, address: address, basis: basis, reason: reason?.code,
      written: (settings ?? []).map { Value(name: $0.name, value: $0.value) })
  }
}
