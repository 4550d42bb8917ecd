public import Bluetooth
public import FoundationEssentials

/// What the record says of a building before a run: the fold over everything that was ever done in it, as far
/// as a decision needs it. (`Journal/BuildingRecord` makes it.)
public struct BuildingStanding: Hashable, Sendable, Codable {
  /// Its rooms, also those that the manifest has no longer.
  public var rooms: [RoomID: RoomStanding]
  /// Devices that were taken out of service.
  public var retired: [BluetoothAddress: Retirement]

  /// A standing; without anything, that of a building in which nothing was done yet.
  public init(rooms: [RoomID: RoomStanding] = [:], retired: [BluetoothAddress: Retirement] = [:]) {
    self.rooms = rooms
    self.retired = retired
  }

  /// The rooms that have this device on record, by id; more than one only after records were merged.
  public func owners(of address: BluetoothAddress) -> [RoomID] {
    rooms.filter { $0.value.bindings.contains { $0.address == address } }.map(\.key).sorted()
  }

  /// Every device that some room has, or that is out of service: none that anybody may be given.
  package var claimed: Set<BluetoothAddress> {
    Set(rooms.values.flatMap { $0.bindings.map(\.address) }).union(retired.keys)
  }
}

/// What the record says of a room.
public struct RoomStanding: Hashable, Sendable, Codable {
  /// Its name when it was last recorded.
  public var name: String
  /// The device family when it was last recorded.
  public var profile: ProfileID
  /// The devices that it was given and that were not released: one, or after records were merged several.
  public var bindings: [Binding] = []
  /// What was last done to its device, if that may still be there.
  public var deed: Deed?
  /// How it ended last, in whatever run.
  public var last: RoomFinished?
  /// The run of `last`.
  public var lastRun: String?
  /// Every acceptance of the room as it is, in the order in which they were given. Several may hold.
  public var acceptances: [Acceptance] = []
  /// What was heard of its device when the building was last verified.
  public var verification: RecordedVerification?
  /// Its being out of service.
  public var retirement: RoomRetirement?

  /// A room of which nothing but its name is known.
  public init(name: String, profile: ProfileID) {
    self.name = name
    self.profile = profile
  }

  /// Its device, where the record is clear about it.
  public var binding: Binding? { bindings.count == 1 ? bindings[0] : nil }

  /// The acceptance that holds; of several the newest.
  public var acceptance: Acceptance? { acceptances.last { $0.ended == nil } }

  /// Ends the acceptances that hold.
  public mutating func endAcceptances(_ ended: RecordedAt) {
    for index in acceptances.indices where acceptances[index].ended == nil {
      acceptances[index].ended = ended
    }
  }

  /// How far a room is by all that is on record. The names are frozen.
  public enum Progress: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its device is at work as it was to be.
    case done
    /// Its device was asked to save, and nobody knows what came of it.
    case unconfirmed
    /// Somebody accepted it as it is.
    case accepted
    /// It is out of service.
    case retired
    /// Something is left to do.
    case open
  }

  /// How far it is.
  public var progress: Progress {
    if retirement != nil { return .retired }
    switch deed?.state {
    case .proved?: return .done
    case .submitted?: return .unconfirmed
    case nil: return acceptance == nil ? .open : .accepted
    }
  }
}

/// A room and a device, joined.
public struct Binding: Hashable, Sendable, Codable {
  /// The device.
  public var address: BluetoothAddress
  /// What joined them.
  public var basis: BindingBasis
  /// The run that did.
  public var run: String
  /// When.
  public var at: Date

  /// A binding.
  public init(address: BluetoothAddress, basis: BindingBasis, run: String, at: Date) {
    self.address = address
    self.basis = basis
    self.run = run
    self.at = at
  }
}

/// What a run did to a device that may still be there.
public struct Deed: Hashable, Sendable, Codable {
  /// How sure it is.
  public enum State: Hashable, Sendable, Codable {
    /// The save was submitted, and what came of it is not known.
    case submitted
    /// The device is at work with these settings, by this evidence.
    case proved(Evidence)
  }

  /// The device, by the address that was written.
  public var address: BluetoothAddress
  /// How sure it is.
  public var state: State
  /// The settings, each as far as it got.
  public var settings: [SettingResult]
  /// The key that seals their secrets.
  public var sealKey: String?
  /// The run that did it.
  public var run: String
  /// When.
  public var at: Date
  /// When its device was last seen as the evidence has it; nil while nothing is proved.
  public var seen: RecordedAt?
  /// Where the present state of each setting is on record.
  public var settingsRecorded: [SettingName: RecordedAt] = [:]

  /// A deed.
  public init(
    address: BluetoothAddress, state: State, settings: [SettingResult], sealKey: String?, run: String,
    at: Date
  ) {
    self.address = address
    self.state = state
    self.settings = settings
    self.sealKey = sealKey
    self.run = run
    self.at = at
  }

  /// Whether a device with these settings was given what the room wants. Secrets that were sealed with another key, or that have
  /// no fingerprint since nobody resolved them, cannot be compared, and count as the same. What a room no longer sets stays as
  /// it is.
  /// - Parameter expected: settings that nobody writes (`DeviceFamily.expectedSettings`): what is heard decides about them,
  ///   and `proof`.
  public func satisfies(_ room: Room, _ seal: SecretSeal?, besides expected: Set<SettingName>) -> Bool {
    satisfies(
      room.settingResults(in: room.settings.keys.sorted(), seal) { _ in .notWritten }, sealKey: seal?.key,
      besides: expected)
  }

  /// The same of settings whose secrets are sealed with the key of this name.
  public func satisfies(
    _ wanted: [SettingResult], sealKey: String?, besides expected: Set<SettingName>
  ) -> Bool {
    let recorded = Dictionary(settings.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    return wanted.filter { !expected.contains($0.name) }.allSatisfy { wanted in
      guard let old = recorded[wanted.name] else { return false }
      guard wanted.value == nil, old.value == nil else { return wanted.value == old.value }
      guard let sealKey, sealKey == self.sealKey else { return true }
      guard let new = wanted.fingerprint, let known = old.fingerprint else { return true }
      return new == known
    }
  }

  /// What is to be heard from the device when it is at work with these settings; nil where they do not say.
  package func proof(_ profile: any DeviceFamily) -> Proof? { settings.proof(profile) }

  /// These settings, secrets left out.
  package func values(_ profile: any DeviceFamily) -> [SettingName: SettingValue] { settings.values(profile) }

  /// Takes over what is known better now.
  public mutating func take(_ results: [SettingResult], recorded: RecordedAt) {
    for result in results {
      settingsRecorded[result.name] = recorded
      if let index = settings.firstIndex(where: { $0.name == result.name }) {
        settings[index] = result
      } else {
        settings.append(result)
      }
    }
  }

  /// The address from which it is heard at work: that which was written, unless it was heard to change it.
  package var heardAt: BluetoothAddress {
    if case .proved(let evidence) = state { evidence.address } else { address }
  }

  /// What its device is known by with these settings, as `FailureReason.held` says it.
  public var identity: String {
    [SettingName.uuid, .major, .minor].compactMap { name in
      settings.first { $0.name == name }?.value.map { "\(name) \($0)" }
    }.joined(separator: ", ")
  }

  /// The minor in these settings.
  package var minor: UInt16? {
    settings.first { $0.name == .minor }?.value.flatMap { UInt16($0) }
  }
}

extension [SettingResult] {
  /// What is to be heard from a device that is at work with these settings; nil where they do not say.
  package func proof(_ profile: any DeviceFamily) -> Proof? {
    let values = values(profile)
    let says = profile.settings.allSatisfy { !$0.isOnAir || !$0.isRequired || values[$0.name] != nil }
    return says ? profile.proof(of: values) : nil
  }

  /// These settings, secrets left out.
  package func values(_ profile: any DeviceFamily) -> [SettingName: SettingValue] {
    var values: [SettingName: SettingValue] = [:]
    for description in profile.settings where !description.isSecret {
      let text = first { $0.name == description.name }?.value
      values[description.name] = text.flatMap { description.value($0) }
    }
    return values
  }
}

/// A device that is out of service.
public struct Retirement: Hashable, Sendable, Codable {
  /// The room it was in.
  public var room: RoomID
  /// What a person gave as the reason.
  public var reason: String?
  /// When.
  public var at: Date

  /// A retirement.
  public init(room: RoomID, reason: String?, at: Date) {
    self.room = room
    self.reason = reason
    self.at = at
  }
}
