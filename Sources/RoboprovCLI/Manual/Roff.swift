/// Text for man(7).
enum Roff {
  /// The text, escaped for man(7).
  static func escaped(_ text: some StringProtocol) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") ? "\\&" + result : result
  }

  /// Text in which `code` is bold.
  static func prose(_ text: String) -> String {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false)
    guard parts.count % 2 == 1 else { return escaped(text) }
    let styled = parts.enumerated().map { index, part in
      part.isEmpty ? "" : index % 2 == 0 ? escapedInside(part) : bold(part)
    }.joined()
    return styled.hasPrefix(".") ? "\\&" + styled : styled
  }

  private static func escapedInside(_ text: Substring) -> String {
    let text = escaped(text)
    return text.hasPrefix("\\&") ? String(text.dropFirst(2)) : text
  }

  static func bold(_ text: some StringProtocol) -> String { "\\fB" + escaped(text) + "\\fR" }
  static func italic(_ text: some StringProtocol) -> String { "\\fI" + escaped(text) + "\\fR" }

  /// A section's heading.
  static func heading(_ text: String) -> String { ".SH " + escaped(text) }
  /// A term and its explanation.
  static func term(_ term: String, _ text: String) -> [String] { [".TP", term, text] }
}
