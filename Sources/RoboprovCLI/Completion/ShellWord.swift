/// A word of a command line as a shell has it, with quotes and backslashes.
enum ShellWord {
  /// What the word stands for. A quote that is not closed yet reaches to the end.
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

  /// A candidate as the completion script of a shell takes it; nil where the shell cannot take it.
  ///
  /// The script for bash expands a candidate like a word of a command line, with the commands in it, so all special characters are
  /// escaped. In the completed line bash does not escape the characters that start an expansion: a text that has one is no
  /// candidate. zsh takes what follows a colon for a description.
  static func candidate(_ text: String, for shell: CompletionsCommand.Shell?) -> String? {
    switch shell {
    case .bash where text.contains(where: { "$`!".contains($0) }): nil
    case .bash: escaped(text) { !$0.isLetter && !$0.isNumber && !"_./:@%+=,-".contains($0) }
    case .zsh: escaped(text) { $0 == ":" || $0 == "\\" }
    case .fish, nil: text
    }
  }

  private static func escaped(_ text: String, _ isSpecial: (Character) -> Bool) -> String {
    text.reduce(into: "") { result, character in
      if isSpecial(character) { result.append("\\") }
      result.append(character)
    }
  }
}
