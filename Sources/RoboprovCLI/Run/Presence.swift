import Bluetooth
import Engine
import Foundation
import Model

/// Which devices are there: a fold over advertisements and times, pure.
///
/// Silence counts only while an adapter scans: a device of which nothing could be received has not left.
struct Presence: Sendable {
  /// A device that is there.
  struct Device: Hashable, Sendable {
    let address: BluetoothAddress
    var owner: DeviceOwners.Owner?
    var profile: ProfileID?
    var state: DeviceState?
    /// RSSI last reported, in dBm.
    var rssi: Int?
    /// When its last advertisement came.
    var lastReceived: Date
    /// The same as time of scanning.
    fileprivate var lastScanned: Duration
  }

  /// A device came or went.
  enum Change: Hashable, Sendable {
    case entered(Device)
    case left(Device)
  }

  private var air: AirLedger
  private let owners: DeviceOwners?
  private let leaveAfter: Duration
  private var devices: [BluetoothAddress: Device] = [:]
  /// The time in which an adapter scanned, up to the scan that goes on.
  private var scanned = Duration.zero
  private var scanningSince: MonotonicInstant?

  /// - Parameters:
  ///   - air: An empty ledger, which says what devices count.
  ///   - leaveAfter: A device has left after so much silence.
  init(_ air: AirLedger, owners: DeviceOwners?, leaveAfter: Duration) {
    self.air = air
    self.owners = owners
    self.leaveAfter = leaveAfter
  }

  /// An adapter scans from now on.
  mutating func scanBegan(at now: MonotonicInstant) { scanningSince = scanningSince ?? now }

  /// No adapter scans any more.
  mutating func scanEnded(at now: MonotonicInstant) {
    scanned = time(at: now)
    scanningSince = nil
  }

  private func time(at now: MonotonicInstant) -> Duration {
    scanned + (scanningSince.map { max(.zero, $0.duration(to: now)) } ?? .zero)
  }

  /// Takes in an advertisement. Devices of no known family count where the manifest or the record has them, or their beacon.
  mutating func receive(_ advertisement: Advertisement, wall: Date) -> Change? {
    _ = air.hear(advertisement)
    let sighting = air[advertisement.address]
    let owner = owners?.owner(
      of: advertisement.address, sending: sighting?.beaconAtWork ?? advertisement.iBeacon)
    guard sighting != nil || owner != nil else { return nil }
    let known = devices[advertisement.address]
    let device = Device(
      address: advertisement.address, owner: owner, profile: sighting?.life?.profile,
      state: (sighting?.life?.recognition).map(DeviceState.init), rssi: advertisement.rssi ?? known?.rssi,
      lastReceived: wall, lastScanned: time(at: advertisement.receivedAt))
    devices[device.address] = device
    return known == nil ? .entered(device) : nil
  }

  /// The devices that have left by now, by address.
  mutating func departures(at now: MonotonicInstant) -> [Change] {
    let limit = time(at: now) - leaveAfter
    let gone = devices.values.filter { $0.lastScanned <= limit }.sorted { $0.address < $1.address }
    for device in gone { devices[device.address] = nil }
    return gone.map(Change.left)
  }
}
