import ArgumentParser
import Foundation
import Journal
import Model
import Reporting

/// `roboprov report`: what is made of the record.
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write a run's reports again, join the records of several laptops, check and sign reports.",
    subcommands: [RunReportCommand.self, MergeCommand.self, CheckCommand.self, SignCommand.self],
    defaultSubcommand: RunReportCommand.self)
}

/// `roboprov report BUILDING [RUN]`: reports again from a run's journal, also of a run that was killed.
struct RunReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Write a run's reports again from its journal, also those of a run that was killed.",
    discussion: """
      roboprov report seeblick
      roboprov report building.yaml --bundle seeblick.zip

      --bundle writes what support needs into one file: every journal, report and device log of the building, the manifest \
      without passwords, versions, and what the Bluetooth service wrote meanwhile. A damaged record goes into it as it is \
      (exit status \(ExitStatus.record.rawValue)). A file that is there is not replaced.
      """)

  @Argument(
    help: ArgumentHelp(
      "The building's id: a folder of the reports directory. With --bundle, or its manifest."),
    completion: .building)
  var building: String

  @Argument(
    help: ArgumentHelp("The run's id, also a rehearsal's; the run that `latest` points to if absent."))
  var run: String?

  @Option(help: ArgumentHelp("Where reports are.", valueName: "dir"), completion: .directory)
  var reports = Preferences.current.reports

  @Option(help: "What goes to stdout.")
  var output = OutputFormat.text

  @Option(
    help: ArgumentHelp("Put the building's whole record into this zip file.", valueName: "file.zip"),
    completion: .file(extensions: ["zip"]))
  var bundle: String?

  @Flag(help: "In the bundle, replace each Bluetooth address by a pseudonym.")
  var withoutAddresses = false

  func validate() throws {
    guard bundle == nil || run == nil else {
      throw ValidationError("--bundle has all runs of the building: leave the run's id out")
    }
    guard !withoutAddresses || bundle != nil else {
      throw ValidationError("--without-addresses is about the bundle: give --bundle FILE.zip, too")
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
      throw JournalTrouble.failure(error, lookingFor: run, of: building, in: reports)
    }
    try check(record, in: directory)
    guard case .runStarted(let started)? = record.events.first?.fact else {
      throw CommandFailure(
        .record,
        "\(directory.journalPath) has no event: the run was killed before it began, or the file was not copied whole",
        cure: "Put a whole copy in its place, if there is one (of --mirror, or a backup).")
    }
    guard started.building == building else {
      throw FaultWords.failure(.otherBuilding(started.building), in: directory.journalPath)
    }
    guard started.command == .apply else {
      throw CommandFailure(
        .usage,
        "\(directory.run) is the record of a `\(started.command.rawValue)`, of which there is no report",
        cure: "`roboprov history` tells it, with all else about its room.")
    }
    let after = BuildingReports.make(
      after: .init(id: directory.run, journal: directory.journalPath, record: record),
      in: try SiteRecord.read(building, in: reports, damagedToo: true).archive)
    do throws(JournalError) {
      let report = try RunReports.writeAgain(record.events, to: directory, after: after)
      RunOutput.show(report, after: after, in: directory, as: output)
    } catch {
      throw JournalTrouble.failure(error)
    }
  }

  /// What the journal does not say any more is never passed over in silence: a torn line is reported; of a damaged journal
  /// no reports are made, for they would replace better ones.
  private func check(_ record: JournalRecord, in directory: RunDirectory) throws {
    if let torn = record.tornLine {
      Console.say(
        "roboprov: warning: \(directory.journalPath):\(torn.line): the last line was cut off (\(torn.bytes) bytes); "
          + "all before it counts")
    }
    if let damage = record.damage {
      throw FaultWords.failure(
        .damaged(damage), in: directory.journalPath,
        cure: """
          No reports were made of it, and those that are there stay as they are. Put a whole copy in its place (of \
          --mirror, or a backup), and give the same command again.
          """)
    }
  }

  private func writeBundle(_ path: String) throws {
    let reference = try BuildingReference.find(building)
    let folder = "\(reports)/\(reference.id)"
    let archive: BuildingArchive
    do throws(JournalError) {
      archive = try BuildingArchive.read(in: reports, building: reference.id)
    } catch {
      throw JournalTrouble.failure(error)
    }
    guard !archive.runs.isEmpty || !archive.faults.isEmpty else {
      throw SiteRecord.noRun(of: reference.id, in: reports)
    }
    let newest = archive.runs.reversed().lazy.compactMap(\.started).first { !$0.manifestPath.isEmpty }
    let bundle = SupportBundle(
      building: reference.id, folder: folder, archive: archive,
      manifest: BundledManifest(
        reference.source == nil ? newest?.manifestPath : reference.text, of: reference.id,
        recorded: newest?.manifestSHA256),
      messages: ServiceMessages(archive.times), made: Date(), hidesAddresses: withoutAddresses)
    try bundle.write(to: path)
    for fault in archive.faults {
      Console.say(
        "roboprov: warning: \(FaultWords.sentence(fault.kind, in: fault.journal)); it is in the bundle as it is"
      )
    }
    Console.say("Wrote \(path): README.txt in it says what is there, and what is not.")
    if !archive.faults.isEmpty { throw ExitStatus.record.exit }
  }
}

extension BuildingArchive {
  /// The times of the runs, each with a minute before and after it.
  fileprivate var times: [ClosedRange<Date>] {
    runs.filter(\.isProvisioning).compactMap { run in
      guard let first = run.record.events.first?.at, let last = run.record.events.last?.at else { return nil }
      return first.addingTimeInterval(-60)...max(first, last).addingTimeInterval(60)
    }
  }
}
