import Application
import ArgumentParser
import Model
import Engine
import Reporting

/// The rooms that `apply` and `plan` work on.
struct SelectionOptions: ParsableArguments {
  /// The heading of the options that most runs need, in help.
  static let everyDay = "Every day"

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Only these rooms: an id or a name, a pattern ('Room 3*', with ? for one character), floor:NAME, tag:NAME, \
      \(BuiltIn.number):301 or \(BuiltIn.number):301-332. Give one or more, after the manifest. Quote names with spaces, and patterns.
      """, valueName: "rooms ..."), completion: .rooms)
  var only: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Exclude these rooms, named as for --only.", valueName: "rooms ..."),
    completion: .rooms)
  var skip: [String] = []

  @Flag(help: "Only rooms that are not done yet, over all runs on record.")
  var failed = false

  /// The options as they follow the manifest in a command line.
  var words: String {
    func option(_ name: String, _ rooms: [String]) -> String {
      rooms.isEmpty ? "" : " \(name) \(rooms.map(\.shellQuoted).joined(separator: " "))"
    }
    return option("--only", only) + option("--skip", skip) + (failed ? " --failed" : "")
  }
}

/// What `apply` and `plan` may do against the record.
struct PermissionOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Write these rooms even if the record has them done, accepted or retired.", valueName: "room ..."),
    completion: .room)
  var force: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Permit these rooms another sensor than on record.", valueName: "room ..."),
    completion: .room)
  var rebind: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Overwrite the beacons of these rooms, even with settings of another room.", valueName: "room ..."),
    completion: .room)
  var overwrite: [String] = []

  @Flag(help: "Permit rooms that are done another identity.")
  var renumber = false

  var isEmpty: Bool { !renumber && force.isEmpty && rebind.isEmpty && overwrite.isEmpty }

  /// - Throws: `ValidationError` if they contradict the selection.
  func check(with selection: SelectionOptions) throws {
    if selection.failed, !force.isEmpty {
      throw ValidationError("--failed skips rooms that are done, and --force repeats them: give only one")
    }
  }
}

extension WorkScope {
  /// - Throws: `CommandFailure`: an unknown room.
  init(
    _ options: SelectionOptions, _ permitted: PermissionOptions, of building: Building, plan: ApplyPlan? = nil
  ) throws {
    let names = RoomNames(building)
    let permissions = RecordPermissions(
      rebind: try names.find(permitted.rebind, for: "--rebind"), renumber: permitted.renumber,
      force: try names.find(permitted.force, for: "--force"),
      overwrite: try names.find(permitted.overwrite, for: "--overwrite"))
    let selectors = RoomSelectors(building)
    let selection =
      try plan?.selection
      ?? RoomSelection(
        only: try selectors.find(options.only, for: "--only"),
        skip: try selectors.find(options.skip, for: "--skip"), unfinished: options.failed)
    self.init(selection, permissions)
  }
}
