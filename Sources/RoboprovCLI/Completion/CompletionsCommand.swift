public import ArgumentParser

/// `roboprov completions SHELL`: prints the completion script of a shell.
struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print the completion script for bash, zsh or fish.",
    discussion: """
      roboprov completions bash > ~/.local/share/bash-completion/completions/roboprov
      roboprov completions zsh > ~/.zfunc/_roboprov
      roboprov completions fish > ~/.config/fish/completions/roboprov.fish

      The script completes commands, options, files, the buildings in the reports directory, and the rooms of the manifest or \
      building on the command line. The Debian package and `make install` install the scripts of all three shells. For zsh, the \
      directory of the script must be in fpath.
      """)

  @Argument(help: "The shell that reads the script.")
  var shell: CompletionShell

  func run() {
    Console.data(Roboprov.completionScript(for: shell) + "\n" + (shell == .bash ? Self.joiningColons : ""))
  }

  /// An addition to the argument parser's script for bash, which splits a word with a colon, such as
  /// `floor:3`, into several words.
  private static let joiningColons = """

    # Joins the words that bash splits at colons, then removes the text up to the last colon from the candidates.
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

extension CompletionShell: @retroactive ExpressibleByArgument {}
