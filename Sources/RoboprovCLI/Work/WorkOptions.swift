import ArgumentParser

/// The options of `apply` and `plan` for the selection of rooms and for permissions against the record.
struct WorkOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Only these rooms, one or more, behind the manifest: an id or a name, a pattern ('Room 3*', '*-suite', with ? for \
      one character), tag:NAME, floor:NAME, \(Application.number):301 or \(Application.number):301-332. Case does not matter, except in ids. What a room \
      is called like is that room, whatever else it could mean. In quotes, since the shell has its own use for spaces, * \
      and ?: --only 'Room 3*' floor:2 \(Application.number):301-332.
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

/// The places of the record.
struct RecordOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Where reports go, and what earlier runs did is found.", valueName: "dir"),
    completion: .directory)
  var reports = Preferences.current.reports

  @Option(
    name: .customLong("mirror"),
    help: ArgumentHelp(
      "A second place for reports and journal, kept with the same care: a USB stick.", valueName: "dir"),
    completion: .directory)
  var namedMirror: String?

  @Option(
    name: .customLong("operator"),
    help: ArgumentHelp(
      "The person who does this, for the record; the login name if absent.", valueName: "name"))
  var namedOperator: String?

  /// The second place, from the command line or the configuration.
  var mirror: String? { namedMirror ?? Preferences.current.mirror }
  /// The person, from the command line or the configuration; nil for the login name.
  var operatedBy: String? { namedOperator ?? Preferences.current.operatedBy }
}

/// The place of the record for commands that only read it.
struct KnownRecordOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("With a manifest: where earlier runs are on record.", valueName: "dir"),
    completion: .directory)
  var reports = Preferences.current.reports
}

/// The place of the site's key.
struct SealOptions: ParsableArguments {
  @Option(
    name: .customLong("site-key"),
    help: ArgumentHelp(
      """
      The site's key, which tells whether passwords were changed; made when absent. Laptops that share a building \
      share it.
      """, valueName: "file"), completion: .file())
  var namedSiteKey: String?

  /// The key's file, from the command line or the configuration; nil for the one in the user's state
  /// directory.
  var siteKey: String? { namedSiteKey ?? Preferences.current.siteKey }
}
