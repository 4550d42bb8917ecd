import ArgumentParser

/// A word of a command line in the syntax of a shell, with quotes and backslashes.
enum ShellWord {
  /// The text of the word. An open quote extends to the end.
  static func text(of word: String) -> String {
    var text = ""
    var quote: Character?
    var isEscaped = false
    for character in word {
      if isEscaped {
        if quote == "\"", !"\"\\$`".contains(character) { text.append("\\") }
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { text.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
      } else {
        text.append(character)
      }
    }
    return text
  }

  /// A candidate in the form that the shell's completion script needs; nil if the shell cannot complete it.
  ///
  /// The script for bash expands a candidate like a word of a command line, including commands in it, so all
  /// special characters are escaped. In the completed line bash does not escape the characters that start an
  /// expansion, so a text with one of them is no candidate. zsh treats the text after a colon as a
  /// description.
  static func candidate(_ text: String, for shell: CompletionShell?) -> String? {
    switch shell {
    case .bash where text.contains(where: { "$`!".contains($0) }): nil
    case .bash: escaped(text) { !$0.isLetter && !$0.isNumber && !"_./:@%+=,-".contains($0) }
    case .zsh: escaped(text) { $0 == ":" || $0 == "\\" }
    default: text
    }
  }

  private static func escaped(_ text: String, _ isSpecial: (Character) -> Bool) -> String {
    text.reduce(into: "") { result, character in
      if isSpecial(character) { result.append("\\") }
      result.append(character)
    }
  }
}
