package import Source

/// Parses one YAML document in UTF-8 into a tree of nodes with libyaml.
///
/// Every scalar is text, merge keys (`<<`) are ordinary keys, and limits bound the size before memory is
/// allocated.
package enum YAMLParser {
  /// Maximum file size in bytes.
  package static let maximumBytes = 64 << 20
  /// Maximum nesting depth, with aliases expanded.
  package static let maximumDepth = 64
  /// Maximum number of nodes, with aliases expanded; it rejects alias bombs.
  package static let maximumNodes = 4_000_000

  /// Parses the document in `bytes`; nil for an empty text or comments only.
  /// - Throws: the first error.
  package static func parse(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode? {
    let document = try read(SourceText(bytes))
    if let first = document.problems.first { throw first }
    return document.root
  }

  /// Parses the document in a text and collects the errors after which the rest is still readable.
  /// - Throws: an error that makes the rest unreadable.
  package static func read(_ source: SourceText) throws(YAMLError) -> YAMLDocument {
    try source.checkCharacters()
    var builder = TreeBuilder(source)
    let root = try builder.document()
    return YAMLDocument(root: root, problems: builder.problems.sorted { $0.mark < $1.mark })
  }
}

/// A YAML document that was read to its end.
package struct YAMLDocument: Sendable {
  /// Nil for an empty text or comments only.
  package var root: YAMLNode?
  /// Duplicate keys, keys that are not scalars (left out of the tree) and tags, by place.
  package var problems: [YAMLError]
}
