import Model

/// A reason of the host's that several rooms have in common: it is explained once, and not once per room.
struct SharedReason: Hashable, Sendable {
  /// How these rooms ended.
  let outcome: Outcome
  /// What happened, and what to do about it.
  let explanation: Explanation
  /// The rooms, in the manifest's order.
  let rooms: [RoomReport]
}

extension RunReport {
  /// The reasons of the host's that at least two rooms have in common, by the first of their rooms.
  var sharedReasons: [SharedReason] {
    struct Key: Hashable {
      var outcome: Outcome
      var explanation: Explanation
    }
    var order: [Key] = []
    var rooms: [Key: [RoomReport]] = [:]
    for room in self.rooms where room.reason?.isOfHost == true {
      guard let explanation = Explanation(of: room) else { continue }
      let key = Key(outcome: room.outcome, explanation: explanation)
      if rooms[key] == nil { order.append(key) }
      rooms[key, default: []].append(room)
    }
    return order.compactMap { key in
      guard let rooms = rooms[key], rooms.count > 1 else { return nil }
      return SharedReason(outcome: key.outcome, explanation: key.explanation, rooms: rooms)
    }
  }
}

extension FailureReason {
  /// Whether it is about the host or the run as a whole, and about no device.
  var isOfHost: Bool {
    switch code {
    case .adapterClaimed, .adapterDeaf, .adapterLost, .stackLost, .planOutdated, .recordUnwritable: true
    default: false
    }
  }
}
