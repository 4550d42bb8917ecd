/// An advertisement that one adapter received from one peripheral, with its time of arrival.
///
/// It contains only what this advertisement carried or what certainly still applies. A field that the
/// Bluetooth stack merely remembers from earlier advertisements is nil or empty.
package struct Advertisement: Hashable, Sendable {
  package var address: BluetoothAddress
  /// The adapter that received the advertisement.
  package var adapter: AdapterID
  /// The time of arrival, on the clock that was passed to the `Central`.
  package var receivedAt: MonotonicInstant
  /// Signal strength in dBm; nil if the stack did not report it.
  package var rssi: Int?
  /// The complete local name.
  package var localName: String?
  package var serviceUUIDs: [BluetoothUUID]
  /// Manufacturer data by company identifier. The data does not include the identifier.
  package var manufacturerData: [UInt16: [UInt8]]
  package var serviceData: [BluetoothUUID: [UInt8]]
  /// Whether the peripheral changes its address from time to time.
  package var hasChangingAddress = false
  /// Why the content is unknown although the stack should have reported it; nil if nothing failed.
  package var contentFailure: CentralError?

  /// Creates an advertisement; an omitted field means that it was not received.
  package init(
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

  /// Whether anything is known of what it carried.
  package var hasContent: Bool {
    localName != nil || !serviceUUIDs.isEmpty || !manufacturerData.isEmpty || !serviceData.isEmpty
  }

  /// The iBeacon in this advertisement; nil if there is none.
  package var iBeacon: IBeacon? {
    manufacturerData[IBeacon.company].flatMap(IBeacon.init(manufacturerData:))
  }
}
