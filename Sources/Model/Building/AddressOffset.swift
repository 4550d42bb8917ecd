package import Bluetooth

/// A probable difference between the addresses that rooms have, from labels or from a table, and those of their devices: some
/// boards count further interfaces up from a base address, which the label shows. An address is *silent* when it is not on
/// air.
package struct AddressOffset: Hashable, Sendable {
  /// What a room has.
  package struct Given: Sendable {
    package var room: String
    package var address: BluetoothAddress
    package var isSilent: Bool

    package init(room: String, address: BluetoothAddress, isSilent: Bool) {
      (self.room, self.address, self.isSilent) = (room, address, isSilent)
    }
  }

  /// Device address minus given address.
  package var offset: Int
  /// The rooms with a silent address whose address plus the offset is on air.
  package var evidence: [String]
  /// The number of silent addresses.
  package var silent: Int

  package init(offset: Int, evidence: [String], silent: Int) {
    (self.offset, self.evidence, self.silent) = (offset, evidence, silent)
  }
}

extension AddressOffset {
  /// An offset is proposed only from this number of silent addresses on.
  private static let fewestSilent = 3
  /// The offsets that are tried.
  private static let offsets = [1, 2]

  /// Nil without enough evidence. Each address that is on air counts against it.
  /// - Parameters:
  ///   - declined: The offsets that were declined.
  ///   - isFree: Whether an address is on air, and of no room.
  package init?(_ given: [Given], except declined: Set<Int> = [], _ isFree: (BluetoothAddress) -> Bool) {
    let silent = given.filter(\.isSilent)
    let proposals = Self.offsets.filter { !declined.contains($0) }.map { offset in
      let evidence = silent.filter { $0.address.advanced(by: offset).map(isFree) ?? false }
      return Self(offset: offset, evidence: evidence.map(\.room), silent: silent.count)
    }
    // On a tie the smaller offset wins.
    guard let best = proposals.max(by: { $0.evidence.count < $1.evidence.count }),
      best.evidence.count >= max(Self.fewestSilent, given.count - silent.count + 1)
    else { return nil }
    self = best
  }

  /// What was seen: `39 of 40 addresses that are not on air are on air at +2`.
  package var sentence: String {
    "\(evidence.count) of \(silent) addresses that are not on air are on air at +\(offset)"
  }
}

extension BluetoothAddress {
  /// The address plus the offset; nil when it is not below FF:FF:FF:FF:FF:FF.
  package func advanced(by offset: Int) -> BluetoothAddress? {
    let (value, overflow) = rawValue.addingReportingOverflow(UInt64(offset))
    return overflow || value >= 0xFFFF_FFFF_FFFF ? nil : BluetoothAddress(rawValue: value)
  }
}
