package import FoundationEssentials
package import Model

/// The state of a building without its history. `status` shows it, and it decides whether something is left
/// to do.
package struct BuildingOverview: Hashable, Sendable {
  package let building: String
  package let name: String
  package let made: Date
  /// The rooms, in the manifest's order; those that the manifest no longer has come last.
  package let rooms: [BuildingRoom]
  /// The newest run or change on record; nil if there is none.
  package let newest: RecordedAt?
  package let manifestPath: String?

  package var open: [BuildingRoom] { rooms.filter(\.isOpen) }
  /// The number of rooms in a state.
  package func count(_ state: RoomStatus.Kind) -> Int { rooms.count { $0.state == state } }
  /// What the comparison with the manifest leaves out: a sentence each.
  package var comparisonGaps: [String] {
    [WantedRoom.Uncompared.otherKey, .unread].compactMap { cause in
      let count = rooms.count { $0.uncompared == cause && $0.state == .done }
      return count > 0 ? cause.sentence(of: count) : nil
    }
  }

  /// The rooms that count: those of the manifest that are in service.
  package var counted: [BuildingRoom] { rooms.filter { $0.isInManifest && $0.state != .retired } }
  /// Whether nothing is left to do.
  package var isDone: Bool { !rooms.isEmpty && open.isEmpty }
}
