import ArgumentParser

/// `roboprov room`: the commands about one room.
struct RoomCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "room",
    abstract: "Replace a room's device, retire, accept, rename or move the room, or print its history.",
    discussion: """
      roboprov room replace building.yaml 'Room 312' --with C4:7C:8D:00:00:07
      roboprov room rename building.yaml 'Room 312' 'Reading Room'
      roboprov room history building.yaml 'Room 312'
      """,
    subcommands: [
      ReplaceCommand.self, RetireCommand.self, AcceptCommand.self, RenameCommand.self, MoveCommand.self,
      HistoryCommand.self,
    ])
}
