import Bluetooth

/// What a person does about bonds that no run removes.
enum BondWords {
  /// A sentence for each bond, in the order of adapters and devices.
  /// - Parameters:
  ///   - verb: `has`, or `may have`.
  ///   - origin: who made it, as a relative clause; nil without a need.
  static func removing(
    _ bonds: [AdapterID: Set<BluetoothAddress>], verb: String, origin: String? = nil
  ) -> [String] {
    var sentences: [String] = []
    for (adapter, devices) in bonds.sorted(by: { $0.key < $1.key }) {
      let host = adapter.host.map { "The host \($0)" } ?? "The computer of \(adapter)"
      for device in devices.sorted() {
        let bond = "\(host) \(verb) a bond with \(device)" + (origin.map { ", " + $0 } ?? "")
        sentences.append("\(bond): run `bluetoothctl remove \(device)` there.")
      }
    }
    return sentences
  }
}
