package import Model

/// What one mapping of a manifest can have, as data: the keys that the decoder knows (`Vocabulary`), with what they
/// mean and what they take.
package struct MappingForm: Sendable {
  /// Its name in a schema.
  package var name: String
  /// What it describes.
  package var documentation: String
  /// Its keys, in the order in which they are explained.
  package var keys: [Key]
  /// Keys that it cannot do without.
  package var required: [String] = []
  /// Keys of which it needs one at least; none where there is no such rule.
  package var oneOf: [String] = []
  /// Whether it has exactly one key.
  package var isChoice = false

  /// A key of a mapping.
  package struct Key: Sendable {
    /// The key.
    package var name: String
    /// What it means, for people.
    package var documentation: String
    /// What it takes.
    package var value: ValueForm
    /// Values to begin with.
    package var examples: [String] = []
  }
}

/// What a key takes.
package indirect enum ValueForm: Sendable {
  /// Text.
  case text(TextForm)
  /// A whole number.
  case integer(ClosedRange<Int>)
  /// `true` or `false`.
  case truth
  /// `true`.
  case affirmation
  /// One of a few words, with what each means.
  case names([(name: String, meaning: String)])
  /// A time span above 0.
  case timeout(through: Duration)
  /// A setting of a device.
  case setting(SettingDescription)
  /// The setting of a room that counts along with the room's range: a number, or a range itself.
  case counting(SettingDescription)
  /// A mapping.
  case mapping(MappingForm)
  /// A mapping of names that the manifest chooses: for each form of name what such a name takes. The first form that a name
  /// has decides.
  case named([(NameForm, ValueForm)])
  /// A list.
  case list(of: ValueForm, canBeEmpty: Bool)
  /// One of these.
  case either([ValueForm])
  /// No value.
  case nothing

  /// A program and its arguments.
  case command

  /// What a text can be.
  package enum TextForm: Hashable, Sendable {
    /// Any text.
    case any
    /// So many bytes of UTF-8, without control characters.
    case label(ClosedRange<Int>)
    /// The same, or a range of rooms of any length.
    case labelOrRange(ClosedRange<Int>)
    /// Tags between commas.
    case tags(ClosedRange<Int>)
    /// A stable name (`Slug`).
    case slug
    /// The address of an adapter.
    case adapterAddress
    /// The address of a device: that of an adapter, but for two that no device has.
    case deviceAddress
    /// Any text but an empty one.
    case something
    /// The name of an environment variable.
    case environmentName
    /// The number of the format.
    case version
  }

  /// What the names in a mapping can be.
  package enum NameForm: Hashable, Sendable {
    /// A network's name.
    case network
    /// The name or address of an adapter on a host.
    case hostAdapter
    /// Any other name.
    case other
  }
}
