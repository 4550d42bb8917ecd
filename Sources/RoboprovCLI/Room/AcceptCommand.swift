import Application
import ArgumentParser
import Model

/// `roboprov room accept`: accepts a room that is not done.
struct AcceptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Accept a room that is not done; every report shows the reason and the person.",
    discussion: """
      roboprov room accept building.yaml 'Room 312' --reason 'no power until May' --by 'R. Keller'
      roboprov room accept seeblick room-312 --reason 'walled in' --by 'R. Keller' --output json

      Later runs skip the room unless --force names it. The acceptance ends when the room is done, is \
      retired or gets another device.
      """)

  @OptionGroup var arguments: AmendmentArguments

  @Option(help: ArgumentHelp("Why the room is acceptable as it is.", valueName: "text"))
  var reason: String

  @Option(help: ArgumentHelp("The person who is responsible for the decision.", valueName: "name"))
  var by: String

  func validate() throws {
    for (option, text) in [("--reason", reason), ("--by", by)] {
      guard text.contains(where: { !$0.isWhitespace }) else {
        throw ValidationError("\(option) must not be empty")
      }
    }
  }

  func run() async throws {
    let amendment = try arguments.amendment()
    let name = amendment.name
    switch try amendment.status().kind {
    case .done: throw CommandFailure(.usage, "\(name) is done: there is nothing to accept")
    case .retired: throw CommandFailure(.usage, "\(name) is out of service: there is nothing to accept")
    default: break
    }
    try await arguments.commit(
      .accept, [.roomAccepted(.init(room: amendment.room, reason: reason, by: by))], of: amendment,
      saying: ["\(name) is accepted as it is. Reports show the reason and the person."])
  }
}
