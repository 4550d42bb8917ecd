import ArgumentParser
import Bluetooth
import Foundation
import Model

/// `roboprov replace`: a room's sensor is out of service; the room gets another.
struct ReplaceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Take a room's sensor out of service, so that the next run may give the room another.",
    discussion: """
      Listens first: a sensor that is still on air with the room's minor would be taken for its successor. Then \
      `apply` provisions the new one: give its address in the manifest, or let the room take any.
      """)

  @OptionGroup var subject: RoomArguments

  @Option(help: ArgumentHelp("Why; on record.", valueName: "text"))
  var reason: String?

  @Option(
    help: ArgumentHelp("Which sensor, where merged records have several for the room.", valueName: "address"))
  var device: String?

  @OptionGroup var silence: SilenceOptions

  func run() async throws {
    let amendment = try Amendment(subject.building, in: subject.places, sealedBy: subject.seal)
    let room = try amendment.room(subject.room)
    let old = try device(of: room, in: amendment)
    let silent = try await silence.check([old])
    try await amendment.commit(
      .replace,
      [
        .bindingReleased(
          .init(room: room, address: old, cause: .replaced, reason: reason, silent: silent[old]))
      ], of: room)
    let name = amendment.name(of: room)
    Console.say("\(old) is out of service; the next run may give \(name) another sensor.")
    if amendment.building.source?.building.rooms.first(where: { $0.id == room })?.address == old {
      Console.say("The manifest still names it: give \(name) the address of the new one.")
    }
  }

  private func device(of room: RoomID, in amendment: Amendment) throws -> BluetoothAddress {
    let name = amendment.name(of: room)
    let bound = amendment.standing.rooms[room]?.bindings.map(\.address).sorted() ?? []
    guard !bound.isEmpty else {
      throw CommandFailure(
        .usage, "\(name) has no sensor on record", cure: "There is nothing to replace: run `roboprov apply`.")
    }
    let list = bound.map(\.description).joined(separator: ", ")
    if let text = device {
      guard let wanted = BluetoothAddress(text), bound.contains(wanted) else {
        throw CommandFailure(
          .usage, "--device: \(name) does not have \(text) on record", cure: "It has \(list).")
      }
      return wanted
    }
    guard bound.count == 1 else {
      throw CommandFailure(
        .usage, "\(name) has several sensors on record: \(list)", cure: "Say which with --device.")
    }
    return bound[0]
  }
}
