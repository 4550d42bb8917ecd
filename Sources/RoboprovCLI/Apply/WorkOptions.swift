import Application
import ArgumentParser
import Model
import Engine

/// The options of `apply` and `plan` for the selection of rooms and for permissions against the record.
struct WorkOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Only these rooms, one or more, behind the manifest: an id or a name, a pattern ('Room 3*', '*-suite', with ? for \
      one character), tag:NAME, floor:NAME, \(BuiltIn.number):301 or \(BuiltIn.number):301-332. Case does not matter, except in ids. What a room \
      is called like is that room, whatever else it could mean. In quotes, since the shell has its own use for spaces, * \
      and ?: --only 'Room 3*' floor:2 \(BuiltIn.number):301-332.
      """, valueName: "rooms ..."), completion: .rooms)
  var only: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Exclude these rooms, named as for --only; both can be combined: --only floor:3 --skip tag:vacant.",
      valueName: "rooms ..."), completion: .rooms)
  var skip: [String] = []

  @Flag(help: "Only rooms that are not done yet, over all runs on record.")
  var failed = false

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Do these rooms even if the record has them done, accepted or retired.", valueName: "room ..."),
    completion: .room)
  var force: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Let these rooms have another sensor than on record.", valueName: "room ..."),
    completion: .room)
  var rebind: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Write over whatever the beacons of these rooms hold, be it another room's.", valueName: "room ..."),
    completion: .room)
  var overwrite: [String] = []

  @Flag(help: "Let rooms that were provisioned get another identity.")
  var renumber = false

  @OptionGroup var seal: SealOptions

  func validate() throws {
    if failed, !force.isEmpty {
      throw ValidationError("--failed leaves alone what is done, and --force does it again: give one of them")
    }
  }
}

extension WorkScope {
  /// - Throws: `CommandFailure`: an unknown room.
  init(_ options: WorkOptions, of building: Building, plan: ApplyPlan? = nil) throws {
    let names = RoomNames(building)
    let permissions = RecordPermissions(
      rebind: try names.find(options.rebind, for: "--rebind"), renumber: options.renumber,
      force: try names.find(options.force, for: "--force"),
      overwrite: try names.find(options.overwrite, for: "--overwrite"))
    let selectors = RoomSelectors(building)
    let selection =
      try plan?.selection
      ?? RoomSelection(
        only: try selectors.find(options.only, for: "--only"),
        skip: try selectors.find(options.skip, for: "--skip"), unfinished: options.failed)
    self.init(selection, permissions)
  }
}
