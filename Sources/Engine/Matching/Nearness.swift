package import Bluetooth
package import Model

/// The adapters that rooms are near. Those of one reference, as of a host, stand in one place.
package struct NearbyAdapters: Hashable, Sendable {
  /// The places by their reference in the manifest. The reference to one adapter is resolved once and stays the same, even
  /// if the host renames it.
  private var byReference: [AdapterReference: AdapterID] = [:]
  /// The place of each adapter: the first one that was present there.
  private(set) var places: [AdapterID: AdapterID] = [:]

  package init() {}

  /// Notes an adapter that is present, if a room refers to it.
  package mutating func take(_ adapter: Adapter, namedBy rooms: [Room]) {
    let references = rooms.compactMap(\.near).filter {
      $0.names(adapter) && (byReference[$0] == nil || $0.text == adapter.id.host?.text)
    }
    guard !references.isEmpty else { return }
    // One room may refer to the host and another to its adapter: that is one place, since the host's reference names each.
    let place = references.compactMap { byReference[$0] }.first ?? places[adapter.id] ?? adapter.id
    for reference in references { byReference[reference] = place }
    places[adapter.id] = place
  }

  /// The place of a reference; nil while none of its adapters was ever present.
  subscript(reference: AdapterReference) -> AdapterID? { byReference[reference] }
}

/// Matches rooms and devices by nearness: each must be the other's clear best, for a while.
///
/// A room is near an adapter that stands in it. Its device is the one that this adapter receives strongest,
/// if that is above the floor, clearly stronger than any other free device, and if no other room's adapter
/// receives the device nearly as strongly. Anything less is not matched.
struct Nearness {
  /// Limits, each with its reason.
  enum Limits {
    /// The least RSSI of a device in the room, in dBm: that is a distance of 3 m in the open, by the usual
    /// law (−59 dBm at 1 m, exponent 2.2: docs/internals/radio-model.md).
    static let floor = -70.0
    /// The least distance to the second strongest, in dB. One report fades by 2 dB (docs/internals/radio-model.md),
    /// the difference of two by 2.8 dB: this is three times that, also if a chip reports each sensor only now and
    /// then.
    static let margin = 9.0
    /// The least age of the first sighting: a device that a person carries past the adapter does not count.
    static let settling = Duration.seconds(4)
    /// The least number of reports.
    static let reports = 3
    /// The most candidates that a failure reports.
    static let listed = 5
  }

  private let now: MonotonicInstant
  /// The devices by place, the strongest first.
  private var received: [AdapterID: [Candidate]] = [:]
  /// The places by device, the strongest first.
  private var strengths: [BluetoothAddress: [Candidate]] = [:]

  private struct Candidate {
    var address: BluetoothAddress
    var adapter: AdapterID
    var place: AdapterID
    var strength: Double
    var isSettled: Bool
  }

  /// The nearness of devices that are free for rooms of one family.
  /// - Parameter places: the place of each adapter that stands in a room.
  init(of devices: [AirLedger.Sighting], at places: [AdapterID: AdapterID], now: MonotonicInstant) {
    self.now = now
    for device in devices {
      var strongest: [AdapterID: Candidate] = [:]
      for (adapter, reception) in device.receptions {
        guard let place = places[adapter], reception.isFresh(at: now), let strength = reception.strength()
        else { continue }
        let isSettled =
          reception.since.duration(to: now) >= Limits.settling
          && reception.strength(reports: Limits.reports) != nil
        let candidate = Candidate(
          address: device.address, adapter: adapter, place: place, strength: strength, isSettled: isSettled)
        if let other = strongest[place], (other.strength, adapter) > (strength, other.adapter) { continue }
        strongest[place] = candidate
      }
      for (place, candidate) in strongest {
        received[place, default: []].append(candidate)
        strengths[device.address, default: []].append(candidate)
      }
    }
    // Equal strengths are ordered by address, so that the order is deterministic.
    for place in received.keys {
      received[place]?.sort { ($1.strength, $0.address) < ($0.strength, $1.address) }
    }
    for address in strengths.keys {
      strengths[address]?.sort { ($1.strength, $0.adapter) < ($0.strength, $1.adapter) }
    }
  }

  /// The device of a room that is near this place, if no other room is.
  /// - Parameter name: the reference to its adapters in the manifest.
  func device(near place: AdapterID, called name: AdapterReference) -> Match {
    let candidates = received[place] ?? []
    let near = name.text
    guard let best = candidates.first else { return .stopped(.pending, .noCandidate(near: near)) }
    func listed(_ candidates: [Candidate]) -> [ReceivedCandidate] {
      candidates.prefix(Limits.listed).map {
        ReceivedCandidate(address: $0.address, adapter: $0.adapter, rssi: Int($0.strength.rounded()))
      }
    }
    guard best.strength >= Limits.floor else {
      return .stopped(.pending, .notNear(near: near, listed([best])))
    }
    let rivals = candidates.filter { $0.strength > best.strength - Limits.margin }
    guard rivals.count == 1 else {
      return .stopped(.ambiguous, .notClearlyNearest(near: near, listed(rivals)))
    }
    let places = strengths[best.address] ?? []
    let other = places.first { $0.place != place && $0.strength > best.strength - Limits.margin }
    if let other { return .stopped(.ambiguous, .notClearlyNearest(near: near, listed([best, other]))) }
    guard best.isSettled else { return .stopped(.pending, .receivedTooBriefly(near: near, listed([best]))) }
    return .device(best.address, .nearest)
  }

  /// Devices that may stand in a room with an adapter: no other room gets one of them.
  var inRooms: Set<BluetoothAddress> {
    Set(strengths.filter { $1.contains { $0.strength >= Limits.floor } }.keys)
  }
}

/// Matches the rooms that are near adapters and have no device yet.
/// - Parameters:
///   - rooms: rooms of one family.
///   - shared: the adapters that several rooms are near.
func nearest(
  _ rooms: [Room], _ nearness: Nearness, _ nearby: NearbyAdapters, shared: Set<AdapterID>
) -> [RoomID: Match] {
  var matches: [RoomID: Match] = [:]
  for room in rooms {
    guard let name = room.near else { continue }
    matches[room.id] =
      if let adapter = nearby[name] {
        if shared.contains(adapter) {
          .stopped(.ambiguous, .adapterShared(near: name.text))
        } else {
          nearness.device(near: adapter, called: name)
        }
      } else {
        .stopped(.pending, .adapterMissing(near: name.text))
      }
  }
  return matches
}

/// The device that is clearly nearest to an adapter: received strongly enough, clearly stronger than any
/// other of these devices, and for long enough. Nil when no device is.
package func clearlyNearest(
  of devices: [AirLedger.Sighting], to adapter: AdapterID, now: MonotonicInstant
) -> BluetoothAddress? {
  let nearness = Nearness(of: devices, at: [adapter: adapter], now: now)
  guard case .device(let address, _) = nearness.device(near: adapter, called: AdapterReference("\(adapter)"))
  else { return nil }
  return address
}
