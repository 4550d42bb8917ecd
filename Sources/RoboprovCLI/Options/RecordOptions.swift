import Application
import ArgumentParser

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

  var keeping: RecordKeeping {
    RecordKeeping(
      reports: reports, mirror: mirror,
      operatedBy: operatedBy,
      reportsOption: Preferences.argument(naming: reports))
  }
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
