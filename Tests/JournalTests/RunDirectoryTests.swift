import Foundation
import Glibc
import Model
import Testing

@testable import Journal

@Suite("The directory of a run")
struct RunDirectoryTests {
  private let temporary: TemporaryDirectory
  private var reports: String { temporary.path + "/a/reports" }

  init() throws { temporary = try TemporaryDirectory() }

  private func create(_ run: String = "run-1") throws(JournalError) -> RunDirectory {
    try RunDirectory.create(in: reports, building: "demo", run: run)
  }

  @Test("a run's files have their documented paths and modes, and there are no others")
  func whole() async throws {
    let run = try create()
    let journal = try run.createJournal()
    try await journal.append(Events.sample())
    try run.writeReport("report.json", "{}\n")
    try run.writeReport("report.csv", "room\r\n")
    try run.writeDeviceLogs([("kitchen", "log\n"), ("office", "log\n")])
    try run.publish()
    #expect(
      try temporary.contents() == [
        "a", "a/reports", "a/reports/demo", "a/reports/demo/latest", "a/reports/demo/run-1",
        "a/reports/demo/run-1/devices", "a/reports/demo/run-1/devices/kitchen.log",
        "a/reports/demo/run-1/devices/office.log", "a/reports/demo/run-1/journal.jsonl",
        "a/reports/demo/run-1/report.csv", "a/reports/demo/run-1/report.json",
      ])
    for file in ["journal.jsonl", "report.json", "report.csv", "devices/kitchen.log"] {
      #expect(try temporary.mode("a/reports/demo/run-1/" + file) == 0o600, "\(file)")
    }
    for directory in ["", "/demo", "/demo/run-1", "/demo/run-1/devices"] {
      #expect(try temporary.mode("a/reports" + directory) == 0o700, "\(directory)")
    }
    #expect(try run.readJournal().events.count == Events.sample().count)
    #expect(run.path == reports + "/demo/run-1")
  }

  @Test("the buildings of a reports directory are its visible folders, its runs those of a building")
  func listed() throws {
    for run in ["run-2", "run-1"] { _ = try create(run) }
    _ = try RunDirectory.create(in: reports, building: "annex", run: "run-1")
    for folder in [".hidden", "demo/rehearsals/run-9"] {
      try FileManager.default.createDirectory(
        atPath: reports + "/" + folder, withIntermediateDirectories: true)
    }
    try temporary.write("", "a/reports/notes.txt")
    try temporary.write("", "a/reports/demo/rehearsals/notes.txt")
    #expect(try RunDirectory.buildings(in: reports) == ["annex", "demo"])
    #expect(try RunDirectory.rehearsalIDs(of: "demo", in: reports) == ["run-9"])
  }

  @Test("`latest` moves only when a run is published, and is a relative link")
  func latest() throws {
    let first = try create("run-1")
    #expect(try RunDirectory.latestRun(in: reports, building: "demo") == nil)
    try first.publish()
    #expect(try RunDirectory.latestRun(in: reports, building: "demo") == "run-1")
    // What a process left that was killed in this place, and whose folder was removed.
    #expect(symlink("run-2", reports + "/demo/.latest.run-2") == 0)
    let second = try create("run-2")
    #expect(try temporary.contents().filter { $0.contains(".latest") } == [])
    #expect(try RunDirectory.latestRun(in: reports, building: "demo") == "run-1")
    try second.publish()
    try second.publish()
    #expect(try RunDirectory.latestRun(in: reports, building: "demo") == "run-2")
    #expect(try temporary.contents().filter { $0.contains(".latest") } == [])
    // No name leads out of the reports.
    for name in ["../\(URL(filePath: reports).lastPathComponent)/demo", "demo/.", "."] {
      #expect(throws: JournalError.self) { try RunDirectory.latestRun(in: reports, building: name) }
    }
  }

  private static func refusing(_ code: Int32) -> File.MakingLink {
    { _, _, _ in
      errno = code
      return -1
    }
  }

  @Test("`latest` is a text file on a file system without links, and link and text file replace each other")
  func latestAsText() throws {
    _ = try create("run-1")
    let building = try File.directory(reports).directory("demo")
    let link = Self.refusing(EPERM)
    try LatestMark.prove(for: "run-1", in: building, by: link)
    try LatestMark.place("run-1", in: building, by: link)
    #expect(try temporary.read("a/reports/demo/latest") == "run-1\n")
    #expect(try RunDirectory.latestRun(in: reports, building: "demo") == "run-1")
    let second = try create("run-2")
    try LatestMark.place("run-2", in: building, by: link)
    #expect(try RunDirectory.latestRun(in: reports, building: "demo") == "run-2")
    // The content of a USB stick, copied to a file system with links.
    try second.publish()
    #expect(building.kind(of: "latest") == S_IFLNK)
    #expect(try RunDirectory.latestRun(in: reports, building: "demo") == "run-2")
    try LatestMark.place("run-1", in: building, by: link)
    #expect(building.kind(of: "latest") == S_IFREG)
    #expect(try temporary.contents().filter { $0.contains(".latest") } == [])
  }

  @Test("three errors mean a file system without links; any other is a failure before the run")
  func linkErrors() throws {
    try temporary.write("x", "file")
    let directory = try File.directory(temporary.path)
    for code in [EPERM, EOPNOTSUPP, ENOSYS] {
      #expect(try !directory.link("link", to: "file", by: Self.refusing(code)))
    }
    let full = Self.refusing(ENOSPC)
    #expect(throws: JournalError(.link, temporary.path + "/link", .noSpace)) {
      try directory.link("link", to: "file", by: full)
    }
    #expect(throws: JournalError(.link, temporary.path + "/.latest.run-1", .noSpace)) {
      try LatestMark.prove(for: "run-1", in: directory, by: full)
    }
    #expect(try temporary.contents() == ["file"])
  }

  @Test(
    "a foreign text file named `latest` makes `create` throw and stays unchanged",
    arguments: [
      "", "a note of mine", "run-1", "../run-1\n", "run 1\n", ".\n",
      String(repeating: "a", count: 300) + "\n",
    ])
  func foreignLatestText(text: String) throws {
    try FileManager.default.createDirectory(atPath: reports + "/demo", withIntermediateDirectories: true)
    try temporary.write(text, "a/reports/demo/latest")
    #expect(throws: JournalError(.link, reports + "/demo/latest", .inTheWay)) { try create() }
    #expect(try RunDirectory.latestRun(in: reports, building: "demo") == nil)
    #expect(try temporary.read("a/reports/demo/latest") == text)
  }

  @Test("a run that exists is opened, and one that cannot be created is not taken for it")
  func openedOrCreated() throws {
    func open() throws(JournalError) -> String {
      try RunDirectory.openOrCreate(in: reports, building: "demo", run: "run-1").path
    }
    #expect(try open() == reports + "/demo/run-1")
    #expect(try open() == reports + "/demo/run-1")
    try FileManager.default.removeItem(atPath: reports + "/demo/run-1")
    // `create` makes the directory before it finds this out.
    try temporary.write("mine", "a/reports/demo/latest")
    #expect(throws: JournalError(.link, reports + "/demo/latest", .inTheWay)) { try open() }
  }

  @Test("a hard link never replaces a file, and says whether it was made")
  func hardLink() throws {
    try temporary.write("one", "one")
    try temporary.write("three", "two")
    #expect(["one", "two", "none"].map { File.size(temporary.path + "/" + $0) } == [3, 5, nil])
    let directory = try File.directory(temporary.path)
    #expect(try directory.hardLink("one", as: "new") && temporary.read("new") == "one")
    #expect(try !directory.hardLink("one", as: "two") && temporary.read("two") == "three")
    #expect(throws: JournalError(.create, temporary.path + "/other", .missing)) {
      try directory.hardLink("none", as: "other")
    }
  }

  @Test("a new report replaces the old one completely")
  func replace() throws {
    let run = try create()
    // What a killed run left.
    try temporary.write("half", "a/reports/demo/run-1/.report.json.new")
    try run.writeReport("report.json", "a long first version")
    try run.writeReport("report.json", "second")
    #expect(try temporary.read("a/reports/demo/run-1/report.json") == "second")
    let again = try RunDirectory.open(in: reports, building: "demo", run: "run-1")
    try again.writeReport("report.json", "third")
    #expect(try temporary.read("a/reports/demo/run-1/report.json") == "third")
  }

  @Test("a report that cannot be written completely leaves the old one unchanged")
  func diskFull() async throws {
    let run = try create()
    try run.writeReport("report.json", "old")
    let reports = reports
    // A separate process, because the limit applies to the whole process.
    await #expect(processExitsWith: .success) { [reports = reports as String] in
      signal(SIGXFSZ, SIG_IGN)
      var bound = rlimit(rlim_cur: 5, rlim_max: 5)
      precondition(setrlimit(__rlimit_resource_t(1), &bound) == 0)
      let run = try RunDirectory.open(in: reports, building: "demo", run: "run-1")
      do throws(JournalError) {
        try run.writeReport("report.json", "a longer new one")
        preconditionFailure("a write above the size limit succeeded")
      } catch {
        precondition(error.cause == .noSpace)
      }
      // A lock file with a part of a line names no holder.
      try File.directory(reports).create("lock").replaceContent(with: Array("a longer line".utf8))
      precondition(File.size(reports + "/lock") == 0)
    }
    #expect(try temporary.read("a/reports/demo/run-1/report.json") == "old")
    #expect(try !temporary.contents().contains { $0.hasSuffix(".new") })
  }

  @Test("creating an existing run directory or journal throws")
  func once() async throws {
    let run = try create()
    #expect(throws: JournalError(.createDirectory, run.path, .exists)) { try create() }
    _ = try run.createJournal()
    #expect(throws: JournalError(.create, run.journalPath, .exists)) { try run.createJournal() }
  }

  @Test("a symbolic link in place of the journal is not followed")
  func link() throws {
    let run = try create()
    try FileManager.default.createSymbolicLink(
      atPath: run.journalPath, withDestinationPath: temporary.path + "/elsewhere")
    #expect(throws: JournalError(.create, run.journalPath, .exists)) { try run.createJournal() }
    #expect(!FileManager.default.fileExists(atPath: temporary.path + "/elsewhere"))
  }

  @Test("a symbolic link in place of a report is replaced, and its target stays unchanged")
  func reportLink() throws {
    let run = try create()
    try temporary.write("precious", "precious")
    try FileManager.default.createSymbolicLink(
      atPath: run.path + "/report.json", withDestinationPath: temporary.path + "/precious")
    try run.writeReport("report.json", "{}")
    #expect(try temporary.read("precious") == "precious")
    #expect(try temporary.read("a/reports/demo/run-1/report.json") == "{}")
  }

  @Test(
    "an id that could leave its directory is refused",
    arguments: [
      "", ".", "..", "../x", "a/b", "/etc", ".hidden", "a\0b", "a b", "ü", "a\n", "-\u{1B}", "latest",
      "rehearsals",
      String(repeating: "a", count: 201),
    ])
  func unsafeNames(name: String) throws {
    #expect(throws: JournalError(.create, name, .unsafeName)) {
      try RunDirectory.create(in: reports, building: "demo", run: name)
    }
    #expect(throws: JournalError(.create, name, .unsafeName)) {
      try RunDirectory.open(in: reports, building: "demo", run: name)
    }
    guard name != "latest", name != "rehearsals" else { return }
    #expect(throws: JournalError(.create, name, .unsafeName)) {
      try RunDirectory.open(in: reports, building: name, run: "run-1")
    }
    #expect(throws: JournalError(.create, name, .unsafeName)) {
      try RunDirectory.create(in: reports, building: name, run: "run-1")
    }
    #expect(throws: JournalError(.create, name, .unsafeName)) {
      try RunDirectory.rehearsalIDs(of: name, in: reports)
    }
    #expect(throws: JournalError(.create, name, .unsafeName)) {
      try RunDirectory.latestRun(in: reports, building: name)
    }
    let run = try create()
    #expect(throws: JournalError(.create, name, .unsafeName)) {
      try run.writeDeviceLogs([(RoomID(rawValue: name), "log")])
    }
    #expect(throws: JournalError(.create, name, .unsafeName)) { try run.writeReport(name, "") }
  }

  @Test(
    "a file in place of a directory makes `create` throw",
    arguments: ["a", "a/reports", "a/reports/demo"])
  func fileAsDirectory(place: String) throws {
    let parent = (temporary.path + "/" + place as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    try temporary.write("a file", place)
    let error = #expect(throws: JournalError.self) { try create() }
    #expect(error?.cause == .inTheWay)
  }

  @Test("a reports directory needs a name without a zero byte", arguments: ["", "/a\0b"])
  func unsafeReports(name: String) {
    let path = name.isEmpty ? "" : temporary.path + name
    #expect(throws: JournalError(.createDirectory, path, .unsafeName)) {
      try RunDirectory.create(in: path, building: "demo", run: "run-1")
    }
  }

  @Test("a directory named `latest` makes `create` throw and stays unchanged")
  func latestDirectory() throws {
    try FileManager.default.createDirectory(
      atPath: reports + "/demo/latest", withIntermediateDirectories: true)
    #expect(try RunDirectory.latestRun(in: reports, building: "demo") == nil)
    #expect(throws: JournalError(.link, reports + "/demo/latest", .inTheWay)) { try create() }
  }

  @Test("a symbolic link in place of a building's directory is not followed")
  func buildingLink() throws {
    try FileManager.default.createDirectory(atPath: reports, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: reports + "/demo", withDestinationPath: temporary.path)
    #expect(throws: JournalError(.open, reports + "/demo", .inTheWay)) { try create() }
  }

  @Test("a directory without write permission makes `create` throw", .enabled(if: geteuid() != 0))
  func denied() throws {
    try FileManager.default.createDirectory(atPath: reports, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: reports)
    #expect(throws: JournalError(.createDirectory, reports + "/demo", .permissionDenied)) { try create() }
  }

  @Test("a kernel file system that even root cannot write to makes `create` throw")
  func kernel() throws {
    let error = #expect(throws: JournalError.self) {
      try RunDirectory.create(in: "/proc/reports", building: "demo", run: "run-1")
    }
    #expect(error?.operation == .createDirectory)
    #expect(error?.path == "/proc/reports")
  }

  @Test("a disk with too little free space makes `create` throw")
  func littleSpace() throws {
    let error = #expect(throws: JournalError.self) {
      try RunDirectory.create(in: reports, building: "demo", run: "run-1", spaceWanted: .max)
    }
    guard case .littleSpace(let free, .max)? = error?.cause else {
      Issue.record("not insufficient space: \(String(describing: error))")
      return
    }
    #expect(free > 0)
  }

  @Test("a rehearsal has its own folder and its own `latest`, and is found by its id")
  func rehearsal() throws {
    let real = try create("run-1")
    try real.publish()
    let rehearsal = try RunDirectory.create(in: reports, building: "demo", run: "run-2", .rehearsal)
    #expect(rehearsal.path == reports + "/demo/rehearsals/run-2")
    try rehearsal.publish()
    #expect(try RunDirectory.latestRun(in: reports, building: "demo") == "run-1")
    let mark = try FileManager.default.destinationOfSymbolicLink(atPath: reports + "/demo/rehearsals/latest")
    #expect(mark == "run-2")
    for (run, sort) in [("run-1", RunSort.real), ("run-2", .rehearsal)] {
      #expect(try RunDirectory.find(in: reports, building: "demo", run: run).sort == sort)
    }
    #expect(throws: JournalError(.open, reports + "/demo/run-9", .missing)) {
      try RunDirectory.find(in: reports, building: "demo", run: "run-9")
    }
    try temporary.write("", "a/reports/demo/run-2")
    #expect(throws: JournalError(.open, reports + "/demo/run-2", .inTheWay)) {
      try RunDirectory.find(in: reports, building: "demo", run: "run-2")
    }
  }

  @Test("reading a run directory changes nothing in it")
  func onlyRead() throws {
    try FileManager.default.createDirectory(
      atPath: reports + "/demo/run-1", withIntermediateDirectories: true)
    let run = try RunDirectory.open(in: reports, building: "demo", run: "run-1")
    #expect(throws: JournalError(.open, run.journalPath, .missing)) { try run.readJournal() }
    #expect(try temporary.contents() == ["a", "a/reports", "a/reports/demo", "a/reports/demo/run-1"])
    try run.writeDeviceLogs([("kitchen", "log")])
    #expect(try temporary.read("a/reports/demo/run-1/devices/kitchen.log") == "log")
  }

  @Test("opening a run that does not exist throws")
  func missing() throws {
    _ = try create()
    #expect(throws: JournalError(.open, reports + "/demo/run-9", .missing)) {
      try RunDirectory.open(in: reports, building: "demo", run: "run-9")
    }
  }

  @Test("a reports directory may be relative and may contain dots and double slashes")
  func oddPaths() throws {
    let run = try RunDirectory.create(
      in: temporary.path + "//x/./y/../y/", building: "demo", run: "20261121T090000.123Z-host_1")
    try run.writeReport("report.json", "{}")
    #expect(try temporary.read("x/y/demo/20261121T090000.123Z-host_1/report.json") == "{}")
  }
}
