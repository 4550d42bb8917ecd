import CYAML

/// Reads one YAML document into a tree of nodes over libyaml's events.
///
/// Its unsafe pointers are libyaml's parser and current event: both live in one allocation that only this value's
/// `parse` call knows, are initialised before use and deleted on every way out.
public struct YAMLParser {
  /// Nesting allowed.
  public static let maximumDepth = 64
  /// Nodes allowed, each use of an alias counted in full: what a bomb of aliases runs into.
  public static let maximumNodes = 1_000_000

  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private var anchors: [String: (node: YAMLNode, size: Int)] = [:]
  private var nodes = 0

  /// The document in `bytes`, or nil when there is none: an empty text, or comments only.
  /// - Throws: the first thing that is wrong.
  public static func parse(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode? {
    try checkUTF8(bytes)
    let pointer = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    guard yaml_parser_initialize(pointer) == 1 else { preconditionFailure("libyaml is out of memory") }
    defer {
      yaml_parser_delete(pointer)
      pointer.deallocate()
    }
    let result = bytes.withUnsafeBufferPointer { buffer in
      yaml_parser_set_encoding(pointer, YAML_UTF8_ENCODING)
      yaml_parser_set_input_string(pointer, buffer.baseAddress, buffer.count)
      var parser = Self(parser: pointer)
      do throws(YAMLError) {
        return Result<YAMLNode?, YAMLError>.success(try parser.document())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private init(parser: UnsafeMutablePointer<yaml_parser_t>) {
    self.parser = parser
  }

  private static func checkUTF8(_ bytes: [UInt8]) throws(YAMLError) {
    if String(validating: bytes, as: UTF8.self) != nil { return }
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var mark = Mark(line: 1, column: 1)
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue("\n"):
        mark = Mark(line: mark.line + 1, column: 1)
      case .scalarValue:
        mark.column += 1
      case .error, .emptyInput:
        throw YAMLError(.notUTF8, at: mark)
      }
    }
  }

  private mutating func document() throws(YAMLError) -> YAMLNode? {
    _ = try next()
    guard case .documentStart = try next().kind else { return nil }
    let root = try node(try next(), depth: 1).node
    _ = try next()
    let end = try next()
    if case .documentStart = end.kind { throw YAMLError(.severalDocuments, at: end.range.start) }
    return root
  }

  private mutating func node(
    _ event: Event, depth: Int
  ) throws(YAMLError) -> (node: YAMLNode, size: Int) {
    if depth > Self.maximumDepth { throw YAMLError(.tooDeep, at: event.range.start) }
    let before = nodes
    var node: YAMLNode
    switch event.kind {
    case .alias(let name):
      guard let anchored = anchors[name] else { throw YAMLError(.unknownAlias, at: event.range.start) }
      try count(anchored.size, at: event.range.start)
      node = anchored.node
      node.range = event.range
    case .scalar(let text, let isPlain, let anchor):
      try count(1, at: event.range.start)
      node = YAMLNode(.scalar(text, isPlain: isPlain), range: event.range)
      remember(anchor, node, size: 1)
    case .sequenceStart(let anchor):
      try count(1, at: event.range.start)
      node = try sequence(from: event, depth: depth)
      remember(anchor, node, size: nodes - before)
    case .mappingStart(let anchor):
      try count(1, at: event.range.start)
      node = try mapping(from: event, depth: depth)
      remember(anchor, node, size: nodes - before)
    case .other, .documentStart, .sequenceEnd, .mappingEnd:
      preconditionFailure("libyaml sent no node where one must be")
    }
    return (node, nodes - before)
  }

  private mutating func remember(_ anchor: String?, _ node: YAMLNode, size: Int) {
    if let anchor { anchors[anchor] = (node, size) }
  }

  private mutating func count(_ size: Int, at mark: Mark) throws(YAMLError) {
    nodes += size
    if nodes > Self.maximumNodes { throw YAMLError(.tooLarge, at: mark) }
  }

  private mutating func sequence(from start: Event, depth: Int) throws(YAMLError) -> YAMLNode {
    var items: [YAMLNode] = []
    while true {
      let event = try next()
      if case .sequenceEnd = event.kind {
        return YAMLNode(.sequence(items), range: .init(start: start.range.start, end: event.range.end))
      }
      items.append(try node(event, depth: depth + 1).node)
    }
  }

  private mutating func mapping(from start: Event, depth: Int) throws(YAMLError) -> YAMLNode {
    var entries: [YAMLNode.Entry] = []
    var seen: [String: Mark] = [:]
    while true {
      let event = try next()
      if case .mappingEnd = event.kind {
        return YAMLNode(.mapping(entries), range: .init(start: start.range.start, end: event.range.end))
      }
      guard case .scalar(let key, _) = try node(event, depth: depth + 1).node.content else {
        throw YAMLError(.keyIsNotText, at: event.range.start)
      }
      if let first = seen.updateValue(event.range.start, forKey: key) {
        throw YAMLError(.duplicateKey(first: first), at: event.range.start)
      }
      let value = try node(try next(), depth: depth + 1).node
      entries.append(YAMLNode.Entry(key: key, keyRange: event.range, value: value))
    }
  }
}

// MARK: - Events

extension YAMLParser {
  private struct Event {
    enum Kind {
      case documentStart
      case alias(String)
      case scalar(String, isPlain: Bool, anchor: String?)
      case sequenceStart(anchor: String?)
      case sequenceEnd
      case mappingStart(anchor: String?)
      case mappingEnd
      case other
    }

    var kind: Kind
    var range: SourceRange
  }

  private func next() throws(YAMLError) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
    defer { yaml_event_delete(&event) }
    let kind: Event.Kind =
      switch event.type {
      case YAML_DOCUMENT_START_EVENT: .documentStart
      case YAML_ALIAS_EVENT: .alias(Self.text(event.data.alias.anchor) ?? "")
      case YAML_SCALAR_EVENT:
        .scalar(
          String(
            decoding: UnsafeBufferPointer(
              start: event.data.scalar.value, count: event.data.scalar.length), as: UTF8.self),
          isPlain: event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE,
          anchor: Self.text(event.data.scalar.anchor))
      case YAML_SEQUENCE_START_EVENT: .sequenceStart(anchor: Self.text(event.data.sequence_start.anchor))
      case YAML_SEQUENCE_END_EVENT: .sequenceEnd
      case YAML_MAPPING_START_EVENT: .mappingStart(anchor: Self.text(event.data.mapping_start.anchor))
      case YAML_MAPPING_END_EVENT: .mappingEnd
      default: .other
      }
    return Event(
      kind: kind, range: SourceRange(start: Self.mark(event.start_mark), end: Self.mark(event.end_mark)))
  }

  private func syntaxError() -> YAMLError {
    let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not YAML"
    return YAMLError(.syntax(problem), at: Self.mark(parser.pointee.problem_mark))
  }

  private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  private static func mark(_ mark: yaml_mark_t) -> Mark {
    Mark(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }
}
