import Application
import ArgumentParser
import Journal
import Model
import Reporting

/// `roboprov room rename`: gives a room another name in the manifest, and keeps its id, to which the record belongs.
struct RenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a room another name in the manifest; its record stays its own.",
    discussion: """
      roboprov room rename building.yaml 'Room 312' 'Reading Room'

      The record belongs to the room's id, which stays: an id that is made from the name is written into the manifest. Comments \
      and layout stay. A device that takes the room's name gets the new one with the next `apply`.
      """)

  @OptionGroup var subject: RoomArguments

  @Argument(help: "The new name.")
  var name: String

  @OptionGroup var record: KnownRecordOptions

  func run() async throws {
    let (building, names, lastKnown) = try subject.manifest(in: record, whatFor: "its name")
    let room = try names.find(subject.room, for: "ROOM")
    if let other = names.holder(of: name, besides: room) {
      throw CommandFailure(
        .usage, "there is a room “\(name.visible)” already, \(other.rawValue); nothing was changed",
        advice: "Choose a name that no other room has.")
    }
    let edit = try ManifestFile(subject.building).renaming(room, to: name)
    guard try subject.make(edit, "rename", of: room, called: name, in: building) else {
      return Console.say("\(name) has this name already.")
    }
    Console.say("\(names.name(of: room)) is now \(name). Its id stays \(room.rawValue), with its record.")
    let takesName = building.rooms.contains { $0.id == room && $0.settings[.roomName] != nil }
    guard takesName, lastKnown.rooms[room]?.bindings.isEmpty == false else { return }
    Console.say("Its device gets the new name when it is written again.")
    Console.say(
      "Next: roboprov apply \(subject.building.shellQuoted)\(Preferences.argument(naming: record.reports))")
  }
}
