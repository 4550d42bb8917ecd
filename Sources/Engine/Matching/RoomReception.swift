package import Bluetooth
package import Model

/// Which rooms' devices a scan received. Whether a device is configured correctly is determined by
/// `Verification`. Pure.
package struct RoomReception: Sendable, Hashable {
  /// Rooms whose device or identity was received, in the order of the building.
  package let received: [Room]
  /// Rooms whose device is known and was not received.
  package let missing: [Room]
  /// Rooms whose device is unknown and whose identity was not received.
  package let unknown: [Room]
  /// The number of devices in provisioning mode that no room has.
  package let unclaimed: Int

  /// Compares what was received with the rooms.
  /// - Parameters:
  ///   - rooms: the rooms, in the order of the building.
  ///   - known: the record, with the device of each room.
  ///   - air: what each adapter received (`Verification.ledger`).
  package init(_ rooms: [Room], _ known: Known, air: [AirLedger]) {
    var (received, missing, unknown): ([Room], [Room], [Room]) = ([], [], [])
    var claimed = known.lastKnown.claimed
    for room in rooms {
      let own = known.addresses(of: room)
      claimed.formUnion(own)
      let isReceived = air.contains { ledger in
        own.contains { ledger[$0] != nil } || !ledger.devices(sending: room.identity).isEmpty
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
  /// The addresses from which a room's device may be received: by the manifest, the record, and its last
  /// proof.
  package func addresses(of room: Room) -> Set<BluetoothAddress> {
    guard let device = self.device(of: room)?.address else { return [] }
    let lastWrite = self.lastWrite(for: room, at: device)
    return Set([device, lastWrite?.receivedAt].compactMap(\.self))
  }
}
