/// The host's facts about the controller of an adapter. For diagnosis only: no decision depends on them.
package struct AdapterHardware: Hashable, Sendable, Codable {
  /// The manufacturer of the controller: a Bluetooth SIG company identifier (`Manufacturer`; BlueZ 5.66 does
  /// not report it).
  package var manufacturer: UInt16?
  /// The version of the core specification that the controller supports, as the specification numbers it: 9
  /// is Bluetooth 5.0 (BlueZ's `Version`).
  package var version: UInt8?
  /// The bus that connects it: `usb`, `serial`.
  package var bus: String?
  /// Vendor and product identifiers on that bus, in lower-case hex: `0bda:8771`.
  package var identifier: String?
  /// The product name that the device reports: `Realtek Bluetooth Radio`.
  package var product: String?
  /// The kernel driver: `btusb`.
  package var driver: String?
  /// The position on the bus: `usb1/1-3/1-3:1.0`.
  package var path: String?

  package init(
    manufacturer: UInt16? = nil, version: UInt8? = nil, bus: String? = nil, identifier: String? = nil,
    product: String? = nil, driver: String? = nil, path: String? = nil
  ) {
    self.manufacturer = manufacturer
    self.version = version
    self.bus = bus
    self.identifier = identifier
    self.product = product
    self.driver = driver
    self.path = path
  }

  enum CodingKeys: String, CodingKey {
    case manufacturer
    case version = "core_version"
    case bus
    case identifier = "id"
    case product
    case driver
    case path
  }
}
