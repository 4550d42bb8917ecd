import CGLib

/// Reads XML by glib's parser, which expands no entities but the five of XML, and opens nothing.
enum XMLReader {
  enum Event {
    /// The start of an element, and its attributes. Names are without their namespace's prefix, except that of an
    /// attribute of another namespace of the same name: `r:id`.
    case start(String, [String: String])
    case end(String)
    case text(String)
  }

  /// Gives the events of a document, in its order.
  /// - Throws: `damaged`, or what `take` throws first.
  static func read(
    _ bytes: [UInt8], _ take: @escaping (Event) throws(WorkbookProblem) -> Void
  ) throws(WorkbookProblem) {
    let sink = Sink(take)
    var parser = GMarkupParser()
    parser.start_element = { _, name, names, values, sink, error in
      var attributes: [String: String] = [:]
      var index = 0
      while let name = names?[index], let value = values?[index] {
        attributes[XMLReader.local(String(cString: name))] = String(cString: value)
        index += 1
      }
      Sink.take(.start(XMLReader.local(name.map { String(cString: $0) } ?? ""), attributes), sink, error)
    }
    parser.end_element = { _, name, sink, error in
      Sink.take(.end(XMLReader.local(name.map { String(cString: $0) } ?? "")), sink, error)
    }
    parser.text = { _, text, count, sink, error in
      let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
      Sink.take(.text(String(decoding: bytes, as: UTF8.self)), sink, error)
    }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    guard !text.isEmpty else { throw .damaged }
    // The context keeps the address of the parser, and the sink lives until the context is freed.
    let isRead = withExtendedLifetime(sink) {
      withUnsafePointer(to: parser) { parser in
        let context = g_markup_parse_context_new(
          parser, G_MARKUP_TREAT_CDATA_AS_TEXT, Unmanaged.passUnretained(sink).toOpaque(), nil)
        defer { g_markup_parse_context_free(context) }
        return text.withUnsafeBytes { text in
          g_markup_parse_context_parse(
            context, text.bindMemory(to: CChar.self).baseAddress, text.count, nil)
        } != 0 && g_markup_parse_context_end_parse(context, nil) != 0
      }
    }
    if let problem = sink.problem { throw problem }
    guard isRead else { throw .damaged }
  }

  /// `id` of `r:id` is not the `id` of its element.
  private static func local(_ name: String) -> String {
    guard let colon = name.lastIndex(of: ":"), name != "r:id" else { return name }
    return String(name[name.index(after: colon)...])
  }

  private final class Sink {
    private let take: (Event) throws(WorkbookProblem) -> Void
    private(set) var problem: WorkbookProblem?

    init(_ take: @escaping (Event) throws(WorkbookProblem) -> Void) { self.take = take }

    /// Gives an event to the sink of a callback; the error ends the parsing.
    static func take(
      _ event: Event, _ sink: UnsafeMutableRawPointer?,
      _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) {
      guard let sink else { return }
      let this = Unmanaged<Sink>.fromOpaque(sink).takeUnretainedValue()
      do throws(WorkbookProblem) {
        try this.take(event)
      } catch {
        this.problem = error
      }
      if this.problem != nil { error?.pointee = g_error_new_literal(g_markup_error_quark(), 0, "") }
    }
  }
}
