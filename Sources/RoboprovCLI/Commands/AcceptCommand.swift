import ArgumentParser
import Foundation
import Model

/// `roboprov accept`: somebody takes a room as it is.
struct AcceptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Accept a room that is not done, with a reason and a name that every report shows.",
    discussion: "Runs leave the room alone until it is named with --force. When it is done, the waiver ends.")

  @OptionGroup var subject: RoomArguments

  @Option(help: ArgumentHelp("Why it is acceptable.", valueName: "text"))
  var reason: String

  @Option(help: ArgumentHelp("Who answers for it.", valueName: "name"))
  var by: String

  @Option(help: "What goes to stdout: nothing, or the change for programs.")
  var output = OutputFormat.text

  func validate() throws {
    for (option, text) in [("--reason", reason), ("--by", by)] {
      guard text.contains(where: { !$0.isWhitespace }) else {
        throw ValidationError("\(option) is empty: a waiver without it is none")
      }
    }
  }

  func run() async throws {
    let amendment = try Amendment(subject.building, in: subject.places, sealedBy: subject.seal)
    let room = try amendment.room(subject.room)
    let name = amendment.name(of: room)
    if try amendment.isDone(room) {
      throw CommandFailure(.usage, "\(name) is done", cure: "There is nothing to accept.")
    }
    try await amendment.commit(
      .accept, [.roomAccepted(.init(room: room, reason: reason, by: by))], of: room)
    let change = ChangeJSON.Source(
      kind: .accept, building: amendment.building.id, room: room, name: name, run: amendment.run.id,
      reason: reason, by: by)
    ChangeJSON.show(change, as: output)
    Console.say("\(name) is accepted as it is; reports say so, and why.")
  }
}
