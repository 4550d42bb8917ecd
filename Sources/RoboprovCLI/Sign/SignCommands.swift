import Application
import Host
import Model
import ArgumentParser
import FoundationEssentials
import Journal
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
      \(ExitStatus.incomplete.rawValue) if a report differs, a file or run is there that does not belong there, or the record \
      has changed since it was signed; \(ExitStatus.record.rawValue) if a journal is damaged or missing, a signed file was \
      changed, or a signature is not valid.
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

  @Option(name: .output, help: "What goes to stdout.")
  var output = OutputFormat.text

  func validate() throws {
    guard (signers == nil) == (identity == nil) else {
      throw ValidationError("--signers and --as need each other: give both")
    }
  }

  func run() async throws {
    let checked = try CheckedReports(building, in: reports)
    // What was signed once stays as it is. Earlier states may have other signers.
    let newest = checked.set.signed.last?.name
    let states = try checked.set.signed.map { state in
      (state: state, by: state.name == newest ? try state.verify(signers, as: identity) : try state.verify())
    }
    guard states.allSatisfy({ $0.state.statement.building == checked.report.building }) else {
      throw CommandFailure(
        .record, "\(checked.set.folder)/\(SignedFolders.name) has the signed state of another building",
        advice: "Move it to the folder of that building.")
    }
    if signers != nil, states.isEmpty {
      throw CommandFailure(
        .record, "\(checked.set.folder) is not signed", advice: "Sign it with `roboprov report sign`.")
    }
    // The result of the signature check is printed before the reports are checked, which can throw.
    if output == .text {
      for (state, signer) in states {
        Console.data("The signature of \(state.statement.signed) is valid: \(signer.visible)\n")
      }
      if states.isEmpty { Console.data("Not signed.\n") }
    }
    try checked.require()
    switch output {
    case .text:
      Console.data(
        "The journals are complete, and every report matches them (\(checked.set.paths.count) files).\n")
    case .json:
      let value = JSONValue.values([
        "schema": "roboprov/check/1", "building": checked.report.building, "signature": states.last?.by,
        "signed_at": states.last?.state.signed, "files": checked.set.paths,
      ])
      Console.data(value.pretty)
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

      Copies every report into the folder signed/TIME of the building, with building.sums, the SHA-256 of every copy and \
      journal, and building.sums.sig, its signature. No command changes that folder again. A room that is not done has to be \
      accepted first.
      """)

  @Argument(help: BuildingReference.help, completion: .building)
  var building: String

  @Option(help: ArgumentHelp("The private key.", valueName: "file"), completion: .file())
  var key: String

  @Option(help: ArgumentHelp("Where reports are.", valueName: "dir"), completion: .directory)
  var reports = Preferences.current.reports

  @OptionGroup var seal: SealOptions

  @Option(name: .output, help: "What goes to stdout: nothing, or the signed files for programs.")
  var output = OutputFormat.text

  func run() async throws {
    let reference = try BuildingReference.find(building)
    guard FileManager.default.fileExists(atPath: "\(reports)/\(reference.id)") else {
      throw BuildingArchive.noRun(of: reference.id, in: reports)
    }
    // No run changes the record meanwhile.
    let lock = try Claims.building(reference.id, in: reports, for: RunIdentity())
    defer { lock.release() }
    let checked = try CheckedReports(building, in: reports)
    try checked.require(besidesSigned: true)
    let open = checked.set.report(besides: try reference.subject(siteKey: seal.siteKey)).open
    guard open.isEmpty else {
      let names = open.prefix(5).map(\.name.visible).joined(separator: ", ")
      throw CommandFailure(
        .incomplete,
        "\(open.count) \(open.count == 1 ? "room is" : "rooms are") open: \(names)\(open.count > 5 ? " …" : "")",
        advice:
          "See `roboprov status \(building)`. Accept rooms that stay as they are with `roboprov room accept`."
      )
    }
    let state = try SignedState.sign(
      checked.set.paths, with: key, of: checked.report.building, in: reports, latest: checked.set.latest,
      at: Surroundings.now)
    let file = "\(state.folder)/\(SignedState.signature)"
    Console.say("Signed \(checked.set.paths.count) files: \(file)")
    if output == .json {
      let value = JSONValue.values([
        "schema": "roboprov/signature/1", "building": checked.report.building, "file": file,
        "files": checked.set.paths,
      ])
      Console.data(value.pretty)
    }
  }
}

/// A building's files and the report that its journals yield.
private struct CheckedReports {
  let set: ReportSet
  let report: BuildingReport
  private let name: String

  init(_ name: String, in reports: String) throws {
    self.name = name
    set = try ReportSet(try BuildingReference.find(name).id, in: reports)
    report = try set.report()
  }

  /// - Parameter besidesSigned: Whether differences from an earlier signed state are permitted.
  /// - Throws: `CommandFailure` when a file differs from what the journals yield.
  func require(besidesSigned: Bool = false) throws {
    let differences = try set.differences(from: report, besidesSigned: besidesSigned)
    guard let first = differences.first else { return }
    let more = differences.count > 1 ? ", and \(differences.count - 1) more" : ""
    throw CommandFailure(
      .incomplete, "\(set.folder)/\(first.path.visible) \(first.words)\(more)",
      advice: first.advice ?? """
        Write it again from the journals: `roboprov report \(report.building.visible) RUN` for a run's report, \
        `roboprov status \(name.visible) --write` for the building's reports.
        """)
  }
}
