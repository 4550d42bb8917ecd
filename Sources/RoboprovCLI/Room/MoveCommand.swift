import Application
import ArgumentParser
import Manifest
import Model
import Reporting

/// `roboprov room move`: puts a room on another floor of the manifest.
struct MoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Put a room on another floor of the manifest; its record and its settings stay.",
    discussion: """
      roboprov room move building.yaml 'Room 312' --floor 4

      No device is written for it: a floor is where people look for the room, and which adapters are near.
      """)

  @OptionGroup var subject: RoomArguments

  @Option(help: "The floor, as other rooms of the manifest name it.")
  var floor: String

  @OptionGroup var record: KnownRecordOptions

  func run() async throws {
    let (building, names, _) = try subject.manifest(in: record, whatFor: "its floor")
    let room = try names.find(subject.room, for: "ROOM")
    let name = names.name(of: room)
    let edit = try ManifestFile(subject.building).moving(room, to: floor)
    guard try subject.make(edit, "move", of: room, called: name, in: building) else {
      return Console.say("\(name) is on floor \(floor.visible) already.")
    }
    Console.say("\(name) is now on floor \(floor.visible).")
    guard !building.rooms.contains(where: { $0.id != room && $0.floor == floor }) else { return }
    let floors = Set(building.rooms.compactMap(\.floor)).sorted()
    Console.say(
      "It is the only room there\(floors.isEmpty ? "" : "; others: \(floors.joined(separator: ", ").visible)")."
    )
  }
}
