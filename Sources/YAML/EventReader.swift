internal import CYAML
import Source

/// A parser event of libyaml.
struct Event {
  var kind: Kind
  var range: SourceRange

  enum Kind {
    case documentStart
    case alias(String)
    case scalar(String, isPlain: Bool, Properties)
    case sequenceStart(Properties, isFlow: Bool)
    case mappingStart(Properties, isFlow: Bool)
    case collectionEnd
    case other
  }

  /// The properties before a node: `&anchor !tag`.
  struct Properties {
    var anchor: String?
    var isTagged: Bool
  }
}

/// libyaml's parser over one file. All pointers of libyaml stay in this type.
///
/// The parser stores a pointer to itself and one to its input, so both have allocations of their own from
/// `init` to `deinit`. The type is not copyable, so they are freed exactly once. `next()` copies what it
/// returns.
struct EventReader: ~Copyable {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>
  private var cursor: ScalarCursor

  init(_ source: SourceText) {
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    input = .allocate(capacity: source.bytes.count - source.start)
    _ = input.initialize(from: source.bytes[source.start...])
    cursor = ScalarCursor(source)
    precondition(yaml_parser_initialize(parser) == 1, "libyaml is out of memory")
    yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    input.deallocate()
  }

  /// The next event.
  /// - Throws: an error that makes the rest of the file unreadable. Do not call `next()` after an error or
  ///   after the end of the stream.
  mutating func next() throws(YAMLError) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw error() }
    defer { yaml_event_delete(&event) }
    let start = cursor.mark(of: event.start_mark.index)
    let end = cursor.mark(of: event.end_mark.index)
    return Event(kind: Self.kind(of: event), range: SourceRange(start: start, end: max(start, end)))
  }

  private static func kind(of event: yaml_event_t) -> Event.Kind {
    switch event.type {
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_ALIAS_EVENT: return .alias(text(event.data.alias.anchor) ?? "")
    case YAML_SCALAR_EVENT:
      let data = event.data.scalar
      let bytes = UnsafeBufferPointer(start: data.value, count: data.length)
      return .scalar(
        String(decoding: bytes, as: UTF8.self), isPlain: data.style == YAML_PLAIN_SCALAR_STYLE,
        properties(data.anchor, data.tag))
    case YAML_SEQUENCE_START_EVENT:
      let data = event.data.sequence_start
      return .sequenceStart(
        properties(data.anchor, data.tag), isFlow: data.style == YAML_FLOW_SEQUENCE_STYLE)
    case YAML_MAPPING_START_EVENT:
      let data = event.data.mapping_start
      return .mappingStart(properties(data.anchor, data.tag), isFlow: data.style == YAML_FLOW_MAPPING_STYLE)
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return .collectionEnd
    default: return .other
    }
  }

  private static func properties(
    _ anchor: UnsafeMutablePointer<yaml_char_t>?, _ tag: UnsafeMutablePointer<yaml_char_t>?
  ) -> Event.Properties {
    Event.Properties(anchor: text(anchor), isTagged: tag != nil)
  }

  private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  /// Converts libyaml's English error text to a code.
  private mutating func error() -> YAMLError {
    precondition(parser.pointee.error != YAML_MEMORY_ERROR, "libyaml is out of memory")
    let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not YAML"
    let context = parser.pointee.context.map { String(cString: $0) } ?? ""
    let place = cursor.mark(of: parser.pointee.problem_mark.index).offset
    let begin = context.isEmpty ? nil : cursor.mark(of: parser.pointee.context_mark.index).offset
    return SyntaxProblem(problem: problem, context: context, place: place, begin: begin)
      .error(in: cursor.source)
  }
}

/// Converts libyaml's indices to marks. An index counts Unicode scalars from the start of the text; libyaml's
/// own line numbers are not used, because libyaml also ends lines at U+0085 and U+2028, which editors do not.
/// Indices arrive almost in order, so continuing from the last one makes the conversion linear in the file
/// size.
private struct ScalarCursor {
  let source: SourceText
  private var index = 0
  private var mark: Mark

  init(_ source: SourceText) {
    self.source = source
    mark = Mark(line: 1, column: 1, offset: source.start, text: source.number)
  }

  mutating func mark(of target: Int) -> Mark {
    if target < index { goBack(to: target) }
    guard target > index else { return mark }
    source.bytes.withUnsafeBufferPointer { bytes in
      var (line, column, offset) = (mark.line, mark.column, mark.offset)
      while index < target, offset < bytes.count {
        let byte = bytes[offset]
        offset += 1
        while offset < bytes.count, bytes[offset].isContinuation { offset += 1 }
        index += 1
        column += 1
        let isBeforeLF = offset < bytes.count && bytes[offset] == UInt8(ascii: "\n")
        if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") && !isBeforeLF {
          line += 1
          column = 1
        }
      }
      mark = Mark(line: line, column: column, offset: offset, text: source.number)
    }
    return mark
  }

  private mutating func goBack(to target: Int) {
    var offset = mark.offset
    while index > target {
      repeat { offset -= 1 } while source.bytes[offset].isContinuation
      index -= 1
    }
    mark = source.mark(at: offset)
  }
}
