/// A subscription to signals. It lasts until `unsubscribe` or the end of the connection.
package struct Subscription: Hashable, Sendable {
  package let rule: MatchRule
  /// The number of the subscription at its connection.
  let number: UInt64
}
