package import Bluetooth
package import Engine
package import FoundationEssentials
import Model

/// Which devices are present: a pure fold over advertisements and times.
///
/// Silence counts only while an adapter scans: a device that could not be received has not left.
package struct Presence: Sendable {
  /// A present device.
  package struct Device: Hashable, Sendable {
    let address: BluetoothAddress
    var owner: DeviceOwners.Owner?
    var profile: FamilyID?
    var state: DeviceState?
    /// RSSI last reported, in dBm.
    var rssi: Int?
    /// The wall-clock time of its last advertisement.
    var lastReceived: Date
    /// The scan time at its last advertisement.
    fileprivate var lastScanned: Duration
  }

  package enum Change: Hashable, Sendable {
    case entered(Device)
    case left(Device)
  }

  private var air: AirLedger
  private let owners: DeviceOwners?
  private let leaveAfter: Duration
  private var devices: [BluetoothAddress: Device] = [:]
  /// The scan time of all completed scans.
  private var scanned = Duration.zero
  private var scanningSince: MonotonicInstant?

  /// - Parameters:
  ///   - air: An empty ledger, which recognises the devices that count.
  ///   - leaveAfter: The scan time without an advertisement after which a device has left.
  package init(_ air: AirLedger, owners: DeviceOwners?, leaveAfter: Duration) {
    self.air = air
    self.owners = owners
    self.leaveAfter = leaveAfter
  }

  /// An adapter starts to scan.
  package mutating func scanBegan(at now: MonotonicInstant) { scanningSince = scanningSince ?? now }

  /// The adapter stops scanning.
  package mutating func scanEnded(at now: MonotonicInstant) {
    scanned = time(at: now)
    scanningSince = nil
  }

  private func time(at now: MonotonicInstant) -> Duration {
    scanned + (scanningSince.map { max(.zero, $0.duration(to: now)) } ?? .zero)
  }

  /// Handles an advertisement. A device of no known family counts only if the manifest or the record has the
  /// device or its beacon.
  package mutating func receive(_ advertisement: Advertisement, wall: Date) -> Change? {
    _ = air.receive(advertisement)
    let sighting = air[advertisement.address]
    let owner = owners?.owner(
      of: advertisement.address,
      sending: sighting?.identityAtWork ?? air.identity(in: advertisement))
    guard sighting != nil || owner != nil else { return nil }
    let known = devices[advertisement.address]
    let device = Device(
      address: advertisement.address, owner: owner, profile: sighting?.life?.profile,
      state: (sighting?.life?.recognition).map(DeviceState.init), rssi: advertisement.rssi ?? known?.rssi,
      lastReceived: wall, lastScanned: time(at: advertisement.receivedAt))
    devices[device.address] = device
    return known == nil ? .entered(device) : nil
  }

  /// The devices that have left, sorted by address. They are removed.
  package mutating func departures(at now: MonotonicInstant) -> [Change] {
    let limit = time(at: now) - leaveAfter
    let gone = devices.values.filter { $0.lastScanned <= limit }.sorted { $0.address < $1.address }
    for device in gone { devices[device.address] = nil }
    return gone.map(Change.left)
  }
}
