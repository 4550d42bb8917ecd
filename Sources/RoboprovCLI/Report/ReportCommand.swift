import Application
import Host
import Reporting
import Model
import ArgumentParser
import FoundationEssentials
import Glibc
import Journal

/// `roboprov report`: the commands that read the record and write reports.
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract:
      "Write a run's reports again, compare two days, merge records of several laptops, check and sign reports.",
    discussion: """
      roboprov report seeblick
      roboprov report merge laptop-1/seeblick laptop-2/seeblick
      roboprov report check seeblick
      """,
    subcommands: [
      RunReportCommand.self, DiffCommand.self, MergeCommand.self, CheckCommand.self, SignCommand.self,
    ],
    defaultSubcommand: RunReportCommand.self)
}

/// `roboprov report BUILDING [RUN]`: writes a run's reports from its journal again, also for a killed run.
struct RunReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Write a run's reports from its journal again, also for a run that was killed.",
    discussion: """
      roboprov report seeblick
      roboprov report building.yaml --bundle seeblick.tar

      --bundle writes one file for support, a tar: every journal of the building and the manifest without passwords. It \
      includes a damaged record unchanged (exit status \(ExitStatus.record.rawValue)). It does not replace an existing file.
      """)

  @Argument(
    help: ArgumentHelp(
      "The building's id, which names its folder in the reports directory; with --bundle also its manifest."),
    completion: .building)
  var building: String

  @Argument(
    help: ArgumentHelp("The id of a run or rehearsal. Default: the run that `latest` points to."))
  var run: String?

  @Option(help: ArgumentHelp("The reports directory.", valueName: "dir"), completion: .directory)
  var reports = Preferences.current.reports

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  @Option(
    help: ArgumentHelp("Write the building's whole record into this tar file.", valueName: "file.tar"),
    completion: .file(extensions: ["tar"]))
  var bundle: String?

  func validate() throws {
    guard bundle == nil || run == nil else {
      throw ValidationError("--bundle includes every run of the building: leave the run's id out")
    }
  }

  func run() async throws {
    if let bundle { return try writeBundle(bundle) }
    let directory: RunDirectory
    let record: JournalRecord
    do throws(JournalError) {
      var id = run
      if id == nil { id = try RunDirectory.latestRun(in: reports, building: building) }
      guard let id else {
        throw JournalError(.open, "\(reports)/\(building)/\(RunDirectory.latest)", .missing)
      }
      directory = try RunDirectory.find(in: reports, building: building, run: id)
      record = try directory.readJournal()
    } catch {
      throw JournalMessages.failure(error, lookingFor: run, of: building, in: reports)
    }
    try check(record, in: directory)
    guard case .runStarted(let started)? = record.events.first?.fact else {
      throw CommandFailure(
        .record,
        "\(directory.journalPath) has no event: the run was killed before its first event, or the copy is incomplete",
        advice: "If the --mirror directory or a backup has a complete copy, put it in its place.")
    }
    guard started.building == building else {
      throw FaultWords.failure(.otherBuilding(started.building), in: directory.journalPath)
    }
    guard started.command == .apply else {
      throw CommandFailure(
        .usage,
        "\(directory.run) is a `\(started.command.rawValue)`, which has no report",
        advice: "See the history of its room: `roboprov room history \(building.shellQuoted) ROOM`.")
    }
    let archive = try BuildingArchive.load(building, in: reports, damagedToo: true)
    let (report, after) = try JournalMessages.translating(
      RunReports.writeAgain(record.events, to: directory, in: archive))
    RunOutput.show(report, after: after, in: directory, as: output)
  }

  /// Reports what the journal has lost. A cut-off last line is a warning. From a damaged journal no reports
  /// are made, because they would replace better ones.
  private func check(_ record: JournalRecord, in directory: RunDirectory) throws {
    if let torn = record.tornLine {
      Console.say(
        "roboprov: warning: \(directory.journalPath):\(torn.line): the last line is incomplete (\(torn.bytes) bytes); "
          + "the lines before it are used")
    }
    if let damage = record.damage {
      throw FaultWords.failure(
        .damaged(damage), in: directory.journalPath,
        advice: """
          Nothing was written; the existing reports are unchanged. Put a complete copy of the journal in its place, from the \
          --mirror directory or a backup, and run the same command again.
          """)
    }
  }

  private func writeBundle(_ path: String) throws {
    let reference = try BuildingReference.find(building)
    let archive = try JournalMessages.translating(
      BuildingArchive.read(in: reports, building: reference.id))
    guard !archive.runs.isEmpty || !archive.faults.isEmpty else {
      throw BuildingArchive.noRun(of: reference.id, in: reports)
    }
    let newest = archive.runs.compactMap(\.started).newestWithManifest
    let manifest = BundledManifest(
      reference.source == nil ? newest?.manifestPath : reference.text, of: reference.id,
      recorded: newest?.manifestSHA256)
    try SupportBundle(
      building: reference.id, archive: archive, manifest: manifest, made: Surroundings.now
    ).write(to: path)
    for fault in archive.faults {
      Console.say(
        "roboprov: warning: \(FaultWords.sentence(fault.kind, in: fault.journal)); the bundle has it unchanged"
      )
    }
    Console.say("Wrote \(path). The manifest: \(manifest.note).")
    if !archive.faults.isEmpty { throw ExitStatus.record }
  }
}
