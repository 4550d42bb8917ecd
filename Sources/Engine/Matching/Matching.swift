package import Bluetooth
package import Model

package enum Match: Hashable, Sendable {
  /// This device is the room's and must be written.
  case device(BluetoothAddress, BindingBasis)
  /// The room's device is configured already. The settings have the state that the record knows.
  case done(Evidence, [SettingResult])
  /// The room's device was configured elsewhere and only has to be received.
  case awaited
  /// Nothing can be written for this room, for this reason.
  case stopped(Outcome, FailureReason)
}

/// The input of a decision besides the air: the record, and what the operator permitted.
package struct Known: Sendable {
  /// The state of the building after earlier runs.
  package let lastKnown: LastKnownBuilding
  /// The permissions of the operator against the record.
  package var permissions: RecordPermissions
  /// Shows whether a secret equals a recorded one.
  package var seal: SecretSeal?
  /// The addresses of configured devices by the record, by their identity.
  private let atWork: [DeviceIdentity: Set<BluetoothAddress>]
  /// The rooms that have each device on record.
  let owners: [BluetoothAddress: [RoomID]]

  package init(
    lastKnown: LastKnownBuilding = .init(), permissions: RecordPermissions = .init(), seal: SecretSeal? = nil
  ) {
    self.lastKnown = lastKnown
    self.permissions = permissions
    self.seal = seal
    var atWork: [DeviceIdentity: Set<BluetoothAddress>] = [:]
    for lastWrite in lastKnown.rooms.values.compactMap(\.lastWrite) {
      if let identity = lastWrite.identity { atWork[identity, default: []].insert(lastWrite.receivedAt) }
    }
    self.atWork = atWork
    owners = lastKnown.owners
  }
}

/// Which device belongs to which room: a pure function of the selected rooms, the whole building, the record
/// and the advertisements.
///
/// The address in the manifest decides; without one, the binding of an earlier run; without either, the name in the
/// manifest, if one device alone has it. A room without any of these
/// gets an unclaimed device in provisioning mode only if the manifest permits that (`match: any`), and only
/// while at most as many devices are received as rooms are left for them; these matches need the operator's
/// confirmation. A family whose devices do not show on air whether they are provisioned is never matched so.
/// No room gets an identity that another address advertises.
/// - Parameters:
///   - nearby: the adapters that rooms are near.
///   - taken: devices that this run has already given to rooms.
///   - now: the present instant, on the clock of the advertisements.
package func match(
  _ rooms: [Room], of building: Building, with air: AirLedger, _ known: Known = Known(),
  nearby: NearbyAdapters = NearbyAdapters(), taken: Set<BluetoothAddress> = [],
  now: MonotonicInstant = MonotonicInstant(sinceZero: .zero)
) -> [RoomID: Match] {
  var matches: [RoomID: Match] = [:]
  var claimed = known.lastKnown.claimed.union(building.rooms.compactMap(\.address)).union(taken)
  var near: [FamilyID: [Room]] = [:]
  var left: [FamilyID: [Room]] = [:]
  var named: [FamilyID: [String?: [AirLedger.Sighting]]] = [:]

  for room in rooms {
    let device = known.device(of: room)
    if room.isRegistered {
      matches[room.id] = registration(of: room, air, known)
    } else if let blocker = blocker(to: room, at: device?.address, air, known) {
      matches[room.id] = blocker
    } else if let device, air[device.address]?.isLocked == true {
      matches[room.id] = .stopped(.actionRequired, .authorizationRequired)
    } else if let done = device.flatMap({ known.doneByRecord(room, at: $0.address, air) }) {
      matches[room.id] = done
    } else if room.awaitsLabel {
      // Without the secrets on it no device of the room can be written, not even the one on record.
      matches[room.id] = .stopped(.pending, .addressMissing)
    } else if let device {
      matches[room.id] = .device(device.address, device.basis)
    } else if let name = room.deviceName {
      let profile = room.family.id
      named[profile] =
        named[profile] ?? Dictionary(grouping: air.nameable(for: profile), by: \.nameInManifests)
      let candidates = (named[profile]?[room.labelAddress?.description ?? name] ?? []).map(\.address).filter {
        !claimed.contains($0)
      }
      matches[room.id] =
        switch candidates.count {
        case 0: .stopped(.pending, .noCandidate())
        case 1: .device(candidates[0], .name)
        default: .stopped(.ambiguous, .tooManyCandidates(candidates))
        }
      if candidates.count == 1 { claimed.insert(candidates[0]) }
    } else if room.near != nil {
      near[room.family.id, default: []].append(room)
    } else if building.assignment == .any {
      left[room.family.id, default: []].append(room)
    } else {
      let isAwaited = building.assignment == .later
      matches[room.id] = .stopped(.pending, isAwaited ? .addressMissing : .noCandidate())
    }
  }

  let shared = shared(near.values.flatMap(\.self), nearby)
  for (profile, rooms) in near.sorted(by: { $0.key < $1.key }) {
    let free = air.free(for: profile).filter { !claimed.contains($0.address) }
    let nearness = Nearness(of: free, at: nearby.places, now: now)
    matches.merge(nearest(rooms, nearness, nearby, shared: shared)) { $1 }
    claimed.formUnion(nearness.inRooms)
  }

  for (profile, rooms) in left.sorted(by: { $0.key < $1.key }) {
    guard rooms[0].family.hasIdentity else {
      let received = air.free(for: profile).map(\.address).filter { !claimed.contains($0) }
      let reason = FailureReason.addressNeeded(received: received)
      for room in rooms { matches[room.id] = .stopped(received.isEmpty ? .pending : .ambiguous, reason) }
      continue
    }
    let candidates = air.waiting(for: profile).map(\.address).filter { !claimed.contains($0) }
    for (index, room) in rooms.enumerated() {
      matches[room.id] =
        if candidates.count > rooms.count {
          .stopped(.ambiguous, .tooManyCandidates(candidates))
        } else if index < candidates.count {
          .device(candidates[index], .any)
        } else {
          .stopped(.pending, .noCandidate())
        }
    }
  }
  return matches
}

/// The adapters that several rooms are near.
private func shared(_ rooms: [Room], _ nearby: NearbyAdapters) -> Set<AdapterID> {
  let adapters = rooms.compactMap { room in room.near.flatMap { nearby[$0] } }
  return Set(Dictionary(grouping: adapters, by: \.self).filter { $0.value.count > 1 }.keys)
}

/// The match of a room whose device was configured elsewhere: one device alone must send its identity, and
/// the right one if that is known. The record proves nothing here.
func registration(of room: Room, _ air: AirLedger, _ known: Known) -> Match {
  let received = air.devices(sending: room.identity)
  let own = known.device(of: room)?.address
  let others = received.map(\.address).filter { $0 != own }
  if own != nil, let identity = room.identity, !others.isEmpty {
    return .stopped(
      .actionRequired, .identityOnAir(identity, others, earlier: known.earlier(others, of: room)))
  }
  if others.count > 1 {
    return .stopped(.ambiguous, .tooManyCandidates(others, identity: room.identity))
  }
  if let contradiction = own.flatMap({ air[$0]?.contradiction }) ?? received.first?.contradiction {
    return .stopped(.ambiguous, .contradictorySightings(contradiction, nil))
  }
  if let sighting = received.first, let identity = sighting.identity {
    return .done(Evidence(onAir: identity, sighting), room.results(reception: nil, known))
  }
  if let own, let identity = air[own]?.identityAtWork {
    return .stopped(.actionRequired, .configuredOtherwise(identity))
  }
  return .awaited
}

/// Why nothing may be written for a room to the device at `address`, by the advertisements and the record;
/// nil when it may. Evaluated again before each attempt, because both may have changed.
/// - Parameter wasTouched: whether this run may have changed the device: then the run may correct what it
///   holds.
func blocker(
  to room: Room, at address: BluetoothAddress?, wasTouched: Bool = false, _ air: AirLedger, _ known: Known
) -> Match? {
  if let contradiction = address.flatMap({ air[$0]?.contradiction }) {
    return .stopped(.ambiguous, .contradictorySightings(contradiction, nil))
  }
  if let families = address.flatMap({ air[$0]?.rivals }), !families.isEmpty {
    return .stopped(.ambiguous, .ambiguousFamily(families))
  }
  if let address, let name = room.deviceName, !wasTouched, known.device(of: room) == nil {
    // Another device of this name was received after the match.
    let candidates = air.nameable(for: room.family.id).filter { $0.isNamed(name) }.map(\.address)
      .filter { !known.lastKnown.claimed.contains($0) }
    if candidates.contains(where: { $0 != address }) {
      return .stopped(.ambiguous, .tooManyCandidates(candidates))
    }
  }
  let lastWrite = address.flatMap { known.lastWrite(for: room, at: $0) }
  let ours = Set([address, lastWrite?.receivedAt].compactMap(\.self))
  let others = air.devices(sending: room.identity).map(\.address).filter { !ours.contains($0) }
  if let identity = room.identity, !others.isEmpty {
    return .stopped(
      .actionRequired, .identityOnAir(identity, others, earlier: known.earlier(others, of: room)))
  }
  let holders = known.holders(ofIdentityOf: room, ours, air)
  if let identity = room.identity, !holders.isEmpty {
    return .stopped(
      .actionRequired, .identityOnRecord(identity, holders, earlier: known.earlier(holders, of: room)))
  }
  if let address, let match = known.settledWithoutIdentity(room, at: address, wasTouched: wasTouched, air) {
    return match
  }
  // A device in provisioning mode is not configured, whatever its earlier address sent.
  guard let address, air[address]?.isWaiting != true,
    let sighting = [address, lastWrite?.receivedAt].compactMap(\.self).lazy.compactMap({ air[$0] })
      .first(where: { $0.identityAtWork != nil }),
    let identity = sighting.identityAtWork
  else { return nil }
  let isRewritable = room.family.lifecycle.isRewritable
  if identity == room.identity {
    // This run wrote it, so what is on record does not count any more: the next attempt reads what it holds.
    if isRewritable, wasTouched { return nil }
    if known.isUnordered(room) {
      // The beacon does not show which of the runs wrote the settings that are not on air.
      return isRewritable ? nil : .stopped(.actionRequired, .settingsChanged(identity))
    }
    guard let lastWrite = lastWrite ?? known.onlyWrite(for: room, at: address) else {
      // Its other settings are unknown; if they can be read, an attempt reads them.
      return isRewritable ? nil : .stopped(.actionRequired, .settingsUnknown(identity))
    }
    if known.gave(lastWrite, room), !known.permissions.force.contains(room.id),
      !isRewritable || lastWrite.state != .submitted
    {
      if lastWrite.state == .submitted, known.mayHoldOther(than: room, at: address) {
        return .stopped(.unconfirmed, .beaconAsBefore(identity, nil))
      }
      return .done(Evidence(onAir: identity, sighting), room.results(reception: lastWrite, known))
    }
    return isRewritable
      ? nil : .stopped(.actionRequired, .settingsChanged(identity, known.changes(lastWrite, room)))
  }
  let isRecorded = lastWrite?.identity == identity
  if isRewritable {
    let isBegun = wasTouched || lastWrite?.state == .submitted
    let mayGo = isRecorded || isBegun || known.permissions.overwrite.contains(room.id)
    return mayGo
      ? nil
      : .stopped(
        .actionRequired, .foreignSettings(held: identity.description, .onAir))
  }
  let changes = lastWrite.map { known.changes($0, room) } ?? []
  return .stopped(
    .actionRequired, isRecorded ? .settingsChanged(identity, changes) : .configuredOtherwise(identity))
}

extension Known {
  package func device(of room: Room) -> (address: BluetoothAddress, basis: BindingBasis)? {
    if let address = room.address { return (address, .address) }
    return lastKnown.rooms[room.id]?.binding.map { ($0.address, .record) }
  }

  /// Whether runs that did not know each other wrote the room's device, so that the last write is unknown.
  func isUnordered(_ room: Room) -> Bool { lastKnown.rooms[room.id]?.unordered.isEmpty == false }

  /// The last write for the room to this device. Unless the manifest permits the device to change its
  /// address, a beacon from another address proves nothing, even if an earlier manifest permitted it.
  func lastWrite(for room: Room, at address: BluetoothAddress) -> LastWrite? {
    guard var lastWrite = lastKnown.rooms[room.id]?.lastWrite, lastWrite.address == address else {
      return nil
    }
    if !lastWrite.isUnproved, lastWrite.proof(fromAnyAddress: room.proofAddress == .any) == nil {
      lastWrite.state = .submitted
    }
    return lastWrite
  }

  /// Where the room stands, by the record and the manifest.
  package func status(of room: Room) -> RoomStatus {
    lastKnown.status(of: room.id, manifest: room.wanted(sealedBy: seal))
  }

  /// What this run wants of a room: a secret that it cannot compare is as the last run that could compare it wanted it.
  private func wanted(_ room: Room) -> WantedRoom {
    let known = lastKnown.rooms[room.id]
    return room.wanted(sealedBy: seal).over(known?.wanted, known?.lastWrite)
  }

  /// Whether a write gave the device what the room wants, apart from settings that its firmware determines.
  fileprivate func gave(_ write: LastWrite?, _ room: Room) -> Bool {
    write.map { changes($0, room).isEmpty } ?? false
  }

  /// What the room wants of a device besides what this write gave it.
  fileprivate func changes(_ write: LastWrite, _ room: Room) -> [PlannedSetting] {
    wanted(room).changes(from: write).settings
  }

  /// The devices among these that a room had before.
  fileprivate func earlier(_ addresses: [BluetoothAddress], of room: Room) -> [BluetoothAddress] {
    let devices = lastKnown.rooms[room.id]?.earlierDevices ?? []
    return addresses.filter(devices.contains)
  }

  // MARK: What the device may hold

  /// What the device may hold if it advertises the room's identity.
  private func holdings(for room: Room, at address: BluetoothAddress) -> [Holding] {
    room.identity.map { lastKnown.holdings(of: address, as: $0) } ?? []
  }

  /// Whether the device may advertise the room's identity with other settings than the room's.
  func mayHoldOther(than room: Room, at address: BluetoothAddress) -> Bool {
    holdings(for: room, at: address).contains { !gave($0.write, room) }
  }

  /// The last of the writes on record, if every one that the device may hold with the room's identity gave it
  /// the room's settings.
  func onlyWrite(for room: Room, at address: BluetoothAddress) -> LastWrite? {
    mayHoldOther(than: room, at: address) ? nil : holdings(for: room, at: address).last?.write
  }

  /// Whether the device may have the room's identity before the run writes it, so that its beacon alone will
  /// not show what it kept: by the record, or by what this run received.
  func mayHaveHad(_ room: Room, at address: BluetoothAddress, _ air: AirLedger) -> Bool {
    guard let identity = room.identity, !room.family.lifecycle.isRewritable else { return false }
    if holdings(for: room, at: address).isEmpty {
      return lastKnown.lacksSightings || air.mayHaveSent(identity, from: address)
    }
    return permissions.force.contains(room.id) || mayHoldOther(than: room, at: address)
  }

  /// The match of a room whose device shows on air that it is configured, but not how; nil when the record or the
  /// operator permits more.
  fileprivate func settledWithoutIdentity(
    _ room: Room, at address: BluetoothAddress, wasTouched: Bool, _ air: AirLedger
  ) -> Match? {
    guard air[address]?.isAtWorkUnnamed == true, !room.family.lifecycle.isRewritable, !wasTouched,
      !mayOverwrite(room)
    else { return nil }
    let lastWrite = lastWrite(for: room, at: address)
    // `doneByRecord` decides.
    if case .proved? = lastWrite?.state, !isUnordered(room) { return nil }
    guard isTaken(lastWrite, by: room) else { return .stopped(.actionRequired, .settingsUnknown(nil)) }
    // The run that wrote it ended before the outcome.
    let evidence = Evidence(grade: .deviceStatus, address: address, run: lastWrite?.run)
    return .done(evidence, room.results(reception: lastWrite, self))
  }

  /// Whether a device got the settings of its room with its last write.
  func isTaken(_ lastWrite: LastWrite?, by room: Room) -> Bool {
    lastWrite?.isTaken == true && !isUnordered(room) && gave(lastWrite, room)
  }

  /// Whether the record proves that a device has all settings of its room. A secret that cannot be compared is not proved.
  func isProved(_ lastWrite: LastWrite?, of room: Room) -> Bool {
    guard let lastWrite, !lastWrite.isUnproved, !isUnordered(room) else { return false }
    let wanted = wanted(room)
    let isComparable = wanted.planned.settings.allSatisfy { setting in
      setting.value != nil || lastWrite.settings[setting.name]?.fingerprint != nil
    }
    return isComparable && wanted.uncompared(with: lastWrite) == nil && gave(lastWrite, room)
  }

  /// Whether the operator permits to write the device of a room whatever it holds. A device without an identity on air
  /// shows nothing that could be compared, so `force` permits it, too.
  func mayOverwrite(_ room: Room) -> Bool {
    permissions.overwrite.contains(room.id)
      || !room.family.hasIdentity && permissions.force.contains(room.id)
  }

  /// The match by the record alone, for a room whose device was not received as configured: done, or operator
  /// action required. Nil when the device must be connected to: the record has no proof, the device is in
  /// provisioning mode again, or it accepts new settings as it is.
  func doneByRecord(_ room: Room, at address: BluetoothAddress, _ air: AirLedger) -> Match? {
    guard let known = lastKnown.rooms[room.id], let lastWrite = lastWrite(for: room, at: address),
      air[address]?.isWaiting != true, !permissions.force.contains(room.id)
    else { return nil }
    switch RoomStatus(known, manifest: wanted(room)) {
    case .done(var evidence):
      evidence.run = lastWrite.seen?.run ?? evidence.run ?? lastWrite.run
      evidence.seenAt = lastWrite.seen?.at
      return .done(evidence, room.settingResults(seal, lastWrite.state(of:)))
    // The manifest may also expect another beacon of its firmware than the proof on record: that must be received.
    case .changed(let changes) where !changes.settings.isEmpty && !room.family.lifecycle.isRewritable:
      return .stopped(.actionRequired, .settingsChanged(lastWrite.identity, changes.settings))
    // A device that was missed before must be received now.
    default: return nil
    }
  }

  /// Other devices that the record has with a room's identity, unless they were received in this run.
  fileprivate func holders(
    ofIdentityOf room: Room, _ ours: Set<BluetoothAddress>, _ air: AirLedger
  ) -> [BluetoothAddress] {
    // Conflicts between the manifest and the record about this room's own device are reported before the run.
    let recorded = lastKnown.rooms[room.id]?.lastWrite?.receivedAt
    return (room.identity.flatMap { atWork[$0] } ?? []).filter {
      !ours.contains($0) && $0 != recorded && air[$0] == nil
    }.sorted()
  }
}

extension Room {
  /// The state of its settings when its device was received as configured and `lastWrite` was its last write.
  fileprivate func results(reception lastWrite: LastWrite?, _ known: Known) -> [SettingResult] {
    let received = Set(family.settings.filter(\.isOnAir).map(\.name))
    return settingResults(known.seal) {
      received.contains($0) ? .proved : lastWrite?.state(of: $0) ?? .notWritten
    }
  }
}

extension Evidence {
  /// The evidence of an identity that was on air before anything was written.
  fileprivate init(onAir identity: DeviceIdentity, _ sighting: AirLedger.Sighting) {
    self.init(grade: .beaconOnAir, address: sighting.address, identity: identity, rssi: sighting.rssi)
  }
}

extension LastWrite {
  fileprivate func state(of setting: SettingName) -> SettingState {
    settings[setting]?.state ?? .notWritten
  }
}
