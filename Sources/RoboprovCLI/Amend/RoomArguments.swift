import Application
import Reporting
import ArgumentParser

/// The arguments of every change of the record: the building, the room, and the place of the record.
struct RoomArguments: ParsableArguments {
  @Argument(help: BuildingReference.help, completion: .building)
  var building: String

  @Argument(help: "The room, by id or name.", completion: .room)
  var room: String

  @OptionGroup var record: RecordOptions

  @OptionGroup var seal: SealOptions
}

extension ChangeJSON {
  func show(as output: OutputFormat) {
    if output == .json { Console.data(value.pretty) }
  }
}
