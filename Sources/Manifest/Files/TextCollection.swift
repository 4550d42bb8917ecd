import Source
import YAML

/// The texts that a manifest consists of: the manifest itself and the files that it names, by number.
struct TextCollection {
  /// How many files a manifest may name.
  static let maximumFiles = 100

  /// How further files are read; nil where there are none to be read.
  var files: ManifestFiles?
  private(set) var texts: [Text] = []

  /// One of them.
  struct Text {
    /// Its name in messages.
    var name: String
    var source: SourceText
    /// What is in it; nil where it could not be read, or is empty.
    var root: YAMLNode?
    /// Whether all of it is in `root`: only then everything that may not be shown is known.
    var isWhole = true
    /// The scalars that may be shown.
    fileprivate var shown: ByteMarks
  }

  /// Takes a text in, and hands it out with its number.
  mutating func add(_ bytes: [UInt8], name: String) -> SourceText {
    let source = SourceText(bytes, number: texts.count)
    texts.append(
      Text(name: name, source: source, isWhole: false, shown: ByteMarks(count: source.bytes.count)))
    return source
  }

  /// Says what is in a text.
  mutating func set(_ root: YAMLNode?, isWhole: Bool, of number: Int) {
    texts[number].root = root
    texts[number].isWhole = isWhole
  }

  /// Whether what is there begins without quotes.
  func isPlain(_ range: SourceRange) -> Bool {
    let bytes = texts[range.text].source.bytes
    return bytes.indices.contains(range.start.offset) && !"\"'".utf8.contains(bytes[range.start.offset])
  }

  /// Says that a scalar may be shown.
  mutating func show(_ range: SourceRange) {
    let bytes = range.bytes
    guard texts.indices.contains(range.text), !bytes.isEmpty else { return }
    texts[range.text].shown.insert(bytes.lowerBound)
  }

  /// Where something is, for a message about something else: `on line 7`, or `on line 7 of rooms.csv`.
  func words(for range: SourceRange, from other: SourceRange) -> String {
    let line = "on line \(range.start.line)"
    return range.text == other.text ? line : "\(line) of \(texts[range.text].name)"
  }

  /// Their lines, as far as they may be shown.
  /// - Parameter secrets: texts that must not be shown, wherever they are.
  func excerpts(without secrets: Set<String>) -> [SourceExcerpt] {
    texts.map { text in
      SourceExcerpt(
        file: text.name, source: text.source,
        visibility: text.isWhole ? .parsed(text.root, shown: text.shown, secrets: secrets) : .unparsed)
    }
  }
}

/// Bytes of a text that are marked: a bit for each. No two scalars begin at the same byte.
struct ByteMarks: Sendable {
  private var words: [UInt64]

  /// Marks for so many bytes.
  init(count: Int) {
    words = Array(repeating: 0, count: count / 64 + 1)
  }

  /// Marks a byte.
  mutating func insert(_ byte: Int) { words[byte / 64] |= 1 << (byte % 64) }

  /// Whether a byte is marked.
  func contains(_ byte: Int) -> Bool { words[byte / 64] >> (byte % 64) & 1 == 1 }
}
