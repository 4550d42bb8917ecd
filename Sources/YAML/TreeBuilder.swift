import Source

/// Builds a tree from events. It counts depth and nodes while it reads, so an alias bomb is rejected before
/// it expands.
struct TreeBuilder: ~Copyable {
  /// The errors after which the rest of the file is still readable.
  private(set) var problems: [YAMLError] = []

  private var reader: EventReader
  private var anchors: [String: Anchor] = [:]
  private var nodes = 0
  /// The number of entries of the last mapping.
  private var lastCount = 0

  private enum Anchor {
    /// The node is still being read; an alias to it would be recursive.
    case open
    case complete(Built)
  }

  /// A node with the size and height that each alias to it adds.
  private struct Built {
    var node: YAMLNode
    /// The number of nodes, this one included, with aliases expanded.
    var size = 1
    /// The levels of collections, this one included; 0 for a scalar.
    var height = 0
  }

  init(_ source: SourceText) {
    reader = EventReader(source)
  }

  /// The root of the text's only document; nil without a document.
  mutating func document() throws(YAMLError) -> YAMLNode? {
    _ = try reader.next()  // the stream begins
    guard case .documentStart = try reader.next().kind else { return nil }
    let root = try node(try reader.next(), depth: 0).node
    _ = try reader.next()  // the document ends
    let next = try reader.next()
    if case .documentStart = next.kind { throw YAMLError(.severalDocuments, in: next.range) }
    // An empty document (`---`) counts as none.
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
      preconditionFailure("libyaml gave no node where its grammar requires one")
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
    // The mappings of a list mostly have the same number of keys.
    entries.reserveCapacity(min(lastCount, 16))
    var places = KeyPlaces()
    while true {
      let event = try reader.next()
      if case .collectionEnd = event.kind {
        built.node.content = .mapping(entries)
        lastCount = entries.count
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

  /// Adds a child's size and height to its parent; returns the child's node.
  private static func add(_ child: Built, to parent: inout Built) -> YAMLNode {
    parent.size += child.size
    parent.height = max(parent.height, child.height + 1)
    return child.node
  }
}

/// Finds the earlier keys of a mapping. Up to 16 keys are compared one by one, which is faster than hashing.
private struct KeyPlaces {
  private static let few = 16
  private var places: [String: Mark] = [:]

  /// The place of an earlier entry with this key; nil for a new key. Call it for each entry, in order.
  mutating func first(_ key: String, in entries: [YAMLNode.Entry]) -> Mark? {
    if entries.count < Self.few { return entries.first { $0.key == key }?.keyRange.start }
    if places.isEmpty { for entry in entries { add(entry) } } else if let last = entries.last { add(last) }
    return places[key]
  }

  private mutating func add(_ entry: YAMLNode.Entry) {
    if places[entry.key] == nil { places[entry.key] = entry.keyRange.start }
  }
}
