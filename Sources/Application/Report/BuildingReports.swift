package import FoundationEssentials
import Engine
import Host
package import Journal
package import Model
package import Reporting

/// The report of a building, made from its whole record, in every format.
package enum BuildingReports {
  /// What a report is about. Files are made from the record alone, with the manifest of its newest run, so that they can be
  /// made again; what a command shows is also compared with the manifest that a person names.
  package struct Subject: Sendable {
    var building: String
    /// The manifest and its path; nil to compare with the manifest of the building's newest run.
    var manifest: (source: ManifestSource, path: String)?
    /// The seal of the site's key; nil without one.
    var seal: SecretSeal?
    var operatedBy: String?
    /// The time of the report, the same in the record and its mirror.
    var made: Date

    package init(
      building: String, manifest: (source: ManifestSource, path: String)? = nil, seal: SecretSeal? = nil,
      operatedBy: String? = nil, made: Date = Surroundings.now
    ) {
      (self.building, self.manifest, self.seal, self.operatedBy, self.made) = (
        building, manifest, seal, operatedBy, made
      )
    }

    /// The manifest without its secrets; nil if none was named.
    var wanted: BuildingReport.Manifest? {
      manifest.map { manifest in
        .init(
          path: manifest.path, sha256: manifest.source.digest,
          rooms: manifest.source.building.rooms.map { $0.wanted(sealedBy: seal) })
      }
    }
  }

  /// The state of the building after these runs.
  package static func make(_ subject: Subject, from archive: BuildingArchive) -> BuildingReport {
    Growing(archive).report(subject)
  }

  /// The state of a building whose last run is in progress.
  struct Growing: Sendable {
    /// Its runs are those before the last one.
    private var history: History
    /// The last run on record.
    private(set) var last: BuildingRun?

    private enum Part {
      case state(BuildingRecord)
      case run(BuildingRun?)
    }

    init(_ archive: BuildingArchive) {
      // The fold and the report of each run need only the events, so all cores share them.
      let parts = Parallel.map([nil] + archive.runs.map(Optional.some)) { run in
        run.map { Part.run(BuildingRun($0.recorded)) } ?? .state(archive.state)
      }
      history = History(in: archive)
      for part in parts {
        switch part {
        case .state(let record): history.record = record
        case .run(let run?):
          if let last { history.runs.add(last) }
          last = run
        case .run(nil): break
        }
      }
    }

    /// Adds events of the last run.
    /// - Parameters:
    ///   - run: Its id.
    ///   - hash: SHA-256 of the last of these lines.
    mutating func add(_ events: [RunEvent], of run: String, last hash: String) {
      guard let started = last?.started else { return }
      history.record.add(events, in: started, of: run)
      last?.add(RecordedRun(events: events, journalHash: hash))
    }

    func report(_ subject: Subject) -> BuildingReport {
      var history = history
      if let last { history.runs.add(last) }
      return BuildingReports.make(subject, from: history)
    }
  }

  private static func make(_ subject: Subject, from history: History) -> BuildingReport {
    BuildingReport(
      building: subject.building, history.runs, history.record.lastKnown, subject.wanted, made: subject.made,
      by: .init(
        toolVersion: Version.current, host: HostEnvironment.hostName,
        user: subject.operatedBy ?? HostEnvironment.userName, timeZone: LocalTime.identifierHere))
  }

  /// The state of the building after a run on record; nil for one without a beginning.
  package static func make(after run: BuildingArchive.Run, in archive: BuildingArchive) -> BuildingReport? {
    guard let started = run.started else { return nil }
    return make(Subject(building: started.building), from: archive.before(run.id).adding(run))
  }

  /// Calls `body` with each run that has reports, and the state of the building after it.
  /// - Parameter made: Reports of the runs that were made before from the same record.
  package static func forEachRun<Failure: Error>(
    in archive: BuildingArchive, made: [BuildingRun] = [],
    _ body: (BuildingArchive.Run, BuildingReport) throws(Failure) -> Void
  ) throws(Failure) {
    let made = Dictionary(made.map { ($0.journalHash, $0) }, uniquingKeysWith: { first, _ in first })
    try archive.forEachRun(History(in: archive), adding: { $0.add($1, made[$1.record.lastHash]) }) {
      (run, history) throws(Failure) in
      guard run.isProvisioning, let started = run.started else { return }
      try body(run, make(Subject(building: started.building), from: history))
    }
  }

  /// The runs so far.
  private struct History: Sendable {
    var record: BuildingRecord
    var runs = BuildingRuns()

    init(in archive: BuildingArchive) { record = BuildingRecord(in: archive.order) }

    mutating func add(_ run: BuildingArchive.Run, _ made: BuildingRun?) {
      record.add(run.record.events, of: run.id)
      if let made = made ?? BuildingRun(run.recorded) { runs.add(made) }
    }
  }

  /// Every format with its file name.
  static let formats: [(name: String, text: @Sendable (BuildingReport) -> String)] = [
    (
      "building.html",
      { BuildingPage($0, times: LocalTime.of($0.maker.timeZone) ?? .utc).text }
    ),
    ("building.json", BuildingJSON.text),
    ("building.csv", BuildingCSV.text), ("junit.xml", JUnitReport.text),
  ]

  /// Writes the report in every format into the building's folder.
  /// - Returns: The paths.
  /// - Throws: The error of the first file that could not be written.
  @discardableResult
  package static func write(_ report: BuildingReport, in reports: String) throws(JournalError) -> [String] {
    var paths: [String] = []
    for format in formats {
      paths.append(
        try BuildingDirectory.writeReport(
          format.name, format.text(report), of: report.building, in: reports))
    }
    return paths
  }
}

extension BuildingReference {
  /// The building, compared with its manifest if that is named. Secrets are compared only as far as the manifest itself has
  /// them and the site's key exists.
  package func subject(siteKey: String?) throws -> BuildingReports.Subject {
    .init(
      building: id, manifest: source.map { ($0, text) },
      seal: try source.flatMap { try SiteKey.existingSeal(for: $0.building, siteKey) })
  }
}

extension BuildingArchive.Run {
  fileprivate var recorded: RecordedRun {
    RecordedRun(events: record.events, journalHash: record.lastHash)
  }
}
