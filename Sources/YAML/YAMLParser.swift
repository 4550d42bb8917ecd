public import Source

/// Reads one YAML document in UTF-8 into a tree of nodes over libyaml's events.
///
/// No scalar is taken for anything but text, merge keys (`<<`) are keys like others, and size is bounded before
/// anything grows.
public enum YAMLParser {
  /// Bytes allowed.
  public static let maximumBytes = 64 << 20
  /// Nesting allowed, what an alias stands for included.
  public static let maximumDepth = 64
  /// Nodes allowed, each use of an alias counted in full: what a bomb of aliases runs into.
  public static let maximumNodes = 4_000_000

  /// The document in `bytes`, or nil when there is none: an empty text, or comments only.
  /// - Throws: the first thing that is wrong.
  public static func parse(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode? {
    let document = try read(SourceText(bytes))
    if let first = document.problems.first { throw first }
    return document.root
  }

  /// The document in a text, with whatever is wrong in it that does not make the rest unreadable.
  /// - Throws: what makes the rest unreadable.
  public static func read(_ source: SourceText) throws(YAMLError) -> YAMLDocument {
    try source.checkCharacters()
    var builder = TreeBuilder(source)
    let root = try builder.document()
    return YAMLDocument(root: root, problems: builder.problems.sorted { $0.mark < $1.mark })
  }
}

/// A YAML document that could be read to its end.
public struct YAMLDocument: Sendable {
  /// What is in it, or nil when there is nothing: an empty text, or comments only.
  public var root: YAMLNode?
  /// Duplicate keys, keys that are no text (left out of the tree) and tags, by place.
  public var problems: [YAMLError]
}
