public import Bluetooth

/// What a run would do, room by room, on what was heard and what is on record: what `plan` shows and saves, and
/// what `apply --plan` must find again before it touches anything.
public struct ApplyPlan: Hashable, Sendable, Codable {
  /// Name and version of the encoded form.
  public static let schema = "roboprov/plan/2"

  /// The encoded form's name.
  public var schema: String
  /// The building's stable id.
  public var building: String
  /// The manifest's digest, as in `RunStarted`.
  public var manifestSHA256: String
  /// What tells whether the passwords of the rooms that it was made for are still the same; nil without a site key.
  public var passwords: SealedPasswords?
  /// The rooms of the manifest, in its order.
  public var rooms: [PlannedStep]

  /// A plan.
  public init(
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

  /// Reads the encoded form.
  /// - Throws: `DecodingError`; a room that is there twice is `dataCorrupted`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    schema = try container.decode(String.self, forKey: .schema)
    building = try container.decode(String.self, forKey: .building)
    manifestSHA256 = try container.decode(String.self, forKey: .manifestSHA256)
    passwords = try container.decodeIfPresent(SealedPasswords.self, forKey: .passwords)
    rooms = try container.decode([PlannedStep].self, forKey: .rooms)
    // Only one of two steps could be carried out, and a person may have read the other.
    guard Set(rooms.map(\.room)).count == rooms.count else {
      throw DecodingError.dataCorruptedError(
        forKey: .rooms, in: container, debugDescription: "a room is there twice")
    }
  }
}

/// What a run would do with one room.
public struct PlannedStep: Hashable, Sendable, Codable {
  /// What is done. The names are frozen.
  public enum Action: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its device is written.
    case provision
    /// It is done already.
    case done
    /// Its device was configured elsewhere, and was not heard yet: it is listened for.
    case await
    /// Nothing can be written.
    case stop
    /// It is not worked on.
    case exclude
  }

  /// The room.
  public var room: RoomID
  /// Its name for people.
  public var name: String
  /// What is done.
  public var action: Action
  /// True of a room whose device was configured elsewhere; nil else.
  public var registered: Bool?
  /// The device.
  public var address: BluetoothAddress?
  /// What joins room and device.
  public var basis: BindingBasis?
  /// What its device would be given, in the order of the family; nil unless `action` is `provision`.
  public var settings: [PlannedSetting]?
  /// Whether the device was heard.
  public var heard: Bool
  /// RSSI of it in dBm, where known.
  public var rssi: Int?
  /// What `done` rests on.
  public var evidence: Evidence?
  /// The outcome of a room that is stopped.
  public var outcome: Outcome?
  /// Why a room is stopped.
  public var reason: FailureReason?
  /// Why a room is not worked on.
  public var exclusion: Exclusion?

  /// A step; what does not apply is left out.
  public init(
    room: RoomID, name: String, action: Action, registered: Bool? = nil,
    address: BluetoothAddress? = nil, basis: BindingBasis? = nil, settings: [PlannedSetting]? = nil,
    heard: Bool = false, rssi: Int? = nil, evidence: Evidence? = nil, outcome: Outcome? = nil,
    reason: FailureReason? = nil, exclusion: Exclusion? = nil
  ) {
    self.room = room
    self.name = name
    self.action = action
    self.registered = registered
    self.address = address
    self.basis = basis
    self.settings = settings
    self.heard = heard
    self.rssi = rssi
    self.evidence = evidence
    self.outcome = outcome
    self.reason = reason
    self.exclusion = exclusion
  }
}

/// A room for which a plan and what would be done differ.
public struct PlanDifference: Hashable, Sendable {
  /// What the plan says; nil of a room that it does not have.
  public var planned: PlannedStep?
  /// What would be done; nil of a room that the manifest has no longer.
  public var found: PlannedStep?

  /// A difference.
  public init(planned: PlannedStep?, found: PlannedStep?) {
    self.planned = planned
    self.found = found
  }
}

extension ApplyPlan {
  /// The rooms that it was made for.
  public var selection: RoomSelection {
    let chosen = rooms.filter { $0.exclusion?.cause != .deselected }.map(\.room)
    // Without any, none: an empty `only` would be all.
    return chosen.isEmpty ? RoomSelection(skip: Set(rooms.map(\.room))) : RoomSelection(only: Set(chosen))
  }

  /// Where what would be done now differs in what matters: which room's device is written, which device that
  /// is and why, what it is given, and which rooms are left alone. How strongly a device is heard, whether one that is done is
  /// heard at all, and what the device held before, may change.
  public func differences(from found: ApplyPlan) -> [PlanDifference] {
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
    // One that is never written may be heard, or not.
    if registered == true, action == .await || action == .done { return Essence(action: .done) }
    return Essence(
      action: action, address: address, basis: basis, reason: reason?.code,
      written: (settings ?? []).map { Value(name: $0.name, value: $0.value) })
  }
}
