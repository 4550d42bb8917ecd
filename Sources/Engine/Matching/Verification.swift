import Bluetooth
import Families
package import Model

/// Whether each room's device advertises its identity: compares the advertisements of scan windows with the
/// rooms.
///
/// Pure. Each window has a ledger of its own: since some chips report each device once per scan, the number
/// of windows with a sighting measures reception.
package struct Verification: Sendable {
  /// The finding for each room, in the order of the building.
  package let rooms: [RoomVerified]
  /// Beacons with a uuid and major of the building whose identity no room has, by address.
  package let unexpected: [UnexpectedBeacon]

  /// An empty ledger for one window, with the families and identities of these rooms.
  package static func ledger(for rooms: [Room]) -> AirLedger {
    AirLedger(profiles: DeviceProfiles.expecting(rooms), wanted: identities(of: rooms))
  }

  private static func identities(of rooms: [Room]) -> Set<BeaconIdentity> {
    Set(
      rooms.compactMap { room in
        if case .beacon(let identity) = proof(of: room) { identity } else { nil }
      })
  }

  /// Compares what was received with the rooms.
  /// - Parameters:
  ///   - rooms: the rooms to verify.
  ///   - known: the record, with the device of each room.
  ///   - windows: what each scan window received.
  package init(_ rooms: [Room], _ known: Known, windows: [AirLedger]) {
    self.rooms = rooms.map { Self.judge($0, known, windows) }
    let expected = Self.identities(of: rooms)
    let places = Set(expected.map { Place(uuid: $0.uuid, major: $0.major) })
    var unexpected: [BluetoothAddress: UnexpectedBeacon] = [:]
    for window in windows {
      for sighting in window.all {
        guard let identity = sighting.beaconAtWork?.identity, !expected.contains(identity),
          places.contains(Place(uuid: identity.uuid, major: identity.major))
        else { continue }
        unexpected[sighting.address] = UnexpectedBeacon(
          address: sighting.address, identity: identity, rssi: sighting.rssi)
      }
    }
    self.unexpected = unexpected.values.sorted { $0.address < $1.address }
  }

  private struct Place: Hashable {
    var uuid: BluetoothUUID
    var major: UInt16
  }

  private static func judge(_ room: Room, _ known: Known, _ windows: [AirLedger]) -> RoomVerified {
    let proof = proof(of: room)
    let device = known.device(of: room)?.address
    guard case .beacon(let identity) = proof else {
      return RoomVerified(room: room.id, finding: .notVerifiable, address: device, windows: windows.count)
    }
    let lastWrite = device.flatMap { known.lastWrite(for: room, at: $0) }
    let own = Set([device, lastWrite?.receivedAt].compactMap(\.self))
    let received = windows.map { $0.devices(proving: proof) }
    let ofOwn = received.compactMap { $0.first { own.contains($0.address) } }
    let others = Set(received.joined().map(\.address)).subtracting(own).sorted()
    let sightings = windows.compactMap { window in own.lazy.compactMap { window[$0] }.first }
    let finding: RoomVerified.Finding =
      if !ofOwn.isEmpty {
        others.isEmpty ? .onAir : .duplicate
      } else if own.isEmpty, others.count == 1, room.isRegistered {
        .onAir
      } else if !others.isEmpty {
        .otherDevice
      } else if sightings.last?.isWaiting == true {
        .waiting
      } else if sightings.last?.beaconAtWork != nil {
        .otherIdentity
      } else {
        .missing
      }
    let counted = own.isEmpty && finding == .onAir ? received.compactMap(\.first) : ofOwn
    return RoomVerified(
      room: room.id, finding: finding, address: device ?? counted.first?.address, minor: identity.minor,
      held: finding == .otherIdentity ? sightings.last?.beaconAtWork?.minor : nil,
      rssi: counted.compactMap(\.rssi), windowsReceived: counted.count, windows: windows.count,
      others: own.isEmpty && finding == .onAir ? [] : others)
  }
}
