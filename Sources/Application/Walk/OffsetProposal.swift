import Bluetooth
import Model

extension Walk {
  /// A probable difference between labels and board addresses. A label is *silent* when its address is not on air; an address
  /// that the manifest has is one, too.
  package struct OffsetProposal: Hashable, Sendable {
    /// Board address minus label address.
    package var offset: Int
    /// The rooms with a silent label whose label address plus the offset is on air.
    package var evidence: [String]
    /// The number of silent labels.
    package var silent: Int
  }
}

extension Walk.OffsetProposal {
  /// An offset is proposed only from this number of silent labels on.
  private static let fewestSilent = 3
  /// The offsets that are tried: some boards count further interfaces up from a base address.
  private static let offsets = [1, 2]

  /// Nil without enough evidence. Each label that is on air counts against it.
  /// - Parameters:
  ///   - declined: The offsets that were declined.
  ///   - isFree: Whether an address is on air, and of no room.
  init?(_ stops: [Walk.Stop], except declined: Set<Int>, _ isFree: (BluetoothAddress) -> Bool) {
    let labels = stops.compactMap { stop in stop.written?.device.address.map { (stop, $0) } }
    let silent = labels.filter { $0.0.isSilent }
    let proposals = Self.offsets.filter { !declined.contains($0) }.map { offset in
      let evidence = silent.filter { $0.1.advanced(by: offset).map(isFree) ?? false }
      return Self(offset: offset, evidence: evidence.map { $0.0.name }, silent: silent.count)
    }
    // On a tie the smaller offset wins.
    guard let best = proposals.max(by: { $0.evidence.count < $1.evidence.count }),
      best.evidence.count >= max(Self.fewestSilent, labels.count - silent.count + 1)
    else { return nil }
    self = best
  }
}

extension BluetoothAddress {
  /// The address plus the offset; nil when it is not below FF:FF:FF:FF:FF:FF.
  func advanced(by offset: Int) -> BluetoothAddress? {
    let (value, overflow) = rawValue.addingReportingOverflow(UInt64(offset))
    return overflow || value >= 0xFFFF_FFFF_FFFF ? nil : BluetoothAddress(rawValue: value)
  }
}
