import Application
import ArgumentParser

/// The places of the record.
struct RecordOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The reports directory, with the record of earlier runs.", valueName: "dir"),
    completion: .directory)
  var reports = Preferences.current.reports

  @Option(
    name: .customLong("mirror"),
    help: ArgumentHelp(
      "Also write journal and reports here, such as on a USB stick.", valueName: "dir"),
    completion: .directory)
  var namedMirror: String?

  @Option(
    name: .customLong("operator"),
    help: ArgumentHelp(
      "Your name, for the record. Default: the login name.", valueName: "name"))
  var namedOperator: String?

  /// The second place, from the command line or the environment.
  var mirror: String? { namedMirror ?? Preferences.current.mirror }
  /// The person, from the command line or the environment; nil for the login name.
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
    help: ArgumentHelp(
      "With a manifest: the reports directory, with the record of earlier runs.", valueName: "dir"),
    completion: .directory)
  var reports = Preferences.current.reports
}

/// The place of the site's key.
struct SealOptions: ParsableArguments {
  @Option(
    name: .customLong("site-key"),
    help: ArgumentHelp(
      """
      The site's key, by which a changed password is noticed. Created if absent. Laptops that work on the same building need \
      the same key.
      """, valueName: "file"), completion: .file())
  var namedSiteKey: String?

  /// The key's file, from the command line or the environment; nil for the one in the user's state
  /// directory.
  var siteKey: String? { namedSiteKey ?? Preferences.current.siteKey }
}
