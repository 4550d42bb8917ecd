package import Bluetooth
package import Engine

/// The device to propose for a room without an address: the one that was just switched on or put into provisioning mode, or
/// the clearly nearest one.
package enum WalkProposal: Hashable, Sendable {
  /// It is the only device that was received for the first time after the others, or was at work when they were received.
  case switchedOn(BluetoothAddress, rssi: Int?)
  /// Its signal is clearly stronger than the others.
  case nearest(BluetoothAddress, rssi: Int?)

  /// A device first received within this time after the start of the scan may have been on before.
  static let settling = Duration.seconds(5)
  /// A device without an advertisement within this time is not proposed.
  package static let freshness = Duration.seconds(10)

  package var address: BluetoothAddress {
    switch self {
    case .switchedOn(let address, _), .nearest(let address, _): address
    }
  }

  /// - Parameters:
  ///   - devices: Devices of the room's family that can be provisioned.
  ///   - taken: The devices of other rooms.
  ///   - seen: The devices received in earlier scans.
  ///   - adapters: The adapters that are with the installer: if several clearly receive a device best, it must be the same.
  ///   - began: The start of this scan.
  package init?(
    _ devices: [AirLedger.Sighting], except taken: Set<BluetoothAddress>, seen: Set<BluetoothAddress>,
    on adapters: [AdapterID], since began: MonotonicInstant, now: MonotonicInstant
  ) {
    let free = devices.filter { device in
      !taken.contains(device.address) && adapters.contains { device.receptions[$0] != nil }
        && device.lastReceived.map { $0.duration(to: now) <= Self.freshness } == true
    }
    let new = free.filter { device in
      !seen.contains(device.address) && began.duration(to: device.freeSince) >= Self.settling
    }
    if new.count == 1 {
      self = .switchedOn(new[0].address, rssi: new[0].strongest.rssi)
      return
    }
    let nearest = Set(adapters.compactMap { clearlyNearest(of: free, to: $0, now: now) })
    guard nearest.count == 1, let nearest = nearest.first else { return nil }
    self = .nearest(nearest, rssi: free.first { $0.address == nearest }?.strongest.rssi)
  }
}
