/// Which rooms of a building a run is to work on.
public struct RoomSelection: Hashable, Sendable {
  /// Only these; all when empty.
  public var only: Set<RoomID>
  /// Not these.
  public var skip: Set<RoomID>
  /// Only what the record does not have as done.
  public var unfinished: Bool

  /// A selection; all rooms unless something is given.
  public init(only: Set<RoomID> = [], skip: Set<RoomID> = [], unfinished: Bool = false) {
    self.only = only
    self.skip = skip
    self.unfinished = unfinished
  }

  /// Whether a room is selected by its name. What is on record may exclude it all the same.
  public func names(_ room: RoomID) -> Bool { (only.isEmpty || only.contains(room)) && !skip.contains(room) }
}
