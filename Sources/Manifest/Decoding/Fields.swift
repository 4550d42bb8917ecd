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
    guard known.count <= UInt64.bitWidth else { return nil }
    var seen: UInt64 = 0
    for entry in entries {
      guard let index = known.firstIndex(of: entry.key), seen & 1 << index == 0 else { return nil }
      seen |= 1 << index
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
