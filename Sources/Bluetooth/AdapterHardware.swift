/// The controller behind an adapter, as far as its host tells. For diagnosis: nothing is decided by it.
public struct AdapterHardware: Hashable, Sendable, Codable {
  /// The company that made the controller, by the Bluetooth SIG's number (`Manufacturer`, which BlueZ 5.66 does not have).
  public var manufacturer: UInt16?
  /// What the controller can do, by the core specification's number of it: 9 is Bluetooth 5.0 (`Version` of BlueZ).
  public var version: UInt8?
  /// The bus that it is on: `usb`, `serial`.
  public var bus: String?
  /// Vendor and product on that bus, lower-case hex: `0bda:8771`.
  public var identifier: String?
  /// What the device calls itself: `Realtek Bluetooth Radio`.
  public var product: String?
  /// The kernel's driver: `btusb`.
  public var driver: String?
  /// Where it is plugged in: `usb1/1-3/1-3:1.0`.
  public var path: String?

  /// What is known; all else is left out.
  public init(
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
