import Bluetooth
package import Engine
package import Model

extension Rehearsal {
  /// Gives made-up addresses to the rooms whose labels are read on site (`match: later`): without a scenario,
  /// a rehearsal has a device for each room. The manifest stays unchanged.
  /// - Returns: The building, and the number of rooms that got an address.
  package static func supplyingLabels(_ building: Building, _ known: Known) -> (
    building: Building, count: Int
  ) {
    guard building.assignment == .later else { return (building, 0) }
    let lastKnown = known.lastKnown
    var taken = Set(building.rooms.compactMap(\.address)).union(lastKnown.retired.keys)
    for room in lastKnown.rooms.values { taken.formUnion(room.bindings.map(\.address)) }
    var free = (0...).lazy.map { BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64($0)) }
      .filter { !taken.contains($0) }.makeIterator()
    var (supplied, count) = (building, 0)
    for index in supplied.rooms.indices {
      let room = supplied.rooms[index]
      guard room.near == nil, room.deviceName == nil, !room.isRegistered, known.device(of: room) == nil,
        let address = free.next()
      else { continue }
      supplied.rooms[index].address = address
      count += 1
    }
    return (supplied, count)
  }
}
