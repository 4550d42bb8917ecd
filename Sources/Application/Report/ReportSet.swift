import FoundationEssentials
import Journal
import Model
package import Reporting

/// Every file that a building's record yields: `report check` compares them, and `report sign` signs them.
package struct ReportSet {
  package let folder: String
  /// What was signed, oldest first.
  package let signed: [SignedState]
  private let archive: BuildingArchive
  /// The run that `latest` points to.
  package let latest: String?

  /// A file that differs from what the journals yield, or from what was signed.
  package struct Difference {
    /// The path, relative to the building's folder.
    package var path: String
    /// The difference, as a clause that follows the path.
    package var words: String
    /// What to do; nil: to write the file again.
    package var advice: String?
  }

  /// Reads the record.
  /// - Throws: `CommandFailure` if the record is damaged or has no run.
  package init(_ building: String, in reports: String) throws {
    folder = "\(reports)/\(building)"
    // Here a run that is missing is a difference like that of any other file.
    archive = try BuildingArchive.load(building, in: reports, ifMissing: .incomplete)
    guard !archive.runs.isEmpty else { throw BuildingArchive.noRun(of: building, in: reports) }
    signed = try SignedState.all(of: building, in: reports)
    latest = try? RunDirectory.latestRun(in: reports, building: building)
  }

  /// The building's report with the time and the maker that its file `building.json` names.
  package func report() throws -> BuildingReport {
    guard let bytes = InputFile.recorded(folder + "/building.json"),
      let stamp = try? JSONDecoder().decode(Stamp.self, from: Data(bytes)),
      let made = Timestamp(stamp.made)?.time
    else {
      throw CommandFailure(
        .record, "\(folder)/building.json is missing or cannot be read",
        advice: "Write the building's report again with `roboprov status BUILDING --write`.")
    }
    var report = BuildingReports.make(.init(building: stamp.building, made: made), from: archive)
    report.maker = .init(
      toolVersion: stamp.toolVersion, host: stamp.host, user: stamp.operatedBy, timeZone: stamp.timeZone)
    return report
  }

  /// The keys of `building.json` about its time and maker.
  private struct Stamp: Decodable {
    var building: String
    var made: String
    var toolVersion: String
    var host: String
    var operatedBy: String?
    var timeZone: String

    enum CodingKeys: String, CodingKey {
      case building, made, host
      case toolVersion = "tool_version"
      case operatedBy = "operator"
      case timeZone = "time_zone"
    }
  }

  /// The building by its record and by a manifest.
  package func report(besides subject: BuildingReports.Subject) -> BuildingReport {
    BuildingReports.make(subject, from: archive)
  }

  /// The files that are missing, differ from what the journals yield, or were not made by roboprov; where `latest`
  /// points; and what differs from the newest signed state.
  /// - Parameter besidesSigned: Whether to leave out differences from a signed state.
  /// - Throws: `CommandFailure` if the folder cannot be read.
  package func differences(from report: BuildingReport, besidesSigned: Bool = false) throws -> [Difference] {
    var differences: [Difference] = []
    var parts = BuildingReports.formats.map { format in
      { @Sendable in [difference(format.name, format.text(report))].compactMap(\.self) }
    }
    func compare() {
      differences += Parallel.map(parts) { $0() }.joined()
      parts = []
    }
    BuildingReports.forEachRun(in: archive, made: report.runs) { run, after in
      parts.append { Self.files(of: run, after).compactMap { difference($0.path, $0.text) } }
      // A few runs at a time, because the state after each takes memory.
      if parts.count >= 8 { compare() }
    }
    compare()
    differences += try RecordFiles(archive, signed, in: folder).others.map {
      Difference(
        path: $0, words: "was not made by roboprov from these journals",
        advice: "Move it out of the building's folder.")
    }
    let newest = RunReports.latest(of: archive)
    if latest != newest {
      differences.append(
        Difference(
          path: RunDirectory.latest,
          words: "points to \(latest?.visible ?? "nothing") instead of \(newest ?? "nothing")",
          advice: newest.map { "Correct it with `roboprov report \(report.building.visible) \($0)`." }
            ?? "Remove it."))
    }
    return differences + (besidesSigned ? [] : differencesFromSigned)
  }

  /// How a file differs from this text; nil if it has it.
  private func difference(_ path: String, _ text: String) -> Difference? {
    guard let bytes = InputFile.recorded("\(folder)/\(path)") else {
      return Difference(path: path, words: "is missing")
    }
    return bytes.elementsEqual(text.utf8)
      ? nil : Difference(path: path, words: "does not match the journals")
  }

  /// What there is beside the newest signed state, and what is missing of it.
  private var differencesFromSigned: [Difference] {
    guard let state = signed.last else { return [] }
    let missing = signed.flatMap { state in state.missingRuns.map { (state, $0) } }.map { state, run in
      Difference(
        path: run, words: "is missing, and was signed on \(state.statement.signed)",
        advice: "Put the run's folder back, from --mirror, a backup or another laptop.")
    }
    return missing
      + since(state).map {
        Difference(
          path: $0, words: "is not among what was signed on \(state.statement.signed)",
          advice: "If it belongs to the building, sign again with `roboprov report sign`.")
      }
  }

  /// The runs that are not signed, in their order.
  func since(_ state: SignedState) -> [String] {
    let signed = state.runs
    return archive.runs.map(\.id).filter { !signed.contains($0) }
  }

  /// The sorted paths of every journal and report, relative to the building's folder.
  package var paths: [String] {
    let journals = archive.runs.map { "\($0.id)/\(JournalWriter.fileName)" }
    let reports = runs.flatMap { Self.files(of: $0, nil).map(\.path) }
    return (BuildingReports.formats.map(\.name) + journals + reports).sorted()
  }

  /// The reports of a run, each with its path relative to the building's folder.
  private static func files(
    of run: BuildingArchive.Run, _ after: BuildingReport?
  ) -> [(path: String, text: String)] {
    let known = after?.runs.last { $0.started.run == run.id }?.report
    let report = known ?? RunReport(run.record.events)
    let reports = RunReports.formats.map { ("\(run.id)/\($0.name)", $0.text(report, after)) }
    let logs = DeviceLogs.texts(run.record.events, report, after: after).map { room, text in
      ("\(run.id)/\(RunDirectory.devices)/\(room).log", text)
    }
    return reports + logs
  }

  /// The runs that have reports.
  private var runs: [BuildingArchive.Run] { archive.runs.filter(\.isProvisioning) }
}
