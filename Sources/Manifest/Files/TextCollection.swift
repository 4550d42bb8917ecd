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
    /// The parts that may be shown.
    fileprivate var shown: [Span] = []
  }

  /// A part of a text; a small `SourceRange`.
  fileprivate struct Span {
    var lowerBound: UInt32
    var upperBound: UInt32
  }

  /// Takes a text in, and hands it out with its number.
  mutating func add(_ bytes: [UInt8], name: String) -> SourceText {
    let source = SourceText(bytes, number: texts.count)
    texts.append(Text(name: name, source: source, isWhole: false))
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

  /// Says that a part may be shown.
  mutating func show(_ range: SourceRange) {
    guard texts.indices.contains(range.text) else { return }
    let bytes = range.bytes
    texts[range.text].shown.append(
      Span(lowerBound: UInt32(bytes.lowerBound), upperBound: UInt32(bytes.upperBound)))
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
        visibility: text.isWhole ? .of(text.root, shown: text.shownRanges, secrets: secrets) : .unparsed)
    }
  }
}

extension TextCollection.Text {
  fileprivate var shownRanges: Set<Range<Int>> { Set(shown.map { Int($0.lowerBound)..<Int($0.upperBound) }) }
}
