public import Bluetooth
public import Model

/// The adapters that rooms are near.
public struct NearbyAdapters: Hashable, Sendable {
  /// By what the manifest calls them; each is found once, and stays the same whatever the host calls it afterwards.
  private var byReference: [AdapterReference: AdapterID] = [:]

  /// None yet.
  public init() {}

  /// An adapter that is there: it may be one of those named.
  public mutating func take(_ adapter: Adapter, namedBy rooms: [Room]) {
    for reference in rooms.compactMap(\.near) where byReference[reference] == nil && reference.names(adapter)
    {
      byReference[reference] = adapter.id
    }
  }

  /// The adapter that is called so; nil while it was never there.
  subscript(reference: AdapterReference) -> AdapterID? { byReference[reference] }

  /// All of them.
  var all: Set<AdapterID> { Set(byReference.values) }
}

/// Joins rooms and devices by nearness: each must be the other's clear best, for a while.
///
/// A room is near an adapter that stands in it. Its device is the one that this adapter hears best, if it hears that
/// strongly, clearly better than any other that is free, and if no other room's adapter hears the device nearly as
/// well. Whatever is less than that is not guessed.
struct Nearness {
  /// Limits; each with its reason.
  enum Limits {
    /// A device in the room is heard at least this strongly, in dBm: that is 3 m off in the open, by the usual law
    /// (−59 dBm at 1 m, exponent 2.2: docs/bluez.md).
    static let floor = -70.0
    /// By so many dB it must be ahead of whoever is second. One report fades by 2 dB (docs/bluez.md), the difference of
    /// two by 2.8: this is three times that, also where a chip reports each sensor but once in a while.
    static let margin = 9.0
    /// How long ago it must have been heard first: somebody may be carrying it past.
    static let settling = Duration.seconds(4)
    /// How many reports there must be.
    static let reports = 3
    /// What was heard longer ago counts no more.
    static let freshness = RadioLimits.standard.freshness
    /// How many candidates are told at most.
    static let told = 5
  }

  private let now: MonotonicInstant
  private let adapters: Set<AdapterID>
  /// By adapter, the strongest first.
  private var heard: [AdapterID: [Candidate]] = [:]
  /// By device, at adapters that stand in rooms, the strongest first.
  private var strengths: [BluetoothAddress: [Candidate]] = [:]

  private struct Candidate {
    var address: BluetoothAddress
    var adapter: AdapterID
    var strength: Double
    var isSettled: Bool
  }

  /// What is heard of devices that are free for rooms of one family.
  /// - Parameter adapters: all that stand in rooms.
  init(
    of devices: [AirLedger.Sighting], at adapters: Set<AdapterID>, now: MonotonicInstant
  ) {
    self.now = now
    self.adapters = adapters
    for device in devices {
      for (adapter, hearing) in device.hearings where adapters.contains(adapter) {
        guard hearing.at.duration(to: now) <= Limits.freshness, let strength = hearing.strength() else {
          continue
        }
        let isSettled =
          hearing.since.duration(to: now) >= Limits.settling
          && hearing.strength(reports: Limits.reports) != nil
        let candidate = Candidate(
          address: device.address, adapter: adapter, strength: strength, isSettled: isSettled)
        heard[adapter, default: []].append(candidate)
        strengths[device.address, default: []].append(candidate)
      }
    }
    // Also by address: what was heard alike comes in an order that nothing else decides.
    for adapter in heard.keys {
      heard[adapter]?.sort { ($1.strength, $0.address) < ($0.strength, $1.address) }
    }
    for address in strengths.keys {
      strengths[address]?.sort { ($1.strength, $0.adapter) < ($0.strength, $1.adapter) }
    }
  }

  /// The device of a room that is near this adapter, and alone so.
  /// - Parameter name: what the manifest calls the adapter.
  func device(near adapter: AdapterID, called name: AdapterReference) -> Match {
    let candidates = heard[adapter] ?? []
    guard let best = candidates.first else {
      return .stopped(.pending, .noCandidate(near: name.text))
    }
    func told(_ candidates: [Candidate]) -> NearCandidates {
      NearCandidates(
        near: name.text,
        candidates.prefix(Limits.told).map {
          HeardCandidate(address: $0.address, adapter: $0.adapter, rssi: Int($0.strength.rounded()))
        })
    }
    guard best.strength >= Limits.floor else { return .stopped(.pending, .notNear(told([best]))) }
    let rivals = candidates.filter { $0.strength > best.strength - Limits.margin }
    guard rivals.count == 1 else { return .stopped(.ambiguous, .notClearlyNearest(told(rivals))) }
    let places = strengths[best.address] ?? []
    let other = places.first { $0.adapter != adapter && $0.strength > best.strength - Limits.margin }
    if let other { return .stopped(.ambiguous, .notClearlyNearest(told([best, other]))) }
    guard best.isSettled else { return .stopped(.pending, .heardTooBriefly(told([best]))) }
    return .device(best.address, .nearest)
  }

  /// Devices that may well stand in a room with an adapter: nobody else is given one of them.
  var inRooms: Set<BluetoothAddress> {
    Set(strengths.filter { $1.contains { $0.strength >= Limits.floor } }.keys)
  }
}

/// Joins the rooms that are near adapters and have no device yet.
/// - Parameters:
///   - rooms: those of one family.
///   - crowded: adapters that more rooms than one are near.
func nearest(
  _ rooms: [Room], _ nearness: Nearness, _ nearby: NearbyAdapters, crowded: [AdapterID: Int]
) -> [RoomID: Match] {
  var matches: [RoomID: Match] = [:]
  for room in rooms {
    guard let name = room.near else { continue }
    matches[room.id] =
      if let adapter = nearby[name] {
        if crowded[adapter, default: 0] > 1 {
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
