package import Bluetooth

/// Where devices say the address that is on their label, if that is not the one they send from. Rooms name such a device by
/// it (`device`), and its session compares it.
package struct LabelAddressRule: Hashable, Sendable {
  /// The company of the manufacturer data, which is a sequence of blocks: a type, and a content of a fixed length.
  package var company: UInt16
  /// The lengths of the contents by type. What follows a block of another type is not read.
  package var lengths: [UInt8: Int]
  /// The block with the address, its least significant byte first.
  package var block: UInt8

  package init(company: UInt16, lengths: [UInt8: Int], block: UInt8) {
    (self.company, self.lengths, self.block) = (company, lengths, block)
  }

  /// The address on the label of the device that sent an advertisement: in its data, or at the end of its name.
  package func address(in advertisement: Advertisement) -> BluetoothAddress? {
    var rest = (advertisement.manufacturerData[company] ?? [])[...]
    while let type = rest.popFirst(), let length = lengths[type], rest.count >= length {
      let content = rest.prefix(length)
      if type == block {
        return BluetoothAddress(rawValue: content.reversed().reduce(0) { $0 << 8 | UInt64($1) })
      }
      rest = rest.dropFirst(length)
    }
    return advertisement.localName.flatMap(Self.address(writtenIn:))
  }

  /// The address at the end of a device's name: `A8032ABE54DC`, `shellyplus1-a8032abe54dc`.
  package static func address(writtenIn name: String) -> BluetoothAddress? {
    BluetoothAddress(name)
      ?? name.lastIndex(of: "-").flatMap { BluetoothAddress(name[name.index(after: $0)...]) }
  }
}
