import ArgumentParser

/// What every change of the record names: the building, the room in it, and where the record is.
struct RoomArguments: ParsableArguments {
  @Argument(help: BuildingReference.help, completion: .building)
  var building: String

  @Argument(help: "The room, by id or name.", completion: .room)
  var room: String

  @OptionGroup var places: RecordOptions

  @OptionGroup var seal: SealOptions
}
