import Model

/// Why something is left to do in a room.
struct LeftCause<State: Hashable & Sendable>: Hashable, Sendable {
  /// The room's state, or its outcome in a run.
  let state: State
  let explanation: Explanation
  /// The local day on which it began; nil if that is not on record, or is not shown.
  var since: String?
}

/// Rooms in which something is left to do for the same cause. Every view shows the cause once.
struct LeftRooms<State: Hashable & Sendable, Room: Sendable>: Sendable {
  let cause: LeftCause<State>
  /// In the manifest's order.
  let rooms: [Room]
}

extension Sequence where Element: Sendable {
  /// The rooms by cause, in the order of the first room of each. Rooms without a cause are left out.
  func left<State: Hashable & Sendable>(
    because cause: (Element) -> LeftCause<State>?
  ) -> [LeftRooms<State, Element>] {
    compactMap { room in cause(room).map { (cause: $0, room: room) } }.grouped { $0.cause }
      .map { group in LeftRooms(cause: group.key, rooms: group.elements.map { $0.room }) }
  }
}

extension RunReport {
  /// The rooms that are not done, by cause. Rooms that were not selected are left out; accepted and retired rooms are included.
  var left: [LeftRooms<Outcome, RoomReport>] {
    rooms.filter { $0.planned.exclusion?.cause != .deselected }.left { room in
      Explanation(general: room).map { LeftCause(state: room.outcome, explanation: $0) }
    }
  }
}
