package import Bluetooth
package import Engine

/// The devices that a scan has received so far, readable during the scan.
package actor AirLog {
  package private(set) var air: AirLedger
  /// The last advertisement of each expected device, of any family.
  package private(set) var expected: [BluetoothAddress: Advertisement] = [:]
  private let expecting: Set<BluetoothAddress>

  /// A log that starts with the contents of `air`.
  package init(
    _ air: AirLedger = AirLedger(families: BuiltIn.families),
    expecting: some Sequence<BluetoothAddress> = []
  ) {
    self.air = air
    self.expecting = Set(expecting)
  }

  /// Handles an advertisement, as `AirLedger.receive`.
  func receive(_ advertisement: Advertisement) -> AirLedger.Sighting? {
    if expecting.contains(advertisement.address) { expected[advertisement.address] = advertisement }
    return air.receive(advertisement)
  }
}
