import Hex
import Source
package import YAML

extension Diagnostic {
  /// The finding for a YAML error, with advice.
  package init(_ error: YAMLError) {
    let (code, message, advice) = Self.words(for: error.problem)
    self.init(.error, code, message, at: error.range, advice: advice)
    switch error.problem {
    case .duplicateKey(let first):
      notes = [Note("the first", at: SourceRange(start: first, end: first))]
    case .brokenBrackets(let opened):
      notes = [Note("opened here", at: SourceRange(start: opened, end: opened))]
    default: break
    }
  }

  private static func words(for problem: YAMLError.Problem) -> (DiagnosticCode, String, String?) {
    switch problem {
    case .fileTooLarge(let bytes):
      (
        .fileTooLarge, "the file has \(bytes) bytes; \(YAMLParser.maximumBytes) are allowed",
        "is it the right file?"
      )
    case .notUTF8: (.wrongEncoding, "not UTF-8 from here on", "save the file as UTF-8 in your editor")
    case .otherEncoding(let name):
      (.wrongEncoding, "the file is \(name), not UTF-8", "save the file as UTF-8 in your editor")
    case .forbiddenCharacter(0): (.forbiddenCharacter, "a NUL byte", "is it a text file?")
    case .forbiddenCharacter(let number):
      (
        .forbiddenCharacter,
        "the character U+\(number.hex(digits: 4, uppercase: true)) is not allowed",
        "delete it; in \"double quotes\" it can be written as an escape"
      )
    case .tab: (.tabIndentation, "a tab in the indentation", "use spaces only")
    case .unclosedQuote: (.yamlSyntax, "this quote is never closed", "close it, or leave it out")
    case .brokenBrackets: (.yamlSyntax, "a comma or closing bracket is missing before this", nil)
    case .unexpectedMapping:
      (
        .yamlSyntax, "a key and value cannot be here",
        "quote a text that contains `: `, or check the line's indentation"
      )
    case .missingColon:
      (.yamlSyntax, "a `:` is missing", "write `key: value`, or `- ` before an item of a list")
    case .misplaced:
      (
        .yamlSyntax,
        "this does not fit the lines above it",
        "check the indentation: the entries of a list or mapping start in the same column"
      )
    case .reservedCharacter:
      (.yamlSyntax, "a text cannot begin with this character", "put the text into quotes")
    case .unknownEscape:
      (
        .yamlSyntax,
        "this escape is unknown in \"double quotes\"",
        "use 'single quotes', where a backslash is a backslash"
      )
    case .syntax(let words): (.yamlSyntax, "not YAML: \(words)", nil)
    case .duplicateKey(let first):
      (.duplicateKey, "this key is on line \(first.line) already", "keep one of them")
    case .keyIsNotText: (.keyNotText, "a key must be a text", nil)
    case .tag: (.yamlTag, "tags (`!…`) mean nothing here", "leave it out; quote a text that begins with `!`")
    case .unknownAlias:
      (.badAlias, "an alias without an anchor before it", "quote a text that begins with `*`")
    case .recursiveAlias: (.badAlias, "an alias inside its own anchor", nil)
    case .severalDocuments:
      (.severalDocuments, "a second document", "keep one of them: remove the `---`")
    case .tooDeep: (.documentTooLarge, "nested deeper than \(YAMLParser.maximumDepth) levels", nil)
    case .tooLarge:
      (.documentTooLarge, "more than \(YAMLParser.maximumNodes) values, aliases counted in full", nil)
    }
  }
}
