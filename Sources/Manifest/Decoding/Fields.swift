import Source
import YAML

/// The known keys of a mapping.
struct Fields {
  /// Each once, in the order of the text.
  private(set) var all: [YAMLNode.Entry] = []
  /// What is marked where something is missing: the mapping's first key.
  var head: SourceRange

  init(head: SourceRange) {
    self.head = head
  }

  /// All entries of a mapping, as they are: nil unless each key is known, and there once. That is so of nearly every
  /// mapping, and costs no copy.
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

  /// A key with its value and place.
  func entry(_ key: String) -> YAMLNode.Entry? { all.first { $0.key == key } }

  /// A key's value.
  subscript(key: String) -> YAMLNode? { entry(key)?.value }

  /// Takes a key; of one that is there already the first counts.
  mutating func add(_ entry: YAMLNode.Entry) {
    if self.entry(entry.key) == nil { all.append(entry) }
  }

  /// Replaces the text of a key's value; its place stays, and it counts as quoted.
  mutating func replace(_ key: String, by text: String) {
    guard let index = all.firstIndex(where: { $0.key == key }) else { return }
    all[index].value.content = .scalar(text, isPlain: false)
  }

  /// These keys, and of the others those that these do not have.
  func over(_ others: Fields) -> Fields {
    var result = self
    for entry in others.all { result.add(entry) }
    return result
  }
}
