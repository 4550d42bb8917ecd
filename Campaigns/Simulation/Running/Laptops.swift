package import Bluetooth
package import Journal
package import Model

/// The records of the laptops that work on one building. Each has its own runs, and those of the others from
/// the last merge on.
package struct Laptops: Sendable {
  /// The runs on record of each laptop, by id.
  private var records: [[String: [RunEvent]]]

  package init(_ count: Int) { records = Array(repeating: [:], count: count) }

  /// The runs that a laptop knows, by id.
  package func runs(of laptop: Int) -> [[RunEvent]] {
    records[laptop].sorted { $0.key < $1.key }.map(\.value)
  }

  package func record(of laptop: Int) -> BuildingRecord { BuildingRecord(runs(of: laptop)) }

  /// The runs that the next run of a laptop names.
  package func predecessors(of laptop: Int) -> [Predecessor] {
    RunOrder.predecessors(after: runs(of: laptop))
  }

  package func has(_ run: String, on laptop: Int) -> Bool { records[laptop][run] != nil }

  package mutating func add(_ events: [RunEvent], of run: String, to laptop: Int) {
    records[laptop][run] = events
  }

  /// Merges the records: each laptop knows all runs.
  package mutating func merge() {
    let all = records.reduce(into: [:]) { all, record in
      all.merge(record) { $0.count > $1.count ? $0 : $1 }
    }
    records = records.map { _ in all }
  }
}

/// What an operator permits, and writes into the manifest, when the record contradicts it.
package struct Settlement: Sendable {
  package private(set) var permissions: RecordPermissions
  /// Rooms whose conflict the run of another room ends.
  package private(set) var blocked: Set<RoomID> = []
  /// The devices that the operator named.
  package private(set) var named: [(room: RoomID, device: BluetoothAddress)] = []

  /// Nothing to settle.
  init() { permissions = .init() }

  /// Settles all conflicts of these rooms with the record.
  /// - Parameters:
  ///   - permissions: what is permitted in any case.
  ///   - gone: devices that no room may get.
  ///   - fits: whether a device sends the identity of a room: the operator looks it up.
  package init(
    of rooms: inout [Room], with lastKnown: LastKnownBuilding, allowing permissions: RecordPermissions,
    without gone: Set<BluetoothAddress> = [], fits: (BluetoothAddress, Room) async -> Bool
  ) async {
    self.permissions = permissions
    for conflict in conflicts(of: rooms, with: lastKnown, allowing: permissions) {
      switch conflict {
      case .boundToAnother(let room, _, _), .deviceOfAnotherRoom(let room, _, _):
        self.permissions.rebind.insert(room)
      case .severalDevices(let room, let devices):
        await settle(room, &rooms, among: devices.filter { !gone.contains($0) }, fits)
      case .severalRooms(let device, let claimants):
        let claiming = rooms.filter { claimants.contains($0.id) }
        var owner = claiming.first
        for room in claiming.reversed() where await fits(device, room) { owner = room }
        if let owner { await settle(owner.id, &rooms, among: [device], fits) }
      case .unordered(let room, _): self.permissions.force.insert(room)
      case .deviceRetired, .renumbered, .identityTwice:
        break
      }
    }
    let left = conflicts(of: rooms, with: lastKnown, allowing: self.permissions)
    blocked = Set(left.flatMap(\.rooms)).subtracting(self.permissions.rebind)
  }

  /// Names the device of a room in the manifest: the one with its identity, if there is one.
  private mutating func settle(
    _ room: RoomID, _ rooms: inout [Room], among devices: [BluetoothAddress],
    _ fits: (BluetoothAddress, Room) async -> Bool
  ) async {
    guard let index = rooms.firstIndex(where: { $0.id == room }) else { return }
    var choice = devices.first
    for device in devices where await fits(device, rooms[index]) { choice = device }
    guard let choice else { return }
    for other in rooms.indices where rooms[other].address == choice { rooms[other].address = nil }
    (rooms[index].address, rooms[index].near) = (choice, nil)
    permissions.rebind.insert(room)
    named.append((room, choice))
  }
}
