import ArgumentParser

/// `roboprov completions SHELL`: the script with which a shell completes roboprov's command lines.
struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print the script with which bash, zsh or fish completes command lines.",
    discussion: """
      roboprov completions bash > ~/.local/share/bash-completion/completions/roboprov
      roboprov completions zsh > ~/.zfunc/_roboprov
      roboprov completions fish > ~/.config/fish/completions/roboprov.fish

      Completed are commands, options, files, the buildings in the reports directory, and the rooms of the manifest or building \
      that the command line names. The Debian package and `make install` install the scripts of all shells. For zsh the directory \
      of the script must be in fpath.
      """)

  @Argument(help: "The shell.")
  var shell: Shell

  /// A shell that can complete.
  enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash
    case zsh
    case fish
  }

  func run() {
    let kind: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    Console.data(Roboprov.completionScript(for: kind) + "\n" + (shell == .bash ? Self.joiningColons : ""))
  }

  /// What the parser's script for bash lacks: a word with a colon, such as floor:3, is several words for bash.
  private static let joiningColons = """

    # Joins the words that bash separates at colons, and takes what is in front of the last colon out of the candidates again.
    _roboprov_joining_colons() {
        local -a words=()
        local -i index cursor=0
        for index in "${!COMP_WORDS[@]}"; do
            if [[ "${index}" -gt 0 && ("${COMP_WORDS[index]}" = :* || "${COMP_WORDS[index - 1]}" = *:) ]]; then
                words[-1]+="${COMP_WORDS[index]}"
            else
                words+=("${COMP_WORDS[index]}")
            fi
            [[ "${index}" -eq "${COMP_CWORD}" ]] && cursor="$((${#words[@]} - 1))"
        done
        local word="${2}"
        [[ "${words[cursor]}" = *:* ]] && word="${words[cursor]}"
        local -a COMP_WORDS=("${words[@]}")
        local -i COMP_CWORD="${cursor}"
        _roboprov "${1}" "${word}" "${words[cursor - 1]}"
        if [[ "${COMP_WORDBREAKS}" = *:* && "${word}" = *:* ]]; then
            COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}")
        fi
    }

    complete -o filenames -F _roboprov_joining_colons roboprov

    """
}
