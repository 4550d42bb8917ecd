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
    Console.data(Roboprov.completionScript(for: kind) + "\n")
  }
}
