import Bluetooth
package import Model

extension LastKnownBuilding {
  /// Contradictions within the record, which merged records of two laptops may have: a room with several
  /// devices, a device in several rooms, a minor on several devices, a room that runs which did not know each other
  /// wrote. In the order of rooms and devices, each
  /// once.
  package var conflicts: [RecordConflict] {
    let ordered = rooms.sorted { $0.key < $1.key }
    let rooms = ordered.filter { $0.value.bindings.count > 1 }.map { id, room in
      RecordConflict.severalDevices(room: id, room.bindings.map(\.address).sorted())
    }
    let devices = Set(ordered.flatMap { $0.value.bindings.map(\.address) }).sorted()
    let shared = devices.filter { owners(of: $0).count > 1 }.map {
      RecordConflict.severalRooms(device: $0, owners(of: $0))
    }
    var atWork: [Proof: [(RoomID, BluetoothAddress)]] = [:]
    for (id, room) in ordered {
      guard let lastWrite = room.lastWrite,
        let proof = DeviceProfiles[room.profile].flatMap({ lastWrite.proof($0) })
      else {
        continue
      }
      atWork[proof, default: []].append((id, lastWrite.receivedAt))
    }
    let twice = atWork.compactMap { proof, holders -> RecordConflict? in
      guard let minor = proof.minor, Set(holders.map(\.1)).count > 1 else { return nil }
      return .minorTwice(minor, holders.map(\.0), holders.map(\.1))
    }
    let unordered = ordered.filter { !$0.value.unordered.isEmpty }.map { id, room in
      RecordConflict.unordered(room: id, runs: room.unordered)
    }
    return rooms + shared + unordered + twice.sorted { $0.rooms.lexicographicallyPrecedes($1.rooms) }
  }
}
