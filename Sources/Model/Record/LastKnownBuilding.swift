package import Bluetooth
package import FoundationEssentials

/// The state of a building by the record before a run: the fold over all its runs, as far as decisions need
/// it. (`Journal/BuildingRecord` makes it.)
package struct LastKnownBuilding: Hashable, Sendable {
  /// The rooms, including those that the manifest no longer has.
  package var rooms: [RoomID: LastKnownRoom]
  /// The devices that were taken out of service.
  package var retired: [BluetoothAddress: Retirement]
  /// The device families, as the last run with each described it.
  package var families: [FamilyID: RecordedFamily] = [:]
  /// The highest security that a session with each device had.
  package var securities: [BluetoothAddress: Int] = [:]
  /// The links that each controller last held or refused to exceed, where that was measured.
  package var linksHeld: [AdapterID: Int] = [:]
  /// The temporary ones are those that a run could not remove.
  package var bonds = Bonds()

  /// What each device may hold, for each identity that it was written or received with. A device may leave
  /// provisioning mode with any of them.
  package var holdings: [BluetoothAddress: [Holding]] = [:]
  /// Whether a run left sightings out of its record: then any device may have had any identity.
  package var lacksSightings = false

  /// The state of a building without any record by default.
  package init(rooms: [RoomID: LastKnownRoom] = [:], retired: [BluetoothAddress: Retirement] = [:]) {
    (self.rooms, self.retired) = (rooms, retired)
  }

  /// What the device may hold if it sends this identity. Its other parts may be the firmware's, and differ from
  /// those that were expected when it was written.
  package func holdings(of address: BluetoothAddress, as identity: DeviceIdentity) -> [Holding] {
    (holdings[address] ?? []).filter { $0.identity.distinction == identity.distinction }
  }

  /// Whether devices of a family accept other settings without an operator action. A family that no run
  /// described is assumed not to: then nothing on record is overwritten.
  package func isRewritable(_ family: FamilyID) -> Bool { families[family]?.isRewritable ?? false }

  /// The rooms that have each device on record, by id; several only after a merge of records.
  package var owners: [BluetoothAddress: [RoomID]] {
    var owners: [BluetoothAddress: [RoomID]] = [:]
    for (id, room) in rooms {
      for binding in room.bindings { owners[binding.address, default: []].append(id) }
    }
    return owners.mapValues { $0.sorted() }
  }

  /// The same for one device.
  package func owners(of address: BluetoothAddress) -> [RoomID] {
    rooms.lazy.filter { $0.value.bindings.contains { $0.address == address } }.map(\.key).sorted()
  }

  /// The earlier ids of rooms that a manifest has under new ones: the device is on record for a room that it does not have.
  package func earlierIDs(of manifest: [PlannedRoom]) -> [RoomID: RoomID] {
    let ids = Set(manifest.map(\.room))
    let owners = owners
    var earlier: [RoomID: RoomID] = [:]
    for room in manifest where rooms[room.room]?.bindings.isEmpty ?? true {
      earlier[room.room] = room.address.flatMap { owners[$0]?.first { !ids.contains($0) } }
    }
    return earlier
  }

  /// The devices that no other room may get: those with a room, and those out of service.
  package var claimed: Set<BluetoothAddress> {
    Set(rooms.values.flatMap { $0.bindings.map(\.address) }).union(retired.keys)
  }
}

/// The state of a room by the record.
package struct LastKnownRoom: Hashable, Sendable {
  package var name: String
  /// The last recorded device family.
  package var profile: FamilyID
  /// The bindings that were not released: one, or several after a merge of records.
  package var bindings: [Binding] = []
  /// The last write to its device, if it may still apply.
  package var lastWrite: LastWrite?
  /// What the newest manifest on record wants of it; nil if no run had it.
  package var wanted: WantedRoom?
  /// The outcome of the last run that worked on it; nil if that ended before an outcome.
  package var last: RoomFinished?
  /// The last run that worked on it.
  package var lastRun: String?
  /// The release of its last device; nil while it has one, and before its first one.
  package var release: Release?
  /// The devices that it had before, oldest first.
  package var earlierDevices: [BluetoothAddress] = []
  /// All acceptances of the room, in order. Several may be valid.
  package var acceptances: [Acceptance] = []
  /// The finding of the last verification.
  package var verification: RecordedVerification?
  /// The search that did not find its device as recorded; nil once the device was received again.
  package var absence: Absence?
  /// The retirement; nil while the room is in service.
  package var retirement: RoomRetirement?
  /// Runs that wrote the room's device, or decided about the room, without knowledge of each other, by id: which
  /// of them came last is unknown. Empty once a run that knows them all has written or decided.
  package var unordered: [String] = []

  package init(name: String, profile: FamilyID) {
    (self.name, self.profile) = (name, profile)
  }

  /// Its binding, if it has exactly one.
  package var binding: Binding? { bindings.count == 1 ? bindings[0] : nil }

  /// The newest valid acceptance.
  package var acceptance: Acceptance? { acceptances.last { $0.ended == nil } }

  /// Ends all valid acceptances.
  package mutating func endAcceptances(_ ended: RecordedAt) { endAcceptances(ended) { _ in true } }

  /// Ends the valid acceptances that were about the room with another device.
  package mutating func endAcceptances(ofOtherThan device: BluetoothAddress, _ ended: RecordedAt) {
    endAcceptances(ended) { !$0.covers(device) }
    for index in acceptances.indices where acceptances[index].subject == .unknown {
      acceptances[index].subject = .device(device)
    }
  }

  private mutating func endAcceptances(_ ended: RecordedAt, where isEnded: (Acceptance) -> Bool) {
    for index in acceptances.indices where acceptances[index].ended == nil && isEnded(acceptances[index]) {
      acceptances[index].ended = ended
    }
  }
}

/// A search in which a room's device was not found as recorded.
package struct Absence: Hashable, Sendable {
  /// The finding of the last such search.
  package var finding: RoomVerified.Finding
  /// The first such search since the device was last received.
  package var since: RecordedAt
  /// The last such search.
  package var last: RecordedAt
  /// What the device sent instead; nil unless it sent another identity.
  package var held: DeviceIdentity?

  package init(
    finding: RoomVerified.Finding, since: RecordedAt, last: RecordedAt, held: DeviceIdentity? = nil
  ) {
    (self.finding, self.since, self.last, self.held) = (finding, since, last, held)
  }

  /// Whether the device was not received at all.
  package var isMissing: Bool { finding == .missing || finding == .otherDevice }
}

/// Settings that a device may hold: those of a write, or, if it was only received with its identity, unknown ones.
package struct Holding: Hashable, Sendable {
  package var identity: DeviceIdentity
  /// The write; nil for unknown settings.
  package var write: LastWrite?

  package init(identity: DeviceIdentity, write: LastWrite? = nil) {
    (self.identity, self.write) = (identity, write)
  }
}

/// The recorded assignment of a device to a room.
package struct Binding: Hashable, Sendable {
  package var address: BluetoothAddress
  package var basis: BindingBasis
  package var run: String
  package var at: Date

  package init(address: BluetoothAddress, basis: BindingBasis, run: String, at: Date) {
    (self.address, self.basis, self.run, self.at) = (address, basis, run, at)
  }
}

/// The last write to a device for a room, if it may still apply.
package struct LastWrite: Hashable, Sendable {
  /// Whether the write is proved.
  package enum State: Hashable, Sendable {
    /// The save was submitted, and the device did not acknowledge it.
    case submitted
    /// The device acknowledged the save, and was not received since.
    case acknowledged
    /// The device has these settings, by this evidence.
    case proved(Evidence)
  }

  package var address: BluetoothAddress
  package var state: State
  /// Whether the device accepted the whole command: that it is configured then shows these settings, in a family
  /// without an identity.
  package var isAccepted = false
  package var settings: [SettingResult]
  /// The identity that the device sends with them; nil for a family without one.
  package var identity: DeviceIdentity?
  package var sealKey: String?
  package var run: String
  package var at: Date
  /// When the device was last received as in the evidence; nil without a proof.
  package var seen: RecordedAt?
  /// The adapter of its last proof, as far as is known.
  package var provedBy: AdapterID?
  /// The place in the record of the present state of each setting.
  package var settingsRecorded: [SettingName: RecordedAt] = [:]

  package init(
    address: BluetoothAddress, state: State, settings: [SettingResult], identity: DeviceIdentity?,
    sealKey: String?, run: String, at: Date
  ) {
    (self.address, self.state, self.settings, self.identity) = (address, state, settings, identity)
    (self.sealKey, self.run, self.at) = (sealKey, run, at)
  }

  /// Whether another write to the device had the same settings.
  package func gaveTheSame(as other: LastWrite) -> Bool {
    func content(_ write: LastWrite) -> [[String?]] {
      write.settings.map { [$0.name.rawValue, $0.value, $0.fingerprint, write.sealKey] }
    }
    return address == other.address && content(self) == content(other)
  }

  /// Whether the device got all of it, by its own word.
  package var isTaken: Bool { state == .acknowledged || state == .submitted && isAccepted }

  /// Whether its result is unknown: the device was not received or read since.
  package var isUnproved: Bool { if case .proved = state { false } else { true } }

  /// The values of these settings, without secrets.
  package func values(_ family: DeviceFamily) -> [SettingName: SettingValue] {
    var values: [SettingName: SettingValue] = [:]
    for description in family.settings where !description.isSecret {
      let text = settings[description.name]?.value
      values[description.name] = text.flatMap { description.value($0) }
    }
    return values
  }

  /// Takes back what its beacon showed: the device's acknowledgement is left, if there was one.
  package mutating func withdrawProof() {
    guard case .proved = state else { return }
    let isAcknowledged = settings.contains { $0.state == .acknowledged }
    state = isAcknowledged ? .acknowledged : .submitted
    seen = nil
    for index in settings.indices where settings[index].state == .proved {
      settings[index].state = isAcknowledged ? .acknowledged : .written
    }
  }

  /// Merges newer results.
  package mutating func take(_ results: [SettingResult], recorded: RecordedAt) {
    for result in results {
      settingsRecorded[result.name] = recorded
      if let index = settings.firstIndex(where: { $0.name == result.name }) {
        settings[index] = result
      } else {
        settings.append(result)
      }
    }
  }

  /// The proof; nil without one.
  /// - Parameter anyAddress: Whether the manifest says that the device changes its address: otherwise a beacon from another
  ///   address proves nothing, even if an earlier manifest said so.
  package func proof(fromAnyAddress anyAddress: Bool) -> Evidence? {
    guard case .proved(let evidence) = state else { return nil }
    return anyAddress || evidence.address == address ? evidence : nil
  }

  /// The address that the device sends from: the address that was written, unless the proof came from another
  /// one.
  package var receivedAt: BluetoothAddress {
    if case .proved(let evidence) = state { evidence.address } else { address }
  }
}

/// The end of a room's binding.
package struct Release: Hashable, Sendable {
  package var address: BluetoothAddress
  package var cause: BindingReleased.Cause
  /// The device that the operator named in its place.
  package var successor: BluetoothAddress?
  package var recorded: RecordedAt

  package init(_ fact: BindingReleased, _ recorded: RecordedAt) {
    (address, cause, successor) = (fact.address, fact.cause, fact.successor)
    self.recorded = recorded
  }
}

/// A device that was taken out of service.
package struct Retirement: Hashable, Sendable {
  package var room: RoomID
  /// The reason that the operator gave.
  package var reason: String?
  package var at: Date

  package init(room: RoomID, reason: String?, at: Date) {
    (self.room, self.reason, self.at) = (room, reason, at)
  }
}

extension LastKnownRoom {
  /// The adapter that last proved the room, unless it is among these and scanned to the end. Out of range of the others, its
  /// device may be on air.
  package func prover(besides scans: [AdapterScan]) -> AdapterID? {
    prover(besides: Set(scans.filter(\.isComplete).map(\.adapter)))
  }

  /// The same for adapters that searched.
  package func prover(besides adapters: Set<AdapterID>) -> AdapterID? {
    lastWrite?.provedBy.flatMap { adapters.contains($0) ? nil : $0 }
  }
}
