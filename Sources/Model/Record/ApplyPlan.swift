package import Bluetooth

/// What a run would do, room by room, by the advertisements and the record: `plan` shows and saves it, and
/// `apply --plan` requires the same result before it writes anything.
package struct ApplyPlan: Hashable, Sendable, Codable {
  /// The name and version of the encoded form.
  package static let schema = "roboprov/plan/1"

  package var schema: String
  package var building: String
  package var manifestSHA256: String
  package var passwords: SealedPasswords?
  package var rooms: [PlannedStep]

  package init(
    building: String, manifestSHA256: String, passwords: SealedPasswords? = nil, rooms: [PlannedStep]
  ) {
    schema = Self.schema
    (self.building, self.manifestSHA256, self.passwords) = (building, manifestSHA256, passwords)
    self.rooms = rooms
  }

  enum CodingKeys: String, CodingKey {
    case schema, building
    case manifestSHA256 = "manifest_sha256"
    case passwords, rooms
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
    case provision
    case done
    case await
    case stop
    case exclude
  }

  package var room: RoomID
  package var name: String
  package var action: Action
  package var registered: Bool?
  package var address: BluetoothAddress?
  package var basis: BindingBasis?
  package var settings: [PlannedSetting]?
  package var received: Bool
  package var rssi: Int?
  package var evidence: Evidence?
  package var outcome: Outcome?
  package var reason: FailureReason?
  package var exclusion: Exclusion?

  package init(
    room: RoomID, name: String, action: Action, registered: Bool? = nil,
    address: BluetoothAddress? = nil, basis: BindingBasis? = nil, settings: [PlannedSetting]? = nil,
    received: Bool = false, rssi: Int? = nil, evidence: Evidence? = nil, outcome: Outcome? = nil,
    reason: FailureReason? = nil, exclusion: Exclusion? = nil
  ) {
    (self.room, self.name, self.action, self.registered) = (room, name, action, registered)
    (self.address, self.basis, self.settings, self.received) = (address, basis, settings, received)
    (self.rssi, self.evidence, self.outcome, self.reason) = (rssi, evidence, outcome, reason)
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
    (self.planned, self.found) = (planned, found)
  }
}

extension ApplyPlan {
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
