import Engine
import Foundation
import Journal
import Model
import Reporting

/// The report of a building, which people sign: made from all that is on record, in every format.
enum BuildingReports {
  /// What the building is held against.
  struct Subject {
    /// The building's id.
    var building: String
    /// The manifest and its path, where one was named; else the building is held against that of its newest run.
    var manifest: (source: ManifestSource, path: String)?
    /// The manifest's digest as an earlier report has it; nil: as it is made now.
    var digest: String?
    /// The seal of the site's key, where there is one.
    var seal: SecretSeal?
    /// The person who makes the report.
    var operatedBy: String?
    /// When it is made: the same in the record and its mirror.
    var made = Date()

    /// The manifest without its secrets; nil where none was named.
    var wanted: BuildingReport.Manifest? {
      manifest.map { manifest in
        .init(
          path: manifest.path, sha256: digest ?? manifest.source.digest,
          rooms: manifest.source.building.rooms.map { $0.planned(sealedBy: seal) }, sealKey: seal?.key)
      }
    }
  }

  /// Where the building stands by these runs.
  static func make(_ subject: Subject, from archive: BuildingArchive) -> BuildingReport {
    BuildingReport(
      building: subject.building,
      runs: archive.runs.map { RecordedRun(events: $0.record.events, journalHash: $0.record.lastHash) },
      standing: archive.state.standing,
      manifest: subject.wanted,
      made: subject.made,
      by: .init(
        toolVersion: Version.current, host: HostEnvironment.hostName,
        user: subject.operatedBy ?? HostEnvironment.userName, timeZone: TimeZone.current.identifier))
  }

  /// Where the building stood after a run that is on record; nil of a rehearsal.
  static func make(after run: BuildingArchive.Run, in archive: BuildingArchive) -> BuildingReport? {
    guard let first = run.record.events.first, let started = run.started, !started.simulated else {
      return nil
    }
    let earlier = archive.runs.filter { other in
      guard other.id != run.id, let began = other.record.events.first?.at else { return false }
      return (began, other.id) < (first.at, run.id)
    }
    return make(Subject(building: started.building), from: BuildingArchive(runs: earlier + [run]))
  }

  /// Every format, by the name of its file.
  static let formats: [(name: String, text: @Sendable (BuildingReport) -> String)] = [
    (
      "building.html",
      { BuildingHTML.text($0, times: LocalTime(TimeZone(identifier: $0.maker.timeZone) ?? .gmt)) }
    ),
    ("building.json", BuildingJSON.text),
    ("building.csv", BuildingCSV.text), ("junit.xml", JUnitReport.text),
  ]

  /// Writes the report in every format into the building's folder.
  /// - Returns: the paths.
  /// - Throws: what stands in the way of the first that could not be written.
  @discardableResult
  static func write(_ report: BuildingReport, in reports: String) throws(JournalError) -> [String] {
    var paths: [String] = []
    for format in formats {
      paths.append(
        try BuildingDirectory.writeReport(
          format.name, format.text(report), of: report.building, in: reports))
    }
    return paths
  }
}
