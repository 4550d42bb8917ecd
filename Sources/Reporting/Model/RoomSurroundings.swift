import Bluetooth
import Model

/// The work of the adapters while a room was open, folded from the events of a run. It distinguishes a broken sensor, an adapter
/// that receives nothing, a distance that is too great, and a wrong address.
struct RoomSurroundings {
  /// The work of an adapter while the room was open.
  struct Scanner {
    let adapter: AdapterID
    /// Its scan windows; one in progress when the room gets its outcome ends there.
    let windows: [ScanWindow]
    /// Its scan time in seconds; windows whose end is not on record do not count.
    let seconds: Double
    /// The number of other devices that it received first.
    let received: Int
    let faults: [AdapterFault]
  }

  /// A room next to this one in the manifest, and whether its device was received.
  struct Neighbour {
    let room: RoomReport
    /// The last RSSI in dBm; nil if unknown.
    let rssi: Int?
    /// Whether its device was received.
    let isReceived: Bool
    /// Whether it has a device, by the manifest or the record of this run.
    var hasDevice: Bool { room.address != nil }
  }

  /// A device that belongs to no room.
  struct Stranger {
    let device: DeviceUnclaimed
    /// The similarity of its address to the room's; nil if there is none.
    let likeness: AddressLikeness?
  }

  let scanners: [Scanner]
  /// The number of other sensors received while the room was open.
  let others: Int
  /// Their RSSI at the first sighting of each, in dBm; nil if none has one.
  let strength: ClosedRange<Int>?
  /// Rooms beside it, in the manifest's order.
  let neighbours: [Neighbour]
  /// Devices that belong to no room, the nearest first.
  let strangers: [Stranger]

  /// Whether the run has ended.
  let isEnded: Bool
  /// Whether it is known which devices belong to no room. The end of the run records that.
  let knowsStrangers: Bool
  /// Whether the record lacks sightings or scan windows, so that the numbers are lower limits.
  let isIncomplete: Bool

  /// Whether an adapter received nothing, or could not scan.
  var hasFault: Bool { scanners.contains { !$0.faults.isEmpty } }
  /// The neighbours that were received well.
  var clearNeighbours: [Neighbour] { neighbours.filter { ($0.rssi ?? .min) >= CommonCause.weak } }
}

/// The likeness of two addresses.
enum AddressLikeness: Hashable {
  /// The difference of the addresses: boards number their radios one after the other.
  case offset(Int)
  /// This many of its twelve hexadecimal digits differ, for example because they were misread.
  case digits(Int)

  /// The likeness of `address` and `other`; nil where there is none.
  init?(_ address: BluetoothAddress, to other: BluetoothAddress) {
    let difference = Int64(bitPattern: address.rawValue) - Int64(bitPattern: other.rawValue)
    guard difference != 0 else { return nil }
    if difference.magnitude <= 4 {
      self = .offset(Int(difference))
      return
    }
    let both = address.rawValue ^ other.rawValue
    let digits = (0..<12).count { (both >> (4 * UInt64($0))) & 0xF != 0 }
    guard digits <= 2 else { return nil }
    self = .digits(digits)
  }
}

/// A run's sightings and faults, gathered once for the logs of all its rooms.
struct RunSurroundings {
  private struct Received {
    var at: Duration
    var address: BluetoothAddress
    var rssi: Int?
  }

  private let report: RunReport
  /// The first sighting of each device, by the adapter.
  private var received: [AdapterID: [Received]] = [:]
  private var faults: [(at: Duration, fault: AdapterFault)] = []
  private var ends: [RoomID: Duration] = [:]
  /// The kinds of events that the record lacks.
  private var omitted: Set<Fact.Kind> = []
  /// The number of rooms before and after a room that are its neighbours.
  private static let neighbours = 2

  init(_ events: [RunEvent], _ report: RunReport) {
    self.report = report
    var known: Set<BluetoothAddress> = []
    for event in events {
      switch event.fact {
      case .deviceSighted(let fact):
        // In provisioning mode and as a beacon it is the same device.
        if known.insert(fact.address).inserted {
          received[fact.adapter, default: []].append(
            Received(at: event.elapsed, address: fact.address, rssi: fact.rssi))
        }
      case .adapterFaulted(let fact): faults.append((event.elapsed, fact))
      case .roomFinished(let fact): ends[fact.room] = event.elapsed
      case .eventsOmitted(let fact): omitted.formUnion(fact.omitted.map(\.kind))
      default: break
      }
    }
  }

  /// The sightings around a room, from the beginning of the run to the outcome of the room.
  func around(_ room: RoomReport) -> RoomSurroundings {
    let end = ends[room.id] ?? report.elapsed
    var strength: ClosedRange<Int>?
    let firsts = received.mapValues { received in
      received.count { other in
        guard other.at <= end, other.address != room.address else { return false }
        if let rssi = other.rssi {
          strength = min(strength?.lowerBound ?? rssi, rssi)...max(strength?.upperBound ?? rssi, rssi)
        }
        return true
      }
    }
    return RoomSurroundings(
      scanners: report.adapterReports.map { scanner($0, until: end, received: firsts[$0.adapter] ?? 0) },
      others: firsts.values.reduce(0, +), strength: strength,
      neighbours: neighbours(of: room), strangers: strangers(near: room),
      isEnded: report.outcome != nil,
      knowsStrangers: report.outcome != nil && !omitted.contains("device_unclaimed"),
      isIncomplete: omitted.contains("device_sighted") || omitted.contains("scan_started"))
  }

  private func scanner(
    _ adapter: AdapterReport, until end: Duration, received: Int
  ) -> RoomSurroundings.Scanner {
    let last = ShortDuration(end)
    let windows = adapter.windows.filter { $0.begin < last }.map { window in
      var window = window
      if let stopped = window.end { window.end = min(stopped, last) }
      return window
    }
    return .init(
      adapter: adapter.adapter, windows: windows,
      seconds: windows.reduce(0) { $0 + ($1.end.map(\.seconds) ?? $1.begin.seconds) - $1.begin.seconds },
      received: received,
      faults: faults.filter { $0.at <= end && $0.fault.adapter == adapter.adapter }.map(\.fault))
  }

  private func neighbours(of room: RoomReport) -> [RoomSurroundings.Neighbour] {
    guard let place = report.rooms.firstIndex(where: { $0.id == room.id }) else { return [] }
    let near = max(0, place - Self.neighbours)...min(report.rooms.count - 1, place + Self.neighbours)
    return near.filter { $0 != place }.map { report.rooms[$0] }.map { other in
      .init(
        room: other, rssi: other.rssi,
        isReceived: other.rssi != nil || other.address.map(report.hasReceived) ?? false)
    }
  }

  private func strangers(near room: RoomReport) -> [RoomSurroundings.Stranger] {
    let nearest = report.unclaimed.sorted { ($1.rssi ?? .min, $0.address) < ($0.rssi ?? .min, $1.address) }
    return nearest.map { device in
      .init(device: device, likeness: room.address.flatMap { AddressLikeness(device.address, to: $0) })
    }
  }
}
