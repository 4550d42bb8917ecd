import Bluetooth
package import Model

/// Whether each room's device advertises its identity: compares the advertisements of scan windows with the
/// rooms.
///
/// Pure. Each window has a ledger of its own: since some chips report each device once per scan, the number
/// of windows with a sighting measures reception.
package struct Verification: Sendable {
  /// The finding for each room, in the order of the building.
  package let rooms: [RoomVerified]
  /// Devices whose identity shares its first parts with rooms' ones, and that no room has, by address.
  package let unexpected: [UnexpectedBeacon]

  /// An empty ledger for one window, with the families and identities of these rooms.
  package static func ledger(for rooms: [Room], of families: FamilyCatalogue) -> AirLedger {
    AirLedger(families: families.expecting(rooms), wanted: Set(rooms.compactMap(\.identity)))
  }

  /// Compares what was received with the rooms.
  /// - Parameters:
  ///   - rooms: the rooms to verify.
  ///   - known: the record, with the device of each room.
  ///   - windows: what each scan window received.
  ///   - adapters: the adapters that scanned in them.
  package init(_ rooms: [Room], _ known: Known, windows: [AirLedger], by adapters: [AdapterScan]) {
    self.rooms = rooms.map { Self.judge($0, known, windows, adapters) }
    let expected = Set(rooms.compactMap(\.identity))
    let shared = Set(expected.map(\.shared))
    var unexpected: [BluetoothAddress: UnexpectedBeacon] = [:]
    for window in windows {
      for sighting in window.all {
        guard let identity = sighting.identityAtWork, !expected.contains(identity),
          shared.contains(identity.shared)
        else { continue }
        unexpected[sighting.address] = UnexpectedBeacon(
          address: sighting.address, identity: identity, rssi: sighting.rssi)
      }
    }
    self.unexpected = unexpected.values.sorted { $0.address < $1.address }
  }

  private static func judge(
    _ room: Room, _ known: Known, _ windows: [AirLedger], _ adapters: [AdapterScan]
  ) -> RoomVerified {
    let device = known.device(of: room)?.address
    guard let identity = room.identity else {
      return RoomVerified(room: room.id, finding: .notVerifiable, address: device, windows: windows.count)
    }
    let unused = known.lastKnown.rooms[room.id]?.prover(besides: adapters)
    let lastWrite = device.flatMap { known.lastWrite(for: room, at: $0) }
    let own = [device, lastWrite?.receivedAt].compactMap(\.self)
    let received = windows.map { $0.devices(sending: identity) }
    let ofOwn = received.compactMap { $0.first { own.contains($0.address) } }
    let others = Set(received.joined().map(\.address)).subtracting(own).sorted()
    let sightings = windows.compactMap { window in own.lazy.compactMap { window[$0] }.first }
    let finding: RoomVerified.Finding =
      if !ofOwn.isEmpty {
        others.isEmpty ? .onAir : .duplicate
      } else if own.isEmpty, others.count == 1, room.isRegistered {
        .onAir
      } else if unused != nil, sightings.isEmpty {
        .notSearched
      } else if !others.isEmpty {
        .otherDevice
      } else if sightings.last?.isWaiting == true {
        .waiting
      } else if sightings.last?.identityAtWork != nil {
        .otherIdentity
      } else {
        .missing
      }
    let counted = finding == .onAir ? received.compactMap(\.first) : ofOwn
    let strongest = counted.map(\.strongest)
    return RoomVerified(
      room: room.id, finding: finding, address: device ?? counted.first?.address, identity: identity,
      held: finding == .otherIdentity ? sightings.last?.identityAtWork : nil,
      rssi: strongest.compactMap(\.rssi), windowsReceived: counted.count, windows: windows.count,
      others: finding == .onAir ? [] : others,
      adapter: strongest.max { ($0.rssi ?? .min) < ($1.rssi ?? .min) }?.adapter, adapters: adapters,
      unused: finding == .notSearched ? unused : nil)
  }
}
