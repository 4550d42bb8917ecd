import Application
import ArgumentParser
import FoundationEssentials
import Model

/// `roboprov accept`: accepts a room that is not done (a waiver).
struct AcceptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Accept a room that is not done; every report shows the reason and the person.",
    discussion: """
      roboprov accept building.yaml 'Room 312' --reason 'no power until May' --by 'R. Keller'
      roboprov accept seeblick room-312 --reason 'walled in' --by 'R. Keller' --output json

      Later runs skip the room unless --force names it. The waiver ends when the room is done.
      """)

  @OptionGroup var subject: RoomArguments

  @Option(help: ArgumentHelp("Why the room is acceptable as it is.", valueName: "text"))
  var reason: String

  @Option(help: ArgumentHelp("The person who is responsible for the decision.", valueName: "name"))
  var by: String

  @Option(name: .output, help: "Format of stdout: nothing (text), or the change for programs (json).")
  var output = OutputFormat.text

  func validate() throws {
    for (option, text) in [("--reason", reason), ("--by", by)] {
      guard text.contains(where: { !$0.isWhitespace }) else {
        throw ValidationError("\(option) must not be empty")
      }
    }
  }

  func run() async throws {
    let amendment = try Amendment(subject.building, in: subject.record.keeping, siteKey: subject.seal.siteKey)
    let room = try amendment.room(subject.room)
    let name = amendment.name(of: room)
    switch try amendment.status(of: room).kind {
    case .done: throw CommandFailure(.usage, "\(name) is done: there is nothing to accept")
    case .retired: throw CommandFailure(.usage, "\(name) is out of service: there is nothing to accept")
    default: break
    }
    let report = try await amendment.commit(
      .accept, [.roomAccepted(.init(room: room, reason: reason, by: by))], of: room)
    let change = ChangeJSON(
      kind: .accept, building: amendment.building.id, room: room, name: name, run: amendment.run.id,
      reason: reason, by: by)
    change.show(as: output)
    Console.say("\(name) is accepted as it is. Reports show the reason and the person.")
    if let next = amendment.next(after: report) { Console.say(next) }
  }
}
