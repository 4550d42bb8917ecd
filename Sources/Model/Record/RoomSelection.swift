/// The rooms of a building that a run works on.
package struct RoomSelection: Hashable, Sendable {
  /// Only these rooms; all when empty.
  package var only: Set<RoomID>
  /// Not these rooms.
  package var skip: Set<RoomID>
  /// Only rooms that the record does not have as done.
  package var unfinished: Bool

  /// All rooms by default.
  package init(only: Set<RoomID> = [], skip: Set<RoomID> = [], unfinished: Bool = false) {
    (self.only, self.skip, self.unfinished) = (only, skip, unfinished)
  }

  /// Whether a room is selected by its id. The record may exclude it nevertheless.
  package func names(_ room: RoomID) -> Bool { (only.isEmpty || only.contains(room)) && !skip.contains(room) }
}
