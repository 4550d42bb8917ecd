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
  ///   - air: what was received (`Verification.ledger`).
  package init(_ rooms: [Room], _ known: Known, air: AirLedger) {
    var (received, missing, unknown): ([Room], [Room], [Room]) = ([], [], [])
    var claimed = known.lastKnown.claimed
    for room in rooms {
      let own = known.addresses(of: room)
      claimed.formUnion(own)
      if own.contains(where: { air[$0] != nil }) || !air.devices(sending: room.identity).isEmpty {
        received.append(room)
      } else if own.isEmpty {
        unknown.append(room)
      } else {
        missing.append(room)
      }
    }
    (self.received, self.missing, self.unknown) = (received, missing, unknown)
    unclaimed = air.all.count { $0.isWaiting && !claimed.contains($0.address) }
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
