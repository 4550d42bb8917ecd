/// A subscription to signals, as long as it is kept at its connection.
public struct Subscription: Hashable, Sendable {
  /// What is subscribed to.
  public let rule: MatchRule
  /// Its number at the connection.
  let number: UInt64
}
