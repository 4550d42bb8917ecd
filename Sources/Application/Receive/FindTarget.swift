package import Bluetooth
import Engine
import Model

/// The device that `find` looks for, named by its address or its room.
package struct FindTarget: Sendable {
  /// The name of the room; nil if it is unknown.
  package let name: String?
  /// The possible addresses of the device; empty if only the room's identity on air is known.
  package let addresses: Set<BluetoothAddress>
  /// The identity that it sends; nil if an address is known.
  private let identity: DeviceIdentity?
  private let families: FamilyCatalogue

  private init(
    _ name: String?, _ addresses: Set<BluetoothAddress>, _ identity: DeviceIdentity? = nil,
    of families: FamilyCatalogue = BuiltIn.families
  ) {
    (self.name, self.addresses, self.identity, self.families) = (name, addresses, identity, families)
  }

  /// Finds the device by the manifest and the record.
  /// - Throws: `CommandFailure` if it is unknown.
  package static func find(_ text: String, in known: KnownBuilding?) throws -> FindTarget {
    guard let known else {
      if let address = try? LabelText.address(in: text) { return FindTarget(nil, [address]) }
      throw CommandFailure(
        .usage, "\(DeviceArgument.shown(text) ?? "the text") is not a device address",
        advice: "To find a room's device, add the manifest: `roboprov find building.yaml 'Room 312'`.")
    }
    let names = RoomNames(known.building, known.lastKnown)
    if let room = try names.exact(text, for: "ROOM") {
      return try device(of: room, called: names.name(of: room), in: known)
    }
    guard let address = try? LabelText.address(in: text) else { throw names.unknown(text, for: "ROOM") }
    return FindTarget(known.owners.owner(of: address, sending: nil)?.name, [address])
  }

  private static func device(
    of room: RoomID, called name: String, in known: KnownBuilding
  ) throws -> FindTarget {
    let addresses = known.owners.addresses(of: room)
    if !addresses.isEmpty { return FindTarget(name, addresses) }
    if let identity = known.owners.identity(of: room) {
      return FindTarget(name, [], identity, of: known.building.families)
    }
    throw CommandFailure(
      .usage, "\(name.visible) has no device, neither in the manifest nor on record",
      advice: "`roboprov scan building.yaml` lists devices without a room first; find one by its address.")
  }

  /// The address of the device; nil if there are several candidates or none.
  package var address: BluetoothAddress? { addresses.count == 1 ? addresses.first : nil }

  package func matches(_ advertisement: Advertisement) -> Bool {
    if let identity { return families.identity(in: advertisement) == identity }
    return addresses.contains(advertisement.address)
  }
}
