/// What one adapter has just heard from one peripheral: *news*, with the instant it arrived.
///
/// Only what this hearing carried or certainly still holds is here. A field that the stack merely
/// remembers from an earlier life of the peripheral is nil or empty.
public struct Advertisement: Hashable, Sendable {
  /// Who was heard.
  public var address: BluetoothAddress
  /// Which adapter heard it.
  public var adapter: AdapterID
  /// When the news arrived, on the clock that was passed to the `Central`.
  public var receivedAt: MonotonicInstant
  /// Signal strength in dBm; nil when the stack did not say.
  public var rssi: Int?
  /// Complete local name.
  public var localName: String?
  /// Services advertised.
  public var serviceUUIDs: [BluetoothUUID]
  /// Manufacturer data by company identifier, without that identifier.
  public var manufacturerData: [UInt16: [UInt8]]
  /// Service data by service.
  public var serviceData: [BluetoothUUID: [UInt8]]

  /// An advertisement; whatever is left out was not heard.
  public init(
    address: BluetoothAddress, adapter: AdapterID, receivedAt: MonotonicInstant, rssi: Int? = nil,
    localName: String? = nil, serviceUUIDs: [BluetoothUUID] = [], manufacturerData: [UInt16: [UInt8]] = [:],
    serviceData: [BluetoothUUID: [UInt8]] = [:]
  ) {
    self.address = address
    self.adapter = adapter
    self.receivedAt = receivedAt
    self.rssi = rssi
    self.localName = localName
    self.serviceUUIDs = serviceUUIDs
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
  }

  /// The iBeacon in this advertisement, if it is one.
  public var iBeacon: IBeacon? {
    manufacturerData[IBeacon.company].flatMap(IBeacon.init(manufacturerData:))
  }
}
