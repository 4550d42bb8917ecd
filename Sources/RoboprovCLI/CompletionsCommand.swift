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
    // bash splits a word with a colon, such as `floor:3`; the argument parser's script does not join its parts.
    let addition = shell == .bash ? "\n" + String(decoding: PackageResources.colons_bash, as: UTF8.self) : ""
    Console.data(Roboprov.completionScript(for: shell) + "\n" + addition)
  }
}

extension CompletionShell: @retroactive ExpressibleByArgument {}
