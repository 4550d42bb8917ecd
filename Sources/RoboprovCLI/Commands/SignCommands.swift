import ArgumentParser
import FoundationEssentials
import Journal
import Model
import Reporting

/// `roboprov report check BUILDING`: checks that the reports match the journals and that the signature is
/// valid.
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that the journals are complete, the reports match them and the signature is valid.",
    discussion: """
      roboprov report check seeblick
      roboprov report check building.yaml --signers allowed_signers --as qa@example.org

      Without --signers it accepts a signature by any key and prints the key's fingerprint. Exit status \
      \(ExitStatus.incomplete.rawValue) if a report differs; \(ExitStatus.record.rawValue) if a journal is damaged, a file \
      changed after it was signed, or the signature is not valid.
      """)

  @Argument(help: BuildingReference.help, completion: .building)
  var building: String

  @Option(help: ArgumentHelp("Where reports are.", valueName: "dir"), completion: .directory)
  var reports = Preferences.current.reports

  @Option(
    help: ArgumentHelp("The file of allowed signers (ssh-keygen(1), ALLOWED SIGNERS).", valueName: "file"),
    completion: .file())
  var signers: String?

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("The identity in --signers that must have signed.", valueName: "identity"))
  var identity: String?

  @OptionGroup var seal: SealOptions

  @Option(help: "What goes to stdout.")
  var output = OutputFormat.text

  func validate() throws {
    guard (signers == nil) == (identity == nil) else {
      throw ValidationError("--signers and --as need each other: give both")
    }
  }

  func run() async throws {
    let checked = try CheckedReports(building, in: reports, seal)
    let signature = Signature(folder: checked.set.folder)
    var signed: String?
    if signature.exists {
      let changed = try signature.changed()
      guard changed.isEmpty else {
        throw CommandFailure(
          .record, "changed after signing: \(changed.map(\.visible).joined(separator: ", "))",
          advice: "If a later run or change explains this, sign again with `roboprov report sign`.")
      }
      signed = try signature.verify(signers, as: identity)
    } else if signers != nil {
      throw CommandFailure(
        .record, "\(checked.set.folder) is not signed", advice: "Sign it with `roboprov report sign`.")
    }
    // The result of the signature check is printed before the reports are checked, which can throw.
    if output == .text {
      Console.data((signed.map { "The signature is valid: \($0.visible)" } ?? "Not signed.") + "\n")
    }
    try checked.require()
    switch output {
    case .text:
      Console.data(
        "The journals are complete, and every report matches them (\(checked.set.paths.count) files).\n")
    case .json:
      let form = CheckJSON.form.value((checked.report.building, signed, checked.set.paths))
      Console.data(form.pretty)
    }
  }
}

/// `roboprov report sign BUILDING --key FILE`: signs the record of a building that is done.
struct SignCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Sign a building's journals and reports with an OpenSSH key, once every room is done.",
    discussion: """
      roboprov report sign building.yaml --key ~/.ssh/id_ed25519

      Writes building.sums, the SHA-256 of every journal and report, and building.sums.sig, its signature, beside the reports. \
      A room that is not done has to be accepted first.
      """)

  @Argument(help: BuildingReference.help, completion: .building)
  var building: String

  @Option(help: ArgumentHelp("The private key.", valueName: "file"), completion: .file())
  var key: String

  @Option(help: ArgumentHelp("Where reports are.", valueName: "dir"), completion: .directory)
  var reports = Preferences.current.reports

  @OptionGroup var seal: SealOptions

  @Option(help: "What goes to stdout: nothing, or the signed files for programs.")
  var output = OutputFormat.text

  func run() async throws {
    let checked = try CheckedReports(building, in: reports, seal)
    try checked.require()
    let open = checked.report.open
    guard open.isEmpty else {
      let names = open.prefix(5).map(\.name.visible).joined(separator: ", ")
      throw CommandFailure(
        .incomplete,
        "\(open.count) \(open.count == 1 ? "room is" : "rooms are") open: \(names)\(open.count > 5 ? " …" : "")",
        advice:
          "See `roboprov status \(building)`. Accept rooms that stay as they are with `roboprov accept`.")
    }
    let signature = Signature(folder: checked.set.folder)
    try signature.sign(checked.set.paths, with: key, of: checked.report.building, in: reports)
    Console.say("Signed \(checked.set.paths.count) files: \(checked.set.folder)/\(Signature.signature)")
    if output == .json {
      let form = SignatureJSON.form.value(
        (checked.report.building, "\(checked.set.folder)/\(Signature.signature)", checked.set.paths))
      Console.data(form.pretty)
    }
  }
}

/// A building's files and the report that its journals yield.
private struct CheckedReports {
  let set: ReportSet
  let report: BuildingReport
  private let name: String

  init(_ name: String, in reports: String, _ seal: SealOptions) throws {
    self.name = name
    let reference = try BuildingReference.find(name)
    set = try ReportSet(reference.id, in: reports)
    report = try set.report(
      reference.source.map { ($0, reference.text) },
      try reference.source.flatMap { try SiteRecord.existingSeal(for: $0.building, seal) })
  }

  /// - Throws: `CommandFailure` when a file differs from what the journals yield.
  func require() throws {
    let differences = set.differences(from: report)
    guard let first = differences.first else { return }
    let more = differences.count > 1 ? ", and \(differences.count - 1) more" : ""
    throw CommandFailure(
      .incomplete, "\(set.folder)/\(first.path.visible) \(first.words)\(more)",
      advice: """
        Write it again from the journals: `roboprov report \(report.building.visible) RUN` for a run's report, \
        `roboprov status \(name.visible) --write` for the building's reports.
        """)
  }
}
