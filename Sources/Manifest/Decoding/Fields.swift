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
