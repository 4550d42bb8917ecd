import CSV
import Source
import YAML

/// The texts of a manifest, by number: the manifest itself and the files that it names.
struct TextCollection {
  /// The maximum number of files that a manifest may name.
  static let maximumFiles = 100

  private let vocabulary: Vocabulary
  /// Reads further files; nil if the manifest must not name any.
  var files: ManifestFiles?
  private(set) var texts: [Text] = []

  struct Text {
    /// The name in messages.
    var name: String
    var source: SourceText
    /// The tree; nil when the text cannot be parsed or is empty.
    var root: YAMLNode?
    /// The part of the tree that the manifest uses; nil: all of it.
    var content: YAMLNode?
    /// Whether `root` holds the whole text. Otherwise not all secrets are known.
    var isWhole = false
    /// The scalars that may be shown.
    fileprivate var shown: ByteMarks
  }

  init(_ vocabulary: Vocabulary) { self.vocabulary = vocabulary }

  /// Adds a text, which only as a table may be in another encoding than UTF-8; returns it with its number.
  mutating func add(_ bytes: [UInt8], name: String, isTable: Bool = false) -> SourceText {
    let source =
      isTable
      ? SourceText(table: bytes, number: texts.count) : SourceText(bytes, number: texts.count)
    texts.append(Text(name: name, source: source, shown: ByteMarks(count: source.bytes.count)))
    return source
  }

  /// Limits the content of a text to what the manifest uses.
  mutating func setContent(_ content: YAMLNode, of number: Int) {
    texts[number].content = content
  }

  mutating func set(_ root: YAMLNode?, isWhole: Bool, of number: Int) {
    texts[number].root = root
    texts[number].isWhole = isWhole
  }

  /// Whether the text at this place begins without a quote.
  func isPlain(_ range: SourceRange) -> Bool {
    let bytes = texts[range.text].source.bytes
    return bytes.indices.contains(range.start.offset) && !"\"'".utf8.contains(bytes[range.start.offset])
  }

  /// Whether the text at this place is just this one: without quotes, an anchor or an alias.
  func holds(_ text: String, at range: SourceRange) -> Bool {
    texts[range.text].source.bytes[range.bytes].elementsEqual(text.utf8)
  }

  /// Marks a scalar as harmless.
  mutating func show(_ range: SourceRange) {
    let bytes = range.bytes
    guard texts.indices.contains(range.text), !bytes.isEmpty else { return }
    texts[range.text].shown.insert(bytes.lowerBound)
  }

  /// The place of a range, for a message at another range: `on line 7`, or `on line 7 of rooms.csv`.
  func words(for range: SourceRange, from other: SourceRange) -> String {
    let line = "on line \(range.start.line)"
    return range.text == other.text ? line : "\(line) of \(texts[range.text].name)"
  }

  /// The lines of all texts, with hidden parts.
  /// - Parameter secrets: Texts that must not be shown anywhere.
  func excerpts(without secrets: Set<String>) -> [SourceExcerpt] {
    texts.map { text in
      SourceExcerpt(
        file: text.name, source: text.source,
        visibility: text.isWhole
          ? .parsed(text.root, shown: text.shown, secrets: secrets)
          : .unparsed(vocabulary))
    }
  }
}
