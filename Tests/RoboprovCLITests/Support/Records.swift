import Foundation
import Testing

extension Site {
  /// The directory that `reports/<building>/latest` points to.
  var latest: URL {
    get throws {
      let link = directory.appending(path: "reports/\(Self.building)/latest")
      let run = try FileManager.default.destinationOfSymbolicLink(atPath: link.path)
      try #require(!run.contains("/"), "latest points beside itself")
      return directory.appending(path: "reports/\(Self.building)/\(run)")
    }
  }

  /// The ids of the runs on record, by time.
  var runs: [String] {
    let entries = try? FileManager.default.contentsOfDirectory(
      at: directory.appending(path: "reports/\(Self.building)"), includingPropertiesForKeys: [.isDirectoryKey]
    )
    return (entries ?? []).filter {
      (try? $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
    }.map(\.lastPathComponent).filter { $0 != "latest" && !$0.hasPrefix(".") }.sorted()
  }

  /// The latest run's report.
  var report: JSON {
    get throws { try #require(JSON(try text(of: "report.json"))) }
  }

  /// A file of the latest run.
  func text(of name: String) throws -> String {
    try String(contentsOf: try latest.appending(path: name), encoding: .utf8)
  }

  /// Outcome by minor, as the latest run's report has it.
  var outcomes: [Int: String] {
    get throws {
      Dictionary(
        try report["rooms"].items.compactMap { room in
          room["minor"].integer.flatMap { minor in room["outcome"].text.map { (minor, $0) } }
        }, uniquingKeysWith: { "\($0) and \($1)" })
    }
  }

  /// Every entry below the reports directory, hidden ones too, as paths from there.
  var recordedEntries: [String] {
    (try? FileManager.default.subpathsOfDirectory(atPath: directory.appending(path: "reports").path)) ?? []
  }

  /// Whether there is a symbolic link of this name here, wherever it leads.
  func hasLink(_ name: String) -> Bool {
    let path = directory.appending(path: name).path
    return (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }

  /// Every file below the reports directory.
  var recordedFiles: [URL] {
    let walk = FileManager.default.enumerator(
      at: directory.appending(path: "reports"), includingPropertiesForKeys: [.isRegularFileKey])
    return (walk?.compactMap { $0 as? URL } ?? []).filter {
      (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
    }
  }

  /// What is in every file below the reports directory, and where links lead, by path.
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

  /// Checks that a run's record is whole: all reports are there and readable, agree with each other, every room
  /// has one outcome, and no secret is in any of them.
  /// - Parameter isTorn: whether the journal's last line may not be whole.
  func expectWholeRecord(rooms: Int, isTorn: Bool = false, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let report = try report
    #expect(report["schema"].text == "roboprov/report/2", sourceLocation: sourceLocation)
    #expect(report["rooms"].count == rooms, sourceLocation: sourceLocation)
    #expect(report["summary"]["total"].integer == rooms, sourceLocation: sourceLocation)
    let rows = try text(of: "report.csv").components(separatedBy: "\r\n").filter { !$0.isEmpty }
    #expect(rows.count == rooms + 1, sourceLocation: sourceLocation)
    for room in report["rooms"].items {
      let log = try #require(room["log"].text, sourceLocation: sourceLocation)
      let text = try text(of: log)
      #expect(
        text.contains("Outcome") && text.contains(room["outcome"].text ?? "?"),
        sourceLocation: sourceLocation)
    }
    let journal = try text(of: "journal.jsonl")
    #expect(isTorn || journal.hasSuffix("\n"), sourceLocation: sourceLocation)
    let lines = journal.prefix(through: journal.lastIndex(of: "\n") ?? journal.startIndex).split(
      separator: "\n")
    #expect(!lines.isEmpty && lines.allSatisfy { JSON(String($0)) != nil }, sourceLocation: sourceLocation)
    try expectNoSecret(sourceLocation: sourceLocation)
  }

  /// Checks that no WiFi password stands in any file of the record.
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
