import Source

/// Makes a tree of events. Depth and size are counted as it goes, so that a bomb costs nothing.
struct TreeBuilder: ~Copyable {
  /// What does not keep the rest from being read.
  private(set) var problems: [YAMLError] = []

  private var reader: EventReader
  private var anchors: [String: Anchor] = [:]
  private var nodes = 0

  private enum Anchor {
    /// Its node is being read: an alias to it would be within itself.
    case open
    case complete(Built)
  }

  /// A node with what an alias to it costs.
  private struct Built {
    var node: YAMLNode
    /// The nodes in it, its own included, aliases expanded.
    var size = 1
    /// The levels of collections in it, its own included.
    var height = 0
  }

  init(_ source: SourceText) {
    reader = EventReader(source)
  }

  /// The root of the text's one document; nil when there is none.
  mutating func document() throws(YAMLError) -> YAMLNode? {
    _ = try reader.next()  // the stream begins
    guard case .documentStart = try reader.next().kind else { return nil }
    let root = try node(try reader.next(), depth: 0).node
    _ = try reader.next()  // the document ends
    let next = try reader.next()
    if case .documentStart = next.kind { throw YAMLError(.severalDocuments, in: next.range) }
    // A document of nothing (`---`) is as good as none.
    return root.isNull && root.range.bytes.isEmpty ? nil : root
  }

  private mutating func node(_ event: Event, depth: Int) throws(YAMLError) -> Built {
    switch event.kind {
    case .alias(let name):
      return try alias(name, event.range, depth: depth)
    case .scalar(let text, let isPlain, let properties):
      try begin(properties, event.range)
      let node = YAMLNode(.scalar(text, isPlain: isPlain), range: event.range)
      return complete(Built(node: node), properties)
    case .sequenceStart(let properties, let isFlow):
      try begin(properties, event.range, collectionAt: depth)
      return complete(try sequence(event.range, isFlow: isFlow, depth: depth + 1), properties)
    case .mappingStart(let properties, let isFlow):
      try begin(properties, event.range, collectionAt: depth)
      return complete(try mapping(event.range, isFlow: isFlow, depth: depth + 1), properties)
    case .documentStart, .collectionEnd, .other:
      preconditionFailure("libyaml sent no node where its grammar has one")
    }
  }

  private mutating func sequence(
    _ range: SourceRange, isFlow: Bool, depth: Int
  ) throws(YAMLError) -> Built {
    var built = Built(node: YAMLNode(.sequence([]), range: range), height: 1)
    var items: [YAMLNode] = []
    while true {
      let event = try reader.next()
      if case .collectionEnd = event.kind {
        built.node.content = .sequence(items)
        built.node.range.end = isFlow ? event.range.end : items.last?.range.end ?? range.end
        return built
      }
      items.append(Self.add(try node(event, depth: depth), to: &built))
    }
  }

  private mutating func mapping(
    _ range: SourceRange, isFlow: Bool, depth: Int
  ) throws(YAMLError) -> Built {
    var built = Built(node: YAMLNode(.mapping([]), range: range), height: 1)
    var entries: [YAMLNode.Entry] = []
    var places = KeyPlaces()
    while true {
      let event = try reader.next()
      if case .collectionEnd = event.kind {
        built.node.content = .mapping(entries)
        built.node.range.end = isFlow ? event.range.end : entries.last?.value.range.end ?? range.end
        return built
      }
      let key = Self.add(try node(event, depth: depth), to: &built)
      let value = Self.add(try node(try reader.next(), depth: depth), to: &built)
      guard let text = key.text else {
        problems.append(YAMLError(.keyIsNotText, in: key.range))
        continue
      }
      if let first = places.first(text, in: entries) {
        problems.append(YAMLError(.duplicateKey(first: first), in: key.range))
      }
      entries.append(YAMLNode.Entry(key: text, keyRange: key.range, value: value))
    }
  }

  private mutating func alias(_ name: String, _ range: SourceRange, depth: Int) throws(YAMLError) -> Built {
    switch anchors[name] {
    case nil: throw YAMLError(.unknownAlias, in: range)
    case .open: throw YAMLError(.recursiveAlias, in: range)
    case .complete(var built):
      guard depth + built.height <= YAMLParser.maximumDepth else { throw YAMLError(.tooDeep, in: range) }
      try count(built.size, range)
      built.node.range = range
      return built
    }
  }

  private mutating func begin(
    _ properties: Event.Properties, _ range: SourceRange, collectionAt depth: Int? = nil
  ) throws(YAMLError) {
    if properties.isTagged { problems.append(YAMLError(.tag, in: range)) }
    if let depth, depth >= YAMLParser.maximumDepth { throw YAMLError(.tooDeep, in: range) }
    try count(1, range)
    if let anchor = properties.anchor { anchors[anchor] = .open }
  }

  private mutating func complete(_ built: Built, _ properties: Event.Properties) -> Built {
    if let anchor = properties.anchor { anchors[anchor] = .complete(built) }
    return built
  }

  private mutating func count(_ size: Int, _ range: SourceRange) throws(YAMLError) {
    nodes += size
    guard nodes <= YAMLParser.maximumNodes else { throw YAMLError(.tooLarge, in: range) }
  }

  /// Counts a child in, and hands its node on.
  private static func add(_ child: Built, to parent: inout Built) -> YAMLNode {
    parent.size += child.size
    parent.height = max(parent.height, child.height + 1)
    return child.node
  }
}

/// Finds the keys that a mapping has already. A few are compared one by one, which takes less time than hashing them.
private struct KeyPlaces {
  private static let few = 16
  private var places: [String: Mark] = [:]

  /// Where a key is among the entries so far; nil where it is new. Asked for each entry, in their order.
  mutating func first(_ key: String, in entries: [YAMLNode.Entry]) -> Mark? {
    if entries.count < Self.few { return entries.first { $0.key == key }?.keyRange.start }
    if places.isEmpty { for entry in entries { add(entry) } } else if let last = entries.last { add(last) }
    return places[key]
  }

  private mutating func add(_ entry: YAMLNode.Entry) {
    if places[entry.key] == nil { places[entry.key] = entry.keyRange.start }
  }
}
