/// Why the value of a key in a scenario cannot be used.
package struct ScenarioProblem: Error, Hashable, Sendable {
  package var key: String
  package var kind: Kind
  /// The reason, as text for people.
  package var reason: String

  package enum Kind: Hashable, Sendable {
    /// The key is required and absent.
    case missing
    /// A single value, a list or a mapping was expected, and something else is there.
    case structure
    /// The value is none of those that the key takes.
    case value
    /// The number or duration is out of range.
    case range
  }

  package init(_ key: String, _ kind: Kind, _ reason: String) {
    self.key = key
    self.kind = kind
    self.reason = reason
  }
}
