import ArgumentParser
import Bluetooth
import Foundation
import Model

/// `roboprov retire`: a room is out of service, its sensor with it.
struct RetireCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire",
    abstract: "Take a room out of service, and its sensor with it.",
    discussion: "Listens first, as `replace` does. Runs leave the room alone until it is named with --force.")

  @OptionGroup var subject: RoomArguments

  @Option(help: ArgumentHelp("Why; on record.", valueName: "text"))
  var reason: String?

  @OptionGroup var silence: SilenceOptions

  @Option(help: "What goes to stdout: nothing, or the change for programs.")
  var output = OutputFormat.text

  func run() async throws {
    let amendment = try Amendment(subject.building, in: subject.places, sealedBy: subject.seal)
    let room = try amendment.room(subject.room)
    let name = amendment.name(of: room)
    guard amendment.standing.rooms[room]?.retirement == nil else {
      throw CommandFailure(.usage, "\(name) is out of service already")
    }
    let devices = amendment.standing.rooms[room]?.bindings.map(\.address).sorted() ?? []
    let silent = try await silence.check(devices)
    let released = devices.map { device in
      Fact.bindingReleased(
        .init(room: room, address: device, cause: .retired, reason: reason, silent: silent[device]))
    }
    try await amendment.commit(
      .retire, released + [.roomRetired(.init(room: room, reason: reason))], of: room)
    let change = ChangeJSON.Source(
      kind: .retire, building: amendment.building.id, room: room, name: name, run: amendment.run.id,
      released: devices.map { ($0, silent[$0]) }, reason: reason)
    ChangeJSON.show(change, as: output)
    Console.say("\(name) is out of service." + (devices.first.map { " So is its sensor \($0)." } ?? ""))
  }
}
