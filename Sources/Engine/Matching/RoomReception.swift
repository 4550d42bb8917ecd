package import Bluetooth
package import Model

/// Which rooms' devices were received by a scan. Whether a device is as it should be is `Verification`'s question.
///
/// Pure.
package struct RoomReception: Sendable, Hashable {
  /// Rooms whose device, or whose identity, was received, in the order of the building.
  package let received: [Room]
  /// Rooms whose device is known, and was not received.
  package let missing: [Room]
  /// Rooms of which neither a device is known nor the identity was received.
  package let unknown: [Room]
  /// How many devices wait to be provisioned that no room has.
  package let unclaimed: Int

  /// Compares what was received with the rooms.
  /// - Parameters:
  ///   - rooms: The rooms, in the order of the building.
  ///   - known: What is on record: which device is whose.
  ///   - air: What each adapter received (`Verification.ledger`).
  package init(_ rooms: [Room], _ known: Known, air: [AirLedger]) {
    var (received, missing, unknown): ([Room], [Room], [Room]) = ([], [], [])
    var claimed = known.standing.claimed
    for room in rooms {
      let own = known.addresses(of: room)
      claimed.formUnion(own)
      let isReceived = air.contains { ledger in
        own.contains { ledger[$0] != nil } || !ledger.devices(proving: proof(of: room)).isEmpty
      }
      if isReceived {
        received.append(room)
      } else if own.isEmpty {
        unknown.append(room)
      } else {
        missing.append(room)
      }
    }
    (self.received, self.missing, self.unknown) = (received, missing, unknown)
    let waiting = Set(air.flatMap { $0.all.filter(\.isWaiting).map(\.address) })
    unclaimed = waiting.subtracting(claimed).count
  }
}

extension Known {
  /// The addresses from which a room's device may be received: by the manifest, the record, and its last proof.
  package func addresses(of room: Room) -> Set<BluetoothAddress> {
    guard let device = self.device(of: room)?.address else { return [] }
    let lastWrite = self.deed(for: room, at: device)
    return Set([device, lastWrite?.heardAt].compactMap(\.self))
  }
}
