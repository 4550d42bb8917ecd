import FoundationEssentials
import Journal
import Model
import Reporting

/// Every file that a building's record yields: `report check` compares them, and `report sign` signs them.
struct ReportSet {
  let folder: String
  private let archive: BuildingArchive

  /// A file that differs from what the journals yield.
  struct Difference {
    /// The path, relative to the building's folder.
    var path: String
    /// The difference, as a clause that follows the path.
    var words: String
  }

  /// Reads the record.
  /// - Throws: `CommandFailure` if the record is damaged or has no run.
  init(_ building: String, in reports: String) throws {
    folder = "\(reports)/\(building)"
    archive = try SiteRecord.read(building, in: reports).archive
    guard !archive.runs.isEmpty else { throw SiteRecord.noRun(of: building, in: reports) }
  }

  /// The building's report with the time and the maker that its file `building.json` names.
  func report(_ manifest: (source: ManifestSource, path: String)?, _ seal: SecretSeal?) throws
    -> BuildingReport
  {
    guard let bytes = InputFile.recorded(folder + "/building.json"),
      let stamp = try? JSONDecoder().decode(Stamp.self, from: Data(bytes)),
      let made = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(stamp.made)
    else {
      throw CommandFailure(
        .record, "\(folder)/building.json is missing or cannot be read",
        advice: "Write the building's report again with `roboprov status BUILDING --write`.")
    }
    var subject = BuildingReports.Subject(building: stamp.building, manifest: manifest, seal: seal)
    subject.made = made
    // A report of an earlier version has the digest of the manifest's bytes.
    subject.digest = stamp.manifest.flatMap { recorded in
      manifest?.source.hasDigest(recorded.sha256) == true ? recorded.sha256 : nil
    }
    var report = BuildingReports.make(subject, from: archive)
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
    var manifest: Manifest?

    struct Manifest: Decodable {
      var sha256: String
    }

    enum CodingKeys: String, CodingKey {
      case building, made, host, manifest
      case toolVersion = "tool_version"
      case operatedBy = "operator"
      case timeZone = "time_zone"
    }
  }

  /// The files that are missing, or differ from what the journals yield.
  func differences(from report: BuildingReport) -> [Difference] {
    var differences: [Difference] = []
    func compare(_ path: String, _ text: String) {
      guard let bytes = InputFile.recorded("\(folder)/\(path)") else {
        return differences.append(Difference(path: path, words: "is missing"))
      }
      if !bytes.elementsEqual(text.utf8) {
        differences.append(Difference(path: path, words: "differs from what the journals yield"))
      }
    }
    for format in BuildingReports.formats { compare(format.name, format.text(report)) }
    for run in runs {
      let after = BuildingReports.make(after: run, in: archive)
      for (path, text) in Self.files(of: run, after) { compare(path, text) }
    }
    return differences
  }

  /// The sorted paths of every journal and report, relative to the building's folder.
  var paths: [String] {
    let journals = archive.runs.map { "\($0.id)/\(JournalWriter.fileName)" }
    let reports = runs.flatMap { Self.files(of: $0, nil).map(\.path) }
    return (BuildingReports.formats.map(\.name) + journals + reports).sorted()
  }

  /// The reports of a run, each with its path relative to the building's folder.
  private static func files(
    of run: BuildingArchive.Run, _ after: BuildingReport?
  ) -> [(path: String, text: String)] {
    let report = RunReport(run.record.events)
    let reports = RunReports.formats.map { ("\(run.id)/\($0.name)", $0.text(report, after)) }
    let logs = DeviceLogs.texts(run.record.events, after: after).map { room, text in
      ("\(run.id)/\(RunDirectory.devices)/\(room).log", text)
    }
    return reports + logs
  }

  /// The runs that have reports.
  private var runs: [BuildingArchive.Run] { archive.runs.filter(\.isProvisioning) }
}
