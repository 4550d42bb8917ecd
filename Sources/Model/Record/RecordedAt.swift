public import FoundationEssentials

/// Where in the record something is: in which run, and when that was.
public struct RecordedAt: Hashable, Sendable, Codable {
  /// The run's id.
  public var run: String
  /// Wall-clock time of the host that recorded it.
  public var at: Date

  /// A place in the record.
  public init(run: String, at: Date) {
    self.run = run
    self.at = at
  }
}

/// Somebody's acceptance of a room as it is.
public struct Acceptance: Hashable, Sendable, Codable {
  /// Why.
  public var reason: String
  /// Who answers for it.
  public var by: String
  /// When it was given.
  public var given: RecordedAt
  /// When it ended, because the room was done or retired; nil while it holds.
  public var ended: RecordedAt?

  /// An acceptance that holds.
  public init(reason: String, by: String, given: RecordedAt) {
    self.reason = reason
    self.by = by
    self.given = given
  }
}

/// The end of a room's service.
public struct RoomRetirement: Hashable, Sendable, Codable {
  /// What a person gave as the reason.
  public var reason: String?
  /// When.
  public var recorded: RecordedAt

  /// A room that is out of service.
  public init(reason: String?, recorded: RecordedAt) {
    self.reason = reason
    self.recorded = recorded
  }
}

/// What was heard of a room's device when its building was verified.
public struct RecordedVerification: Hashable, Sendable, Codable {
  /// What was found.
  public var found: RoomVerified
  /// When.
  public var recorded: RecordedAt

  /// A verification.
  public init(_ found: RoomVerified, recorded: RecordedAt) {
    self.found = found
    self.recorded = recorded
  }
}
