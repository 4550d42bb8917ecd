import Bluetooth
import Engine
import Model

/// The device that a room without an address could take: the one that was just switched on, or that is clearly the nearest.
enum WalkProposal: Hashable, Sendable {
  /// It was received for the first time after all others, and is the only one.
  case switchedOn(BluetoothAddress, rssi: Int?)
  /// It is received clearly better than the others.
  case nearest(BluetoothAddress, rssi: Int?)

  /// What was received for the first time this soon after the scan began may have been there before.
  static let settling = Duration.seconds(5)
  /// What was received longer ago is not proposed.
  static let freshness = Duration.seconds(10)

  var address: BluetoothAddress {
    switch self {
    case .switchedOn(let address, _), .nearest(let address, _): address
    }
  }

  /// - Parameters:
  ///   - devices: Devices of the room's family that can be provisioned.
  ///   - taken: Devices of other rooms.
  ///   - seen: Devices that were received in scans before this one.
  ///   - began: When this scan began.
  init?(
    _ devices: [AirLedger.Sighting], except taken: Set<BluetoothAddress>, seen: Set<BluetoothAddress>,
    on adapter: AdapterID, since began: MonotonicInstant, now: MonotonicInstant
  ) {
    let free = devices.filter { device in
      !taken.contains(device.address)
        && device.lastHeard.map { $0.duration(to: now) <= Self.freshness } == true
    }
    let new = free.filter { device in
      !seen.contains(device.address) && began.duration(to: device.firstHeard) >= Self.settling
    }
    if new.count == 1 {
      self = .switchedOn(new[0].address, rssi: new[0].rssi)
    } else if let nearest = clearlyNearest(of: free, to: adapter, now: now) {
      self = .nearest(nearest, rssi: free.first { $0.address == nearest }?.rssi)
    } else {
      return nil
    }
  }
}
