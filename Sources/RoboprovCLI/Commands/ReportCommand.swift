import ArgumentParser
import Journal
import Model
import Reporting

/// `roboprov report`: what is made of the record.
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write a run's reports again from its journal, or join the records of several laptops.",
    subcommands: [RunReportCommand.self, MergeCommand.self], defaultSubcommand: RunReportCommand.self)
}

/// `roboprov report BUILDING [RUN]`: reports again from a run's journal, also of a run that was killed.
struct RunReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Write a run's reports again from its journal, also those of a run that was killed.")

  @Argument(help: ArgumentHelp("The building's id: a folder of the reports directory."))
  var building: String

  @Argument(help: ArgumentHelp("The run's id; the one that `latest` points to if absent."))
  var run: String?

  @Option(help: ArgumentHelp("Where reports are.", valueName: "dir"))
  var reports = "reports"

  @Option(help: "What goes to stdout.")
  var output = OutputFormat.text

  func run() async throws {
    let directory: RunDirectory
    let record: JournalRecord
    do throws(JournalError) {
      var id = run
      if id == nil { id = try RunDirectory.latestRun(in: reports, building: building) }
      guard let id else {
        throw JournalError(.open, "\(reports)/\(building)/\(RunDirectory.latest)", .missing)
      }
      directory = try RunDirectory.open(in: reports, building: building, run: id)
      record = try directory.readJournal()
    } catch {
      throw JournalTrouble.failure(error, lookingFor: run, of: building, in: reports)
    }
    try check(record, in: directory)
    if case .runStarted(let started)? = record.events.first?.fact, started.command != .apply {
      throw CommandFailure(
        .usage,
        "\(directory.run) is the record of a `\(started.command.rawValue)`, of which there is no report",
        cure: "`roboprov history` tells it, with all else about its room.")
    }
    let after = try standing(after: directory, record)
    RunOutput.show(try write(record, to: directory, after), after: after, in: directory, as: output)
  }

  /// How the building stood after the run; nil of a rehearsal.
  private func standing(after directory: RunDirectory, _ record: JournalRecord) throws -> BuildingReport? {
    guard let first = record.events.first, case .runStarted(let started) = first.fact, !started.simulated
    else { return nil }
    let earlier = try SiteRecord.read(building, in: reports, damagedToo: true).archive.runs.filter { run in
      run.id != directory.run
        && run.record.events.first.map { ($0.at, run.id) < (first.at, directory.run) } ?? false
    }
    return BuildingReports.make(
      .init(building: building),
      from: BuildingArchive(
        runs: earlier + [.init(id: directory.run, journal: directory.journalPath, record: record)]))
  }

  /// Makes the reports; `latest` goes on pointing to the newest run that has some.
  private func write(_ record: JournalRecord, to directory: RunDirectory, _ after: BuildingReport?) throws
    -> RunReport
  {
    do throws(JournalError) {
      if try isOlderThanLatest(record, of: directory) {
        return try RunReports.writeFiles(record.events, to: directory, after: after)
      }
      return try RunReports.write(record.events, to: directory, after: after)
    } catch {
      throw JournalTrouble.failure(error)
    }
  }

  /// By when they began: the ids of two runs of one second do not tell.
  private func isOlderThanLatest(
    _ record: JournalRecord, of directory: RunDirectory
  ) throws(JournalError) -> Bool {
    guard let latest = try RunDirectory.latestRun(in: reports, building: building), latest != directory.run,
      let began = record.events.first?.at
    else { return false }
    do throws(JournalError) {
      let other = try RunDirectory.open(in: reports, building: building, run: latest).readJournal()
      return other.events.first.map { $0.at > began } ?? false
    } catch  where error.cause == .missing {
      // It was taken away: then this is the newest.
      return false
    }
  }

  /// What the journal does not say any more is never passed over in silence: a torn line is told of; of a damaged journal
  /// no reports are made, for they would replace better ones.
  private func check(_ record: JournalRecord, in directory: RunDirectory) throws {
    if let torn = record.tornLine {
      Console.say(
        "roboprov: warning: \(directory.journalPath):\(torn.line): the last line was cut off (\(torn.bytes) bytes); "
          + "all before it counts")
    }
    if let damage = record.damage {
      throw DamageWords.failure(
        damage, in: directory.journalPath,
        cure: """
          No reports were made of it, and those that are there stay as they are. Put a whole copy in its place (of \
          --mirror, or a backup), and give the same command again.
          """)
    }
  }
}
