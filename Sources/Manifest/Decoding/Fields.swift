import Model
import Source
import YAML

/// The known keys of a mapping.
struct Fields {
  /// Each key once, in the order of the text.
  private(set) var all: [YAMLNode.Entry] = []
  /// The place for findings about missing keys: the mapping's first key.
  var head: SourceRange

  init(head: SourceRange) {
    self.head = head
  }

  /// Takes all entries of a mapping without a copy. Nil unless every key is known and occurs once, which
  /// holds for nearly every mapping.
  init?(head: SourceRange, _ entries: [YAMLNode.Entry], known: [String]) {
    for (index, entry) in entries.enumerated() {
      guard known.contains(entry.key), !entries[..<index].contains(where: { $0.key == entry.key }) else {
        return nil
      }
    }
    self.head = head
    all = entries
  }

  func entry(_ key: String) -> YAMLNode.Entry? {
    // Most keys differ in length.
    let count = key.utf8.count
    return all.indices.first { all[$0].key.utf8.count == count && all[$0].key == key }.map { all[$0] }
  }

  subscript(key: String) -> YAMLNode? { entry(key)?.value }

  /// Adds an entry, unless its key is there already.
  mutating func add(_ entry: YAMLNode.Entry) {
    if self.entry(entry.key) == nil { all.append(entry) }
  }

  /// Replaces the text of a key's value. The value keeps its place and counts as quoted.
  mutating func replace(_ key: String, by text: String) {
    guard let index = all.firstIndex(where: { $0.key == key }) else { return }
    all[index].value.content = .scalar(text, isPlain: false)
  }

  /// These entries, and those of `others` whose key is missing here.
  func over(_ others: Fields) -> Fields {
    var result = self
    for entry in others.all { result.add(entry) }
    return result
  }
}

extension ManifestDecoder {
  /// The value of a key that a mapping must have; nil, with an error, without it.
  /// - Parameter range: The place of the finding; nil for the mapping's first key.
  mutating func required(
    _ key: String, in fields: Fields, _ message: String, at range: SourceRange? = nil, advice: String? = nil
  ) -> YAMLNode? {
    let node = fields[key]
    if node == nil { error(.missingKey, message, at: range ?? fields.head, advice: advice) }
    return node
  }

  /// The entries of a mapping with any keys; nil, with an error, for another value.
  mutating func entries(
    of node: YAMLNode, _ message: String, canBeEmpty: Bool = true, advice: String? = nil
  ) -> [YAMLNode.Entry]? {
    if let entries = node.entries, canBeEmpty || !entries.isEmpty { return entries }
    return refused(.wrongStructure, message, at: node.range, advice: advice)
  }

  /// Decodes one of a few words to its meaning.
  /// - Parameter advice: What to say of the words when none is similar.
  mutating func word<Meaning>(
    _ node: YAMLNode, _ key: String, _ words: FamilyForm.Words<Meaning>, _ message: String? = nil,
    advice: ([String]) -> String? = { "one of: \($0.listed)" }
  ) -> Meaning? {
    guard let text = text(node, key) else { return nil }
    if let word = words.first(where: { $0.word == text }) { return word.meaning }
    let known = words.map(\.word)
    return refused(
      .unknownValue, message ?? "`\(key)` is none of the possible values", at: node.range,
      advice: suggestion(for: text, of: known, or: advice(known)))
  }

  /// Checks the length and the characters of a text for people.
  mutating func isText(
    _ text: String, _ key: String, of bytes: ClosedRange<Int>, at range: SourceRange
  ) -> Bool {
    let description = SettingDescription(
      SettingName(rawValue: key), key, .text(bytes: bytes), isRequired: false, documentation: "")
    return check(.text(text), by: description, called: key, at: range)
  }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
  static var words: FamilyForm.Words<Self> { allCases.map { (word: $0.rawValue, meaning: $0) } }
}
