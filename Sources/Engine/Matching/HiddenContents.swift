import Bluetooth

/// Devices of rooms that are received without content, because the stack keeps an old object of them.
struct HiddenContents: Sendable {
  /// The stack's error on each adapter.
  private var errors: [BluetoothAddress: [AdapterID: String]] = [:]
  private var recorded: [BluetoothAddress: Set<AdapterID>] = [:]

  /// Takes an advertisement. Returns the failure that goes on record: the first of a device on each adapter.
  mutating func receive(_ advertisement: Advertisement) -> CentralError? {
    let (address, adapter) = (advertisement.address, advertisement.adapter)
    guard let failure = advertisement.contentFailure else {
      errors[address] = nil
      return nil
    }
    guard errors[address]?[adapter] == nil else { return nil }
    errors[address, default: [:]][adapter] = failure.stackText ?? "\(failure.code)"
    return recorded[address, default: []].insert(adapter).inserted ? failure : nil
  }

  /// The stack's error on the first adapter that has one.
  func error(of device: BluetoothAddress) -> String? { errors[device]?.min { $0.key < $1.key }?.value }
}
