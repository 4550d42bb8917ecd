import Foundation
import Testing

@testable import Journal

@Suite("Folders of signed copies") struct SignedFoldersTests {
  @Test("a folder has all of its files or is not there, and none is replaced")
  func add() throws {
    let temporary = try TemporaryDirectory()
    let reports = temporary.path + "/reports"
    let files = [(path: "a.json", bytes: [1] as [UInt8]), ("run/b.csv", [2, 3])]
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try SignedFolders.add("one", files, of: "demo", in: reports) { _ in throw Refused() }
    }
    let folder = "\(reports)/demo/\(SignedFolders.name)"
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    // What a killed command left.
    try FileManager.default.createDirectory(atPath: folder + "/.two", withIntermediateDirectories: true)
    var unfinished = ""
    let path = try SignedFolders.add("one", files, of: "demo", in: reports) { unfinished = $0 }
    #expect(path == folder + "/one" && unfinished == folder + "/.one")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["one"])
    #expect(FileManager.default.contents(atPath: path + "/run/b.csv") == Data([2, 3]))
    try FileManager.default.removeItem(atPath: path + "/run")
    try FileManager.default.removeItem(atPath: path + "/a.json")
    #expect(throws: JournalError(.createDirectory, path, .exists), "also an empty one stays") {
      try SignedFolders.add("one", files, of: "demo", in: reports) { _ in }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    for name in ["", "..", "a/b", ".x"] {
      #expect(throws: JournalError(.create, name, .unsafeName)) {
        try SignedFolders.add(name, files, of: "demo", in: reports) { _ in }
      }
      #expect(throws: JournalError.self) {
        try SignedFolders.add("two", [(path: "a/../\(name)/", bytes: [])], of: "demo", in: reports) { _ in }
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["one"])
    #expect(try SignedFolders.names(of: "demo", in: reports) == ["one"])
    #expect(try SignedFolders.names(of: "annexe", in: reports) == [])
    try FileManager.default.createDirectory(atPath: reports + "/annexe", withIntermediateDirectories: false)
    try temporary.write("", "reports/annexe/signed")
    #expect(throws: JournalError(.open, reports + "/annexe/signed", .inTheWay)) {
      try SignedFolders.names(of: "annexe", in: reports)
    }
  }
}
