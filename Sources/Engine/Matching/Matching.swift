public import Bluetooth
import Families
public import Model
import Session

/// What matching found for a room.
public enum Match: Hashable, Sendable {
  /// This device is the room's, and is to be written.
  case device(BluetoothAddress, BindingBasis)
  /// The room's device is at work already, as wanted. The settings are as far as the record knows.
  case done(Evidence, [SettingResult])
  /// The room's device was configured elsewhere, and is to be heard.
  case awaited
  /// Nothing can be written for this room, and why.
  case stopped(Outcome, FailureReason)
}

/// What a decision rests on besides the air: what the record says and what a person allowed.
public struct Known: Sendable {
  /// What earlier runs did.
  public var standing: BuildingStanding
  /// What a person allowed against the record.
  public var permissions: RecordPermissions
  /// Tells whether secrets are the same as then.
  public var seal: SecretSeal?
  /// The devices that the record has at work, by what they are heard with.
  private let atWork: [Proof: [BluetoothAddress]]

  /// What is known; nothing unless given.
  public init(
    standing: BuildingStanding = .init(), permissions: RecordPermissions = .init(), seal: SecretSeal? = nil
  ) {
    self.standing = standing
    self.permissions = permissions
    self.seal = seal
    var atWork: [Proof: [BluetoothAddress]] = [:]
    for (_, room) in standing.rooms.sorted(by: { $0.key < $1.key }) {
      guard let deed = room.deed, let profile = DeviceProfiles[room.profile], let proof = deed.proof(profile),
        case .beacon = proof
      else { continue }
      atWork[proof, default: []].append(deed.heardAt)
    }
    self.atWork = atWork
  }
}

/// Which device belongs to which room: a pure function of the rooms that are to be done, of the whole building
/// they are in, of what the record knows and of what was heard.
///
/// An address in the manifest decides; else what an earlier run joined. A room without either takes any
/// unclaimed device that waits to be provisioned only where the manifest allows it, and only while no more devices
/// are heard than rooms are left for them; these matches still want a person's yes. A family whose devices do not tell
/// on air whether they are provisioned is never matched so. In no case does a room get a minor that is on air from
/// another address.
/// - Parameters:
///   - nearby: the adapters that rooms are near.
///   - taken: devices that this run has given to rooms already.
///   - now: the instant it is, on the clock of what was heard.
public func match(
  _ rooms: [Room], of building: Building, with air: AirLedger, _ known: Known = Known(),
  nearby: NearbyAdapters = NearbyAdapters(), taken: Set<BluetoothAddress> = [],
  now: MonotonicInstant = MonotonicInstant(sinceZero: .zero)
) -> [RoomID: Match] {
  var matches: [RoomID: Match] = [:]
  var claimed = known.standing.claimed.union(building.rooms.compactMap(\.address)).union(taken)
  var near: [ProfileID: [Room]] = [:]
  var left: [ProfileID: [Room]] = [:]

  for room in rooms {
    let device = known.device(of: room)
    if room.isRegistered {
      matches[room.id] = registration(of: room, air, known)
    } else if let obstacle = obstacle(to: room, at: device?.address, air, known) {
      matches[room.id] = obstacle
    } else if let device {
      matches[room.id] =
        known.doneByRecord(room, at: device.address, air) ?? .device(device.address, device.basis)
    } else if room.near != nil {
      near[room.profile, default: []].append(room)
    } else if building.assignment == .any {
      left[room.profile, default: []].append(room)
    } else {
      let isAwaited = building.assignment == .later && room.address == nil
      matches[room.id] = .stopped(.pending, isAwaited ? .addressMissing : .noCandidate())
    }
  }

  let crowded = crowded(near.values.flatMap(\.self), nearby)
  for (profile, rooms) in near.sorted(by: { $0.key < $1.key }) {
    let free = air.free(for: profile).filter { !claimed.contains($0.address) }
    let nearness = Nearness(of: free, at: nearby.all, now: now)
    matches.merge(nearest(rooms, nearness, nearby, crowded: crowded)) { $1 }
    claimed.formUnion(nearness.inRooms)
  }

  for (profile, rooms) in left.sorted(by: { $0.key < $1.key }) {
    guard DeviceProfiles[profile]?.hasIdentity != false else {
      let heard = air.free(for: profile).map(\.address).filter { !claimed.contains($0) }
      let reason = FailureReason.addressNeeded(heard: heard)
      for room in rooms { matches[room.id] = .stopped(heard.isEmpty ? .pending : .ambiguous, reason) }
      continue
    }
    let candidates = air.waiting(for: profile).map(\.address).filter { !claimed.contains($0) }
    claimed.formUnion(candidates)
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

/// How many rooms are near each adapter.
private func crowded(_ rooms: [Room], _ nearby: NearbyAdapters) -> [AdapterID: Int] {
  var counts: [AdapterID: Int] = [:]
  for room in rooms {
    if let adapter = room.near.flatMap({ nearby[$0] }) { counts[adapter, default: 0] += 1 }
  }
  return counts
}

/// How a room stands whose device was configured elsewhere: its identity must be on air, from one device alone, and
/// from the right one where that is known. The record proves nothing here.
func registration(of room: Room, _ air: AirLedger, _ known: Known) -> Match {
  let proof = proof(of: room)
  let heard = air.devices(proving: proof)
  let own = known.device(of: room)?.address
  let others = heard.map(\.address).filter { $0 != own }
  if own != nil, let minor = proof.minor, !others.isEmpty {
    return .stopped(.needsHands, .minorOnAir(MinorHolders(minor, others)))
  }
  if others.count > 1 {
    return .stopped(.ambiguous, .tooManyCandidates(others, minor: proof.minor))
  }
  if let sighting = heard.first, let beacon = sighting.beacon {
    return .done(Evidence(onAir: beacon, sighting), room.results(hearing: nil, known))
  }
  if let own, let beacon = air[own]?.beaconAtWork {
    return .stopped(
      .needsHands, .configuredOtherwise(minor: beacon.minor, held: beacon.identity.shown))
  }
  return .awaited
}

/// Why nothing may be written for a room to the device at `address`, by what is on air now and by the record;
/// nil when it may. Asked again before each attempt: much can happen while a device waits for its turn.
/// - Parameter wasTouched: whether this run began to change the device: then what it holds is ours to mend.
func obstacle(
  to room: Room, at address: BluetoothAddress?, wasTouched: Bool = false, _ air: AirLedger, _ known: Known
) -> Match? {
  let proof = proof(of: room)
  let deed = address.flatMap { known.deed(for: room, at: $0) }
  let ours = Set([address, deed?.heardAt].compactMap(\.self))
  let others = air.devices(proving: proof).map(\.address).filter { !ours.contains($0) }
  if let minor = proof.minor, !others.isEmpty {
    return .stopped(.needsHands, .minorOnAir(MinorHolders(minor, others)))
  }
  let holders = known.holders(of: proof, besides: room, ours, air)
  if let minor = proof.minor, !holders.isEmpty {
    return .stopped(.needsHands, .minorOnRecord(MinorHolders(minor, holders)))
  }
  // One that is heard waiting is not at work, whatever was heard from the address that it had before.
  guard let address, air[address]?.isWaiting != true,
    let sighting = [address, deed?.heardAt].compactMap(\.self).lazy.compactMap({ air[$0] })
      .first(where: { $0.beaconAtWork != nil }),
    let beacon = sighting.beaconAtWork
  else { return nil }
  let isRewritable = profile(of: room).isRewritable
  if proof.isMet(by: beacon) {
    guard let deed else {
      // What it holds besides is not known; where it can be read, it is.
      return isRewritable
        ? nil : .done(Evidence(onAir: beacon, sighting), room.results(hearing: nil, known))
    }
    if deed.gave(what: room, known.seal), !known.permissions.force.contains(room.id),
      !isRewritable || deed.state != .submitted
    {
      return .done(Evidence(onAir: beacon, sighting), room.results(hearing: deed, known))
    }
    return isRewritable ? nil : .stopped(.needsHands, .settingsChanged(minor: beacon.minor))
  }
  let isRecorded = deed?.proof(profile(of: room))?.isMet(by: beacon) == true
  if isRewritable {
    let isBegun = wasTouched || deed?.state == .submitted
    let mayGo = isRecorded || isBegun || known.permissions.overwrite.contains(room.id)
    return mayGo
      ? nil
      : .stopped(
        .needsHands, .foreignSettings(held: beacon.identity.shown, .beacon(minor: beacon.minor)))
  }
  // Where it is not the minor that is wrong, the minor does not tell what is.
  let held = beacon.minor == proof.minor ? beacon.identity.shown : nil
  return .stopped(
    .needsHands,
    isRecorded
      ? .settingsChanged(minor: beacon.minor) : .configuredOtherwise(minor: beacon.minor, held: held))
}

/// The family of a room's device.
func profile(of room: Room) -> any DeviceProfile {
  guard let profile = DeviceProfiles[room.profile] else {
    preconditionFailure("a checked room has a profile that does not exist: \(room.profile)")
  }
  return profile
}

/// What proves the device of a room.
func proof(of room: Room) -> Proof {
  profile(of: room).proof(of: room.settings)
}

extension Known {
  /// The device of a room by the manifest or the record.
  public func device(of room: Room) -> (address: BluetoothAddress, basis: BindingBasis)? {
    if let address = room.address { return (address, .address) }
    return standing.rooms[room.id]?.binding.map { ($0.address, .record) }
  }

  /// What was last done for the room to this very device. Unless the manifest says that the device changes its address,
  /// a beacon from another address proves nothing, whatever an earlier manifest said.
  func deed(for room: Room, at address: BluetoothAddress) -> Deed? {
    guard var deed = standing.rooms[room.id]?.deed, deed.address == address else { return nil }
    if room.proofAddress == .own, deed.heardAt != address { deed.state = .submitted }
    return deed
  }

  /// What the record alone says of a room whose device is not heard at work: done, or in need of hands. Nil when
  /// its device is to be dialled: nothing is proved on record, or it waits to be provisioned again, or it can be
  /// given other settings as it is.
  func doneByRecord(_ room: Room, at address: BluetoothAddress, _ air: AirLedger) -> Match? {
    guard let deed = deed(for: room, at: address), case .proved(var evidence) = deed.state,
      air[address]?.isWaiting != true, !permissions.force.contains(room.id)
    else { return nil }
    guard deed.gave(what: room, seal) else {
      return profile(of: room).isRewritable
        ? nil : .stopped(.needsHands, .settingsChanged(minor: deed.minor))
    }
    // Its firmware is expected to send another beacon than the one by which it was proved: that must be heard.
    guard deed.isProved(as: room) else { return nil }
    evidence.run = deed.seen?.run ?? evidence.run ?? deed.run
    evidence.seenAt = deed.seen?.at
    return .done(evidence, room.settingResults(seal, deed.state(of:)))
  }

  /// Other devices that the record has at work with this identity, and that were not heard otherwise.
  fileprivate func holders(
    of proof: Proof, besides room: Room, _ ours: Set<BluetoothAddress>, _ air: AirLedger
  ) -> [BluetoothAddress] {
    // Where the manifest contradicts the record about this room's own device is told before the run.
    let recorded = standing.rooms[room.id]?.deed?.heardAt
    return (atWork[proof] ?? []).filter { !ours.contains($0) && $0 != recorded && air[$0] == nil }.sorted()
  }
}

extension Room {
  /// How far its settings are when its device was heard at work as wanted, and `deed` was done to it.
  fileprivate func results(hearing deed: Deed?, _ known: Known) -> [SettingResult] {
    let heard = Set(Engine.profile(of: self).settings.filter(\.isOnAir).map(\.name))
    return settingResults(known.seal) { heard.contains($0) ? .proved : deed?.state(of: $0) ?? .notWritten }
  }
}

extension Evidence {
  /// A beacon that was on air before anything was written.
  fileprivate init(onAir beacon: IBeacon, _ sighting: AirLedger.Sighting) {
    self.init(grade: .beaconOnAir, address: sighting.address, minor: beacon.minor, rssi: sighting.rssi)
  }
}

extension BeaconIdentity {
  /// As people read it.
  var shown: String { "uuid \(uuid), major \(major), minor \(minor)" }
}

extension Deed {
  /// Whether the device was given what the room wants; what its firmware sends is another matter.
  func gave(what room: Room, _ seal: SecretSeal?) -> Bool {
    satisfies(room, seal, besides: profile(of: room).expectedSettings)
  }

  /// Whether what was heard of the device then is what is to be heard of the room's now.
  func isProved(as room: Room) -> Bool {
    let family = profile(of: room)
    return proof(family).map { $0 == family.proof(of: room.settings) } ?? true
  }

  fileprivate func state(of setting: SettingName) -> SettingState {
    settings.first { $0.name == setting }?.state ?? .notWritten
  }
}
