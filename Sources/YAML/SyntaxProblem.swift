import Source

/// A libyaml error with libyaml's texts.
struct SyntaxProblem {
  var problem: String
  var context: String
  /// Byte offset at which the parser stopped.
  var place: Int
  /// Byte offset at which the construct begins that libyaml was parsing.
  var begin: Int?

  /// Converts the error to a code at the place that the author must correct. The texts are those of
  /// `scanner.c` and `parser.c` in libyaml 0.2.5. An unknown text is passed on; all of them are literals and
  /// contain no input.
  func error(in source: SourceText) -> YAMLError {
    let here = scalar(at: place, in: source)
    let beginning = begin.map { scalar(at: $0, in: source) }
    if context.contains("quoted scalar"),
      problem.contains("end of stream") || problem.contains("document indicator")
    {
      return YAMLError(.unclosedQuote, in: beginning ?? here)
    }
    if isTab(at: place, in: source) || problem.contains("tab character") { return YAMLError(.tab, in: here) }
    if problem.contains("cannot start any token") { return YAMLError(.reservedCharacter, in: here) }
    if problem.contains("mapping values are not allowed") { return YAMLError(.unexpectedMapping, in: here) }
    if problem.contains("could not find expected ':'") {
      // libyaml notices the error at the end of the line or later; the key without a colon is where the
      // construct begins.
      return YAMLError(.missingColon, in: beginning ?? here)
    }
    if let begin, context.contains("flow mapping") || context.contains("flow sequence") {
      return YAMLError(.brokenBrackets(opened: source.mark(at: begin)), in: here)
    }
    if problem.contains("unknown escape character") { return YAMLError(.unknownEscape, in: here) }
    if problem.contains("did not find expected key") || problem.contains("did not find expected '-'")
      || problem.contains("not allowed in this context") || problem.contains("<document start>")
    {
      return YAMLError(.misplaced, in: here)
    }
    return YAMLError(.syntax(problem), in: here)
  }

  private func isTab(at offset: Int, in source: SourceText) -> Bool {
    offset < source.bytes.count && source.bytes[offset] == UInt8(ascii: "\t")
  }

  /// The range of the scalar at an offset; empty at the end of the file.
  private func scalar(at offset: Int, in source: SourceText) -> SourceRange {
    var end = offset
    if end < source.bytes.count {
      repeat { end += 1 } while end < source.bytes.count && source.bytes[end].isContinuation
    }
    return source.range(offset..<end)
  }
}
