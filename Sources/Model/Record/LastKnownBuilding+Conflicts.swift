import Bluetooth

extension LastKnownBuilding {
  /// Contradictions within the record, which merged records of two laptops may have: a room with several
  /// devices, a device in several rooms, an identity on several devices, a room that runs which did not know each other
  /// wrote. In the order of rooms and devices, each
  /// once.
  package var conflicts: [RecordConflict] {
    let ordered = rooms.sorted { $0.key < $1.key }
    let rooms = ordered.filter { $0.value.bindings.count > 1 }.map { id, room in
      RecordConflict.severalDevices(room: id, room.bindings.map(\.address).sorted())
    }
    let shared = owners.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map {
      RecordConflict.severalRooms(device: $0.key, $0.value)
    }
    var atWork: [DeviceIdentity: [(RoomID, BluetoothAddress)]] = [:]
    for (id, room) in ordered {
      guard let lastWrite = room.lastWrite, let identity = lastWrite.identity else { continue }
      atWork[identity, default: []].append((id, lastWrite.receivedAt))
    }
    let twice = atWork.compactMap { identity, holders -> RecordConflict? in
      guard Set(holders.map(\.1)).count > 1 else { return nil }
      return .identityTwice(identity, holders.map(\.0), holders.map(\.1))
    }
    let unordered = ordered.filter { !$0.value.unordered.isEmpty }.map { id, room in
      RecordConflict.unordered(room: id, runs: room.unordered)
    }
    return rooms + shared + unordered + twice.sorted { $0.rooms.lexicographicallyPrecedes($1.rooms) }
  }
}
