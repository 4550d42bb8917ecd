import Bluetooth
package import Engine
import Host
package import Model
import Hex
import Reporting

extension ManifestSource {
  /// Makes labels up for the rooms whose labels are read on site: without a scenario, a rehearsal has a device for each
  /// room. The manifest stays unchanged.
  /// - Parameter onlyOfProducts: Only for the rooms that need the secrets of a label.
  /// - Returns: Whether a room got one.
  package mutating func supplyLabels(_ known: Known, onlyOfProducts: Bool = false) -> Bool {
    let (supplied, count) = building.supplyingLabels(known, onlyOfProducts: onlyOfProducts)
    guard count > 0 else { return false }
    Messages.say("Rehearsal: made-up labels for \(count.rooms)")
    building = supplied
    OutsideWords.hide(secretsOf: building)
    return true
  }
}

extension Building {
  /// Whether the label of a room's device is still to be read on site.
  /// - Parameter isOnRecord: Whether the record names the device.
  package func awaitsLabel(of room: Room, isOnRecord: Bool) -> Bool {
    room.awaitsLabel
      || assignment == .later && room.device == nil && room.near == nil && !room.isRegistered && !isOnRecord
  }

  fileprivate func supplyingLabels(_ known: Known, onlyOfProducts: Bool) -> (building: Building, count: Int) {
    let lastKnown = known.lastKnown
    var taken = Set(rooms.compactMap(\.address)).union(lastKnown.retired.keys)
    for room in lastKnown.rooms.values { taken.formUnion(room.bindings.map(\.address)) }
    let names = Set(rooms.compactMap(\.deviceName))
    let numbers = (0...).lazy
    var addresses = numbers.map { BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64($0)) }
      .filter { !taken.contains($0) }.makeIterator()
    var products = numbers.map { "PROV_\(UInt32($0).hex(digits: 6))" }.filter { !names.contains($0) }
      .makeIterator()
    var (supplied, count) = (self, 0)
    for index in supplied.rooms.indices {
      let room = supplied.rooms[index]
      if room.awaitsLabel {
        supplied.rooms[index].setDevice(products.next().map { .name($0) })
      } else if !onlyOfProducts, awaitsLabel(of: room, isOnRecord: known.device(of: room) != nil) {
        supplied.rooms[index].address = addresses.next()
      } else {
        continue
      }
      count += 1
    }
    let isNew = Set(supplied.rooms.compactMap(\.deviceName)).subtracting(names)
    supplied = supplied.resolvingSecrets { reference in
      guard case .labels(_, let device?, let setting) = reference.source, isNew.contains(device) else {
        return nil
      }
      return .standIn(setting == .passkey ? "000000" : "\(setting) of \(device)")
    }
    return (supplied, count)
  }
}
