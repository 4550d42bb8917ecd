import Foundation
import Testing

/// The files of one run.
struct RecordedRun {
  var directory: URL

  /// The run's id.
  var id: String { directory.lastPathComponent }

  var report: JSON {
    get throws { try #require(JSON(try text(of: "report.json"))) }
  }

  /// The text of one file of the run.
  func text(of name: String) throws -> String {
    try String(contentsOf: directory.appending(path: name), encoding: .utf8)
  }

  /// The outcomes in the report, by minor.
  var outcomes: [Int: String] {
    get throws {
      Dictionary(
        try report["rooms"].items.compactMap { room in
          room["identity"].minor.flatMap { minor in room["outcome"].text.map { (minor, $0) } }
        }, uniquingKeysWith: { "\($0) and \($1)" })
    }
  }
}

extension Site {
  /// The directory that `reports/<building>/latest` points to.
  var latest: URL {
    get throws { try Self.target(ofLatestIn: directory.appending(path: "reports/\(Self.building)")) }
  }

  private static func target(ofLatestIn folder: URL) throws -> URL {
    let run = try FileManager.default.destinationOfSymbolicLink(atPath: folder.appending(path: "latest").path)
    try #require(!run.contains("/"), "latest points beside itself")
    return folder.appending(path: run)
  }

  /// The latest rehearsal.
  var rehearsal: RecordedRun {
    get throws {
      let folder = directory.appending(path: "reports/\(Self.building)/rehearsals")
      return RecordedRun(directory: try Self.target(ofLatestIn: folder))
    }
  }

  func recorded(_ run: String, in reports: String = "reports") -> RecordedRun {
    RecordedRun(directory: directory.appending(path: "\(reports)/\(Self.building)/\(run)"))
  }

  /// The ids of the recorded runs, in order of time.
  var runs: [String] {
    let entries = try? FileManager.default.contentsOfDirectory(
      at: directory.appending(path: "reports/\(Self.building)"), includingPropertiesForKeys: [.isDirectoryKey]
    )
    return (entries ?? []).filter {
      (try? $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
    }.map(\.lastPathComponent)
      .filter { !["latest", "rehearsals"].contains($0) && !$0.hasPrefix(".") }.sorted()
  }

  var report: JSON {
    get throws { try RecordedRun(directory: try latest).report }
  }

  /// A file of the latest run.
  func text(of name: String) throws -> String {
    try RecordedRun(directory: try latest).text(of: name)
  }

  /// The outcomes in the report of the latest run, by minor.
  var outcomes: [Int: String] {
    get throws { try RecordedRun(directory: try latest).outcomes }
  }

  /// Each entry below the reports directory, including hidden ones, as a relative path.
  var recordedEntries: [String] {
    (try? FileManager.default.subpathsOfDirectory(atPath: directory.appending(path: "reports").path)) ?? []
  }

  /// Whether a symbolic link of this name exists, whatever its target.
  func hasLink(_ name: String) -> Bool {
    let path = directory.appending(path: name).path
    return (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }

  /// Each file below the reports directory.
  var recordedFiles: [URL] {
    let walk = FileManager.default.enumerator(
      at: directory.appending(path: "reports"), includingPropertiesForKeys: [.isRegularFileKey])
    return (walk?.compactMap { $0 as? URL } ?? []).filter {
      (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
    }
  }

  /// The contents of each file below the reports directory and the target of each link, by path.
  var recordedContents: [String: Data] {
    get throws {
      let top = directory.appending(path: "reports").path
      var contents: [String: Data] = [:]
      for name in recordedEntries {
        let path = top + "/" + name
        if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
          contents[name] = Data(target.utf8)
        } else {
          contents[name] = FileManager.default.contents(atPath: path) ?? Data()
        }
      }
      return contents
    }
  }

  /// Checks that a run's record is complete: all reports are readable and agree with each other, each room
  /// has one outcome, and no file contains a secret.
  /// - Parameters:
  ///   - run: the run; the latest if nil.
  ///   - isTorn: whether the journal's last line may be incomplete.
  func expectWholeRecord(
    of run: RecordedRun? = nil, rooms: Int, isTorn: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let run = try run ?? RecordedRun(directory: try latest)
    let report = try run.report
    #expect(report["schema"].text == "roboprov/report/1", sourceLocation: sourceLocation)
    #expect(report["rooms"].count == rooms, sourceLocation: sourceLocation)
    #expect(report["summary"]["total"].integer == rooms, sourceLocation: sourceLocation)
    let rows = try run.text(of: "report.csv").components(separatedBy: "\r\n").filter { !$0.isEmpty }
    #expect(rows.count == rooms + 1, sourceLocation: sourceLocation)
    for room in report["rooms"].items {
      let log = try #require(room["log"].text, sourceLocation: sourceLocation)
      let text = try run.text(of: log)
      #expect(
        text.contains("Outcome") && text.contains(room["outcome"].text?.replacing("_", with: " ") ?? "?"),
        sourceLocation: sourceLocation)
    }
    let journal = try run.text(of: "journal.jsonl")
    #expect(isTorn || journal.hasSuffix("\n"), sourceLocation: sourceLocation)
    let lines = journal.prefix(through: journal.lastIndex(of: "\n") ?? journal.startIndex).split(
      separator: "\n")
    #expect(!lines.isEmpty && lines.allSatisfy { JSON(String($0)) != nil }, sourceLocation: sourceLocation)
    try expectNoSecret(sourceLocation: sourceLocation)
  }

  /// Checks that no file of the record contains a WiFi password.
  func expectNoSecret(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let files = recordedFiles
    #expect(!files.isEmpty, sourceLocation: sourceLocation)
    for file in files {
      let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      for password in [Self.password, Self.newPassword] {
        #expect(!text.contains(password), "a password is in \(file.path)", sourceLocation: sourceLocation)
      }
    }
  }
}
