public import Bluetooth

/// What matching found for a room.
public enum Match: Hashable, Sendable {
  /// This device is the room's.
  case device(BluetoothAddress, BindingBasis)
  /// The room's device is at work already, as wanted.
  case done(Evidence)
  /// Nothing can be written for this room, and why.
  case stopped(Outcome, FailureReason)
}

/// Which device belongs to which room: a pure function of the building and of what was heard.
///
/// An address in the manifest decides. A room without one takes any unclaimed device only where the manifest
/// allows it, and only while no more devices are heard than rooms are left for them; these matches still want
/// a person's yes. In no case does a room get a minor that is on air from another address.
public func match(_ building: Building, with air: AirLedger) -> [RoomID: Match] {
  var matches: [RoomID: Match] = [:]
  var claimed = Set(building.rooms.compactMap(\.address))
  var left: [ProfileID: [Room]] = [:]

  for room in building.rooms {
    if let obstacle = obstacle(to: room, at: room.address, air) {
      matches[room.id] = obstacle
    } else if let address = room.address {
      matches[room.id] = .device(address, .address)
    } else if building.assignment == .any {
      left[room.profile, default: []].append(room)
    } else {
      matches[room.id] = .stopped(.pending, FailureReason(.noCandidate))
    }
  }

  for (profile, rooms) in left.sorted(by: { $0.key < $1.key }) {
    let candidates = air.waiting(for: profile).map(\.address).filter { !claimed.contains($0) }
    claimed.formUnion(candidates)
    for (index, room) in rooms.enumerated() {
      matches[room.id] =
        if candidates.count > rooms.count {
          .stopped(.ambiguous, FailureReason(.tooManyCandidates, addresses: candidates))
        } else if index < candidates.count {
          .device(candidates[index], .any)
        } else {
          .stopped(.pending, FailureReason(.noCandidate))
        }
    }
  }
  return matches
}

/// Why nothing may be written for a room to the device at `address`, by what is on air now; nil when it may.
/// Asked again before each attempt: much can happen while a device waits for its turn.
func obstacle(to room: Room, at address: BluetoothAddress?, _ air: AirLedger) -> Match? {
  let proof = proof(of: room)
  let others = air.devices(proving: proof).map(\.address).filter { $0 != address }
  if !others.isEmpty {
    return .stopped(.needsHands, FailureReason(.minorOnAir, minor: proof.minor, addresses: others))
  }
  guard let address, let sighting = air[address],
    case .configured(let beacon) = sighting.life.recognition
  else { return nil }
  if proof.isMet(by: beacon) {
    return .done(
      Evidence(grade: .beaconOnAir, address: address, minor: beacon.minor, rssi: sighting.rssi))
  }
  return .stopped(.needsHands, FailureReason(.configuredOtherwise, minor: beacon.minor))
}

/// What proves the device of a room.
func proof(of room: Room) -> Proof {
  guard let profile = DeviceProfiles[room.profile] else {
    preconditionFailure("a checked room has a profile that does not exist: \(room.profile)")
  }
  return profile.proof(of: room.settings)
}
