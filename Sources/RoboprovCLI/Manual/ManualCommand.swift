import Application
import ArgumentParser
import FoundationEssentials

/// `roboprov manual`: prints the manual pages, for packages. `roboprov help` does not list this command.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Print the manual page of a command, or write the pages of all commands.",
    discussion: """
      roboprov manual report sign | man -l -
      roboprov manual --into man1
      """,
    shouldDisplay: false)

  @Argument(help: ArgumentHelp("The command. Default: the program itself.", valueName: "command"))
  var command: [String] = []

  @Option(
    help: ArgumentHelp("Write the pages of all commands to this directory.", valueName: "dir"),
    completion: .directory)
  var into: String?

  func validate() throws {
    guard into == nil || command.isEmpty else {
      throw ValidationError("--into writes the pages of all commands: leave out the command")
    }
  }

  func run() throws {
    let pages = ManualPage.pages(of: CommandTree(of: Roboprov.self))
    if let into {
      for page in pages { try OutputFile.write(page.text, to: "\(into)/\(page.name).1") }
      return
    }
    let name = (["roboprov"] + command).joined(separator: "-")
    guard let page = pages.first(where: { $0.name == name }) else {
      throw CommandFailure(
        .usage, "there is no command “\((["roboprov"] + command).joined(separator: " "))”",
        advice: "`roboprov help` lists the commands.")
    }
    Console.data(page.text)
  }
}
