package import Bluetooth

/// A building as a checked manifest describes it: every value is valid for its profile.
package struct Building: Hashable, Sendable {
  /// The stable name in file names and records: `[a-z0-9-]+`.
  package var id: String
  package var name: String
  /// The assignment of rooms without any hint.
  package var assignment: Assignment
  /// The adapters that the manifest describes, in its order.
  package var adapters: [AdapterDescription]
  /// The other computers whose adapters it uses, in the manifest's order.
  package var hosts: [HostDescription] = []
  /// The rooms, in the manifest's order.
  package var rooms: [Room]
  /// The device families that its rooms may have, and that are recognised on air.
  package var families: FamilyCatalogue

  /// The devices that a room without address, binding or any other hint may get.
  package enum Assignment: String, Hashable, Sendable, Codable, CaseIterable {
    /// None: each room names its device.
    case address
    /// Any unclaimed device, after the operator confirmed the list.
    case any
    /// None yet: addresses are supplied later, from labels.
    case later
  }

  package init(
    id: String, name: String, assignment: Assignment = .address, adapters: [AdapterDescription] = [],
    rooms: [Room], families: FamilyCatalogue
  ) {
    (self.id, self.name, self.assignment, self.adapters) = (id, name, assignment, adapters)
    (self.rooms, self.families) = (rooms, families)
  }
}

extension Building {
  /// Whether the operator must confirm the devices of some rooms.
  package var needsConfirmation: Bool {
    rooms.contains { room in
      guard room.address == nil, room.deviceName == nil, !room.isRegistered else { return false }
      // A device without an identity on air is never matched to a room without a hint.
      return room.near != nil || assignment == .any && room.family.hasIdentity
    }
  }

  /// The most links at once of an adapter, if the manifest states it.
  package func slots(of adapter: Adapter) -> Int? {
    adapters.filter { $0.reference.names(adapter) }.compactMap(\.slots).min()
  }

  /// The manifest's description of an adapter; nil without one.
  package func description(of adapter: Adapter) -> AdapterDescription? {
    adapters.first { $0.reference.names(adapter) }
  }

  /// The adapter of a name: an alias of the manifest, otherwise the name itself.
  package func adapter(named name: String) -> AdapterReference {
    adapters.first { $0.alias == name }?.reference ?? AdapterReference(name)
  }
}

/// The stable identity of a room: `[a-z0-9-]+`, also the name of its log file.
package typealias RoomID = Identifier<Room>

/// A room of the manifest: the settings for its device, and the hints for matching.
package struct Room: Hashable, Sendable {
  /// The stable identity.
  package var id: RoomID
  /// The display name, also for devices that take a room name.
  package var name: String
  /// The floor, if the manifest states it: `3`, `ground`.
  package var floor: String?
  /// The group, if the manifest has it in one.
  package var group: String?
  /// The labels for selection, in the manifest's order; they include the groups of the room.
  package var tags: [String]
  /// The device family expected here.
  package var family: DeviceFamily {
    _read { yield sharedFamily.value }
  }
  /// The family in one place: rooms are copied often.
  package var sharedFamily: Shared<DeviceFamily>
  /// The address of the device, if the manifest states it.
  package var address: BluetoothAddress?
  /// The name that the device advertises while it waits, if the manifest states it instead of an address.
  package var deviceName: String?
  /// The adapter that stands in the room, if the manifest names one: its device is the nearest to it.
  package var near: AdapterReference?
  /// Whether its device was configured elsewhere: a run only receives it, and never writes it.
  package var isRegistered: Bool
  /// The addresses whose beacon proves its device.
  package var proofAddress: ProofAddress
  /// Whether its device must receive the room's WiFi network before anything is written.
  package var checksWiFi: Bool
  /// Whether that network hides its name, so that no device lists it.
  package var isNetworkHidden: Bool
  /// The settings for the device, and those that its firmware is expected to send, by the profile's setting
  /// names. Absent settings are not written.
  package var settings: [SettingName: SettingValue] {
    didSet { identity = family.identity?.identity(of: settings) }
  }
  /// What the session needs besides the settings (`DeviceFamily.access`).
  package var access: [SettingName: SettingValue]
  /// Where the secrets come from that the manifest only refers to; known once they are resolved.
  package var origins: [SettingName: SecretSource] = [:]
  /// The identity that its device sends with these settings; nil for a family without one.
  package private(set) var identity: DeviceIdentity?
  package var timeouts: StageTimeouts
  /// The number of attempts that may follow the first, 0…20.
  package var retries: Int

  package init(
    id: RoomID, name: String, floor: String? = nil, group: String? = nil, tags: [String] = [],
    family: DeviceFamily,
    address: BluetoothAddress? = nil, deviceName: String? = nil, near: AdapterReference? = nil,
    isRegistered: Bool = false,
    proofAddress: ProofAddress = .own, checksWiFi: Bool = false, isNetworkHidden: Bool = false,
    settings: [SettingName: SettingValue], access: [SettingName: SettingValue] = [:],
    timeouts: StageTimeouts, retries: Int
  ) {
    (self.id, self.name, self.floor, self.group, self.tags) = (id, name, floor, group, tags)
    sharedFamily = Shared(family)
    (self.address, self.deviceName) = (address, deviceName)
    (self.near, self.isRegistered) = (near, isRegistered)
    (self.proofAddress, self.checksWiFi, self.isNetworkHidden) = (proofAddress, checksWiFi, isNetworkHidden)
    (self.settings, self.access) = (settings, access)
    identity = family.identity?.identity(of: settings)
    (self.timeouts, self.retries) = (timeouts, retries)
  }

  /// The entries of a mapping of its family, by name.
  package func entries(of mapping: SettingDescription) -> [(name: String, value: SettingValue)] {
    access.compactMap { name, value in mapping.entryName(of: name).map { ($0, value) } }
      .sorted { $0.name < $1.name }
  }

  /// The descriptions of everything that a manifest gives for its device, with each entry of a mapping by itself.
  package var givenSettings: [SettingDescription] {
    family.givenSettings.flatMap { description in
      guard description.reservedNames != nil else { return [description] }
      return entries(of: description).map { description.entry($0.name) }
    }
  }

  package var secrets: [Secret] {
    [settings, access].flatMap(\.values).compactMap {
      if case .secret(let secret) = $0 { secret } else { nil }
    }
  }
}

/// A value that many others have in common: a copy of it is a reference.
package final class Shared<Value: Hashable & Sendable>: Hashable, Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }

  package static func == (a: Shared, b: Shared) -> Bool { a === b || a.value == b.value }

  package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// The addresses from which a beacon with the written identity proves a device. The names are frozen.
package enum ProofAddress: String, Hashable, Sendable, Codable, CaseIterable {
  /// Only the address that was written.
  case own = "own_address"
  /// That address, or another one that was not received before the save: this firmware changes its address.
  case any = "any_address"
}

extension Building {
  /// This building with each reference replaced by the secret that `resolve` returns for it, if any.
  package func resolvingSecrets(_ resolve: (SecretReference) -> Secret?) -> Building {
    var building = self
    for index in building.rooms.indices {
      for part in [\Room.settings, \Room.access] {
        for (name, value) in building.rooms[index][keyPath: part] {
          guard case .secret(let secret) = value, let reference = secret.reference,
            let resolved = resolve(reference)
          else { continue }
          building.rooms[index][keyPath: part][name] = .secret(resolved)
          building.rooms[index].origins[name] = reference.source
        }
      }
    }
    return building
  }
}
