import Bluetooth

/// Rooms that nothing can be done for until their device is heard, as something else than it was or at all.
struct WaitingRooms: Sendable {
  /// Rooms whose device must be put into provisioning mode first, and why.
  private(set) var parked: [RoomID: FailureReason] = [:]
  /// Rooms whose device was configured elsewhere, and was not heard yet.
  private(set) var awaited: Set<RoomID> = []
  /// Rooms that no device could be joined with yet, and how they stand.
  private(set) var open: [RoomID: (outcome: Outcome, reason: FailureReason)] = [:]
  /// Whom they wait for.
  private var byAddress: [BluetoothAddress: RoomID] = [:]
  private var byIdentity: [BeaconIdentity: RoomID] = [:]
  /// Those of whose device something was heard since they were last looked at.
  private var heard: Set<RoomID> = []

  mutating func park(_ room: RoomID, _ reason: FailureReason, device: BluetoothAddress?) {
    parked[room] = reason
    if let device { byAddress[device] = room }
  }

  mutating func expect(_ room: RoomID, device: BluetoothAddress?, identity: BeaconIdentity) {
    awaited.insert(room)
    byIdentity[identity] = room
    if let device { byAddress[device] = room }
  }

  mutating func leaveOpen(_ room: RoomID, _ outcome: Outcome, _ reason: FailureReason) {
    open[room] = (outcome, reason)
  }

  mutating func end(_ room: RoomID) {
    open[room] = nil
    parked[room] = nil
    awaited.remove(room)
  }

  /// Takes in that something was heard; true when a room waits for it.
  mutating func hear(_ advertisement: Advertisement) -> Bool {
    let rooms = [
      byAddress[advertisement.address], advertisement.iBeacon.flatMap { byIdentity[$0.identity] },
    ].compactMap(\.self).filter { parked[$0] != nil || awaited.contains($0) }
    heard.formUnion(rooms)
    return !rooms.isEmpty
  }

  /// The rooms of whose device something was heard, in order; they are not said again until it is heard again.
  mutating func takeHeard() -> [RoomID] {
    defer { heard = [] }
    return heard.sorted()
  }
}

/// Rooms that wait for their device to be heard.
extension ApplyRun {
  /// How often rooms without a device are held against what is heard.
  private static let matchInterval = Duration.seconds(2)

  /// Whether something is left to wait for although nobody is to be called.
  var awaitsNews: Bool { request.isWatching && !(waiting.open.isEmpty && waiting.parked.isEmpty) }

  /// When rooms without a device are next held against what is heard; nil when there are none.
  var matchesAgainAt: MonotonicInstant? {
    waiting.open.isEmpty ? nil : (matchedAt ?? clock.now).advanced(by: Self.matchInterval)
  }

  /// Joins rooms that had no device with those that came since.
  func matchAgain() async throws(Stop) {
    guard let due = matchesAgainAt, due <= clock.now else { return }
    let rooms = rooms.filter { waiting.open[$0.id] != nil }
    try await settle(rooms, matches(of: rooms))
  }

  /// A room whose device must be put into provisioning mode first. Somebody may see to it while the run goes on.
  func park(_ room: Room, _ reason: FailureReason) {
    waiting.park(room.id, reason, device: request.known.device(of: room)?.address)
  }

  /// A room whose device was configured elsewhere, and was not heard yet.
  func expect(_ room: Room) {
    guard case .beacon(let identity) = proof(of: room) else {
      preconditionFailure("a registered room without identity")
    }
    let device = request.known.device(of: room)?.address
    waiting.expect(room.id, device: device, identity: identity)
    // Half the time that others are listened for, who have yet to be called.
    schedule.add(
      .init(room: room.id, address: device, approach: .heard, search: room.timeouts.search / 2),
      at: clock.now)
  }

  /// Looks after the rooms of whose device something was heard.
  func attendWaiting() async throws(Stop) {
    for id in waiting.takeHeard() {
      let room = room(id)
      if waiting.parked[id] != nil {
        try await takeUp(room)
      } else {
        try await finishRegistered(room)
      }
    }
  }

  /// Schedules a room whose device is heard in provisioning mode now.
  private func takeUp(_ room: Room) async throws(Stop) {
    guard let device = request.known.device(of: room), air[device.address]?.isWaiting == true,
      obstacle(to: room, at: device.address, air, request.known) == nil
    else { return }
    waiting.end(room.id)
    try await begin([RoomWork(room: room, address: device.address, basis: device.basis)])
  }

  /// Ends a room whose device was configured elsewhere, if what was heard decides.
  private func finishRegistered(_ room: Room) async throws(Stop) {
    switch registration(of: room, air, request.known) {
    case .done(let evidence, let settings):
      if let device = request.known.device(of: room) {
        try await commitBinding(of: room.id, to: device.address, device.basis)
      }
      try await finish(room, .alreadyProvisioned, evidence: evidence, settings: settings)
    case .stopped(let outcome, let reason):
      try await finish(room, outcome, reason: reason)
    case .awaited, .device:
      break
    }
  }

  /// Ends the rooms to whose device nobody has seen.
  func finishParked() async throws(Stop) {
    for room in rooms {
      guard let reason = waiting.parked[room.id] else { continue }
      try await finish(room, .needsHands, reason: reason)
    }
  }
}
