package import Bluetooth
package import Engine
package import FoundationEssentials
import Model

/// Which devices are present: a pure fold over advertisements and times.
///
/// Silence counts only while the adapter scans that received the device last: a device that could not be received has
/// not left.
package struct Presence: Sendable {
  /// A present device.
  package struct Device: Hashable, Sendable {
    let address: BluetoothAddress
    /// The adapter that received it last.
    package let adapter: AdapterID
    var owner: DeviceOwners.Owner?
    var profile: FamilyID?
    var state: DeviceState?
    /// RSSI last reported, in dBm.
    var rssi: Int?
    /// The wall-clock time of its last advertisement.
    var lastReceived: Date
    /// The scan time of that adapter at its last advertisement.
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
  /// The scan time of each adapter in all completed scans.
  private var scanned: [AdapterID: Duration] = [:]
  private var scanningSince: [AdapterID: MonotonicInstant] = [:]

  /// - Parameters:
  ///   - air: An empty ledger, which recognises the devices that count.
  ///   - leaveAfter: The scan time without an advertisement after which a device has left.
  package init(_ air: AirLedger, owners: DeviceOwners?, leaveAfter: Duration) {
    self.air = air
    self.owners = owners
    self.leaveAfter = leaveAfter
  }

  /// An adapter starts to scan.
  package mutating func scanBegan(on adapter: AdapterID, at now: MonotonicInstant) {
    scanningSince[adapter] = scanningSince[adapter] ?? now
  }

  /// The adapter stops scanning.
  package mutating func scanEnded(on adapter: AdapterID, at now: MonotonicInstant) {
    scanned[adapter] = time(of: adapter, at: now)
    scanningSince[adapter] = nil
  }

  private func time(of adapter: AdapterID, at now: MonotonicInstant) -> Duration {
    (scanned[adapter] ?? .zero) + (scanningSince[adapter].map { max(.zero, $0.duration(to: now)) } ?? .zero)
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
      address: advertisement.address, adapter: advertisement.adapter, owner: owner,
      profile: sighting?.life?.profile,
      state: (sighting?.life?.recognition).map(DeviceState.init), rssi: advertisement.rssi ?? known?.rssi,
      lastReceived: wall, lastScanned: time(of: advertisement.adapter, at: advertisement.receivedAt))
    devices[device.address] = device
    return known == nil ? .entered(device) : nil
  }

  /// The devices that have left, sorted by address. They are removed.
  package mutating func departures(at now: MonotonicInstant) -> [Change] {
    let gone = devices.values.filter { $0.lastScanned <= time(of: $0.adapter, at: now) - leaveAfter }
      .sorted { $0.address < $1.address }
    for device in gone { devices[device.address] = nil }
    return gone.map(Change.left)
  }
}
