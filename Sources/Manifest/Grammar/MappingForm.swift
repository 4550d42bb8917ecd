package import Model

/// A mapping of the manifest as data: the keys that the decoder knows (`Vocabulary`), with their
/// documentation and values.
package struct MappingForm: Sendable {
  /// The name in a schema.
  package var name: String
  package var documentation: String
  /// The keys, in the order of the documentation.
  package var keys: [Key]
  /// Required keys.
  package var required: [String] = []
  /// Keys of which at least one is required; empty without such a rule.
  package var oneOf: [String] = []
  /// Whether exactly one key is allowed.
  package var isChoice = false

  package struct Key: Sendable {
    package var name: String
    package var documentation: String
    package var value: ValueForm
    package var examples: [String] = []
  }
}

package indirect enum ValueForm: Sendable {
  case text(TextForm)
  case integer(ClosedRange<Int>)
  /// `true` or `false`.
  case truth
  /// `true`.
  case affirmation
  /// One of a few words, each with its meaning.
  case names([(name: String, meaning: String)])
  /// A duration above 0.
  case timeout(through: Duration)
  case setting(SettingDescription)
  /// A setting that counts up in a range of rooms: a number or a range.
  case counting(SettingDescription)
  case mapping(MappingForm)
  /// A mapping with names that the manifest chooses. The first form that matches a name decides its value.
  case named([(NameForm, ValueForm)])
  case list(of: ValueForm, canBeEmpty: Bool)
  case either([ValueForm])
  case nothing

  /// A program with its arguments.
  case command

  package enum TextForm: Hashable, Sendable {
    case any
    /// Text of this length in bytes of UTF-8, without control characters.
    case label(ClosedRange<Int>)
    /// As `label`, or a range of rooms of any length.
    case labelOrRange(ClosedRange<Int>)
    /// Tags separated by commas.
    case tags(ClosedRange<Int>)
    /// A stable name (`Slug`).
    case slug
    /// The name or address of an adapter, without its host.
    case adapter
    case adapterAddress
    /// The address of a device: neither all zeros nor all ones.
    case deviceAddress
    /// Any text except the empty one.
    case something
    case environmentName
    case version
    /// Text of this form, a regular expression.
    case matching(String)
  }

  package enum NameForm: Hashable, Sendable {
    case network
    /// The name of another computer.
    case host
    /// The name or address of an adapter, after its host if that is another computer.
    case hostAdapter
    case other
    /// The name of an entry of a setting, except these.
    case entry(reserved: [String])
  }
}
