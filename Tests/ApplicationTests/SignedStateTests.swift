import Bluetooth
import Foundation
import Host
import Model
import Reporting
import SampleFacts
import Testing

@testable import Journal
@testable import Application

/// A building's record in a temporary directory, with its reports, written as a run writes them.
private final class Record {
  let reports: String
  var folder: String { "\(reports)/house" }

  init() throws {
    reports = NSTemporaryDirectory() + "roboprov-signed-\(UUID())"
    try FileManager.default.createDirectory(atPath: reports, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: reports) }

  var archive: BuildingArchive { get throws { try BuildingArchive.read(in: reports, building: "house") } }

  /// Adds a run that provisions the lobby, and writes all reports.
  func run(_ id: String) async throws {
    let sensor = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
    let adapter = AdapterID(BluetoothAddress(rawValue: 0xAD))
    let settings = [SettingResult(name: .minor, value: "7", state: .written)]
    let earlier = try archive
    let facts: [Fact] = [
      .runStarted(
        .init(
          run: id, building: "house", buildingName: "House", toolVersion: "0", host: "h",
          manifestPath: "b.yaml",
          manifestSHA256: "00", simulated: false, predecessors: earlier.predecessors,
          rooms: [.init(room: "lobby", name: "Lobby", profile: "robo-sensor", settings: settings)])),
      .adapterSelected(.init(adapter: adapter, name: "hci0", stack: nil)),
      .scanStarted(.init(adapter: adapter, purpose: .survey)),
      .bindingCommitted(.init(room: "lobby", address: sensor, basis: .address)),
      .attemptStarted(.init(room: "lobby", address: sensor, adapter: adapter, number: 1)),
      .saveSubmitted(.init(room: "lobby", attempt: 1, address: sensor)),
      .roomFinished(
        .init(
          room: "lobby", outcome: .provisioned, address: sensor, attempts: 1, seconds: 1,
          evidence: Evidence(grade: .freshBeacon, address: sensor, identity: 7), settings: settings)),
      .runFinished(.init(outcome: .complete)),
    ]
    let events = facts.enumerated().map { index, fact in
      RunEvent(
        sequence: index + 1, at: Date(timeIntervalSince1970: 1_795_251_600 + Double(index)),
        elapsed: .seconds(index), fact: fact)
    }
    let directory = try RunDirectory.create(in: reports, building: "house", run: id)
    try await directory.createJournal().append(events)
    let run = BuildingArchive.Run(id: id, journal: directory.journalPath, record: try directory.readJournal())
    let after = BuildingReports.make(.init(building: "house"), from: earlier.adding(run))
    _ = try RunReports.write(events, to: directory, after: after)
    try BuildingReports.write(after, in: reports)
  }

  /// The differences that `report check` names, by path.
  var differences: [String] {
    get throws {
      let set = try ReportSet("house", in: reports)
      return try set.differences(from: try set.report()).map(\.path)
    }
  }

  func write(_ path: String, _ text: String = "x") throws {
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(path)"))
  }

  /// Makes a key with ssh-keygen; returns its path.
  func key() throws -> String {
    let path = reports + "/key"
    let made = ToolOutcome(["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path])
    try #require(made.status == 0, "\(made.text)")
    return path
  }

  func sign(with key: String, at seconds: Double = 1_795_300_000) throws -> SignedState {
    let set = try ReportSet("house", in: reports)
    return try SignedState.sign(
      set.paths, with: key, of: "house", in: reports, latest: set.latest,
      at: Date(timeIntervalSince1970: seconds))
  }
}

@Suite("A record and what was signed of it") struct SignedStateTests {
  @Test("a state after a run is that of its own journal, also in a folder that is named like another run")
  func otherFolder() async throws {
    let record = try Record()
    for run in ["first", "second"] { try await record.run(run) }
    var runs = try record.archive.runs
    (runs[0].id, runs[1].id) = (runs[1].id, runs[0].id)
    let archive = BuildingArchive(runs: runs)
    func states(_ made: [BuildingRun]) -> [[String]] {
      var states: [[String]] = []
      BuildingReports.forEachRun(in: archive, made: made) { states.append($1.runs.map(\.journalHash)) }
      return states
    }
    let made = BuildingReports.make(.init(building: "house"), from: archive).runs
    #expect(made.count == 2 && states([]).last?.isEmpty == false)
    #expect(states(made) == states([]))
  }

  @Test("a whole record has no difference, and each manipulation of its folder is named")
  func manipulations() async throws {
    let record = try Record()
    try await record.run("one")
    try await record.run("two")
    #expect(try record.differences == [])
    let manager = FileManager.default

    for stray in ["status.checkpoint", "two/devices/room-9.log", "two/notes.txt", "id_ed25519"] {
      try record.write(stray)
      #expect(try record.differences == [stray])
      try manager.removeItem(atPath: "\(record.folder)/\(stray)")
    }
    let latest = record.folder + "/latest"
    try manager.removeItem(atPath: latest)
    #expect(try record.differences == ["latest"])
    try manager.createSymbolicLink(atPath: latest, withDestinationPath: "one")
    #expect(try record.differences == ["latest"])
    try manager.removeItem(atPath: latest)
    try manager.createSymbolicLink(atPath: latest, withDestinationPath: "two")

    let log = record.folder + "/two/devices/lobby.log"
    let text = try String(contentsOfFile: log, encoding: .utf8)
    try record.write("two/devices/lobby.log", text + "and more")
    #expect(try record.differences == ["two/devices/lobby.log"])
    try record.write("two/devices/lobby.log", text)
    #expect(try record.differences == [])

    try manager.removeItem(atPath: record.folder + "/one")
    let failure = #expect(throws: CommandFailure.self) { try record.differences }
    #expect(failure?.status == .incomplete && failure?.message.contains("but run two has read it") == true)
  }

  @Test("what was signed stays as it was when the building goes on, and later runs are named")
  func frozen() async throws {
    let record = try Record()
    try await record.run("one")
    let key = try record.key()
    let state = try record.sign(with: key)
    let report = try Data(contentsOf: URL(filePath: state.folder + "/building.json"))
    #expect(try record.differences == [])
    #expect(try state.verify().contains("SHA256:"))
    #expect(state.runs == ["one"] && state.signed == Date(timeIntervalSince1970: 1_795_300_000))

    try await record.run("two")
    #expect(try record.differences == ["two"])
    #expect(try state.verify().contains("SHA256:"))
    #expect(try Data(contentsOf: URL(filePath: state.folder + "/building.json")) == report)
    #expect(try Data(contentsOf: URL(filePath: record.folder + "/building.json")) != report)

    _ = try record.sign(with: key, at: 1_795_400_000)
    #expect(try record.differences == [])
    #expect(try SignedState.all(of: "house", in: record.reports).map(\.runs) == [["one"], ["one", "two"]])
    #expect(throws: CommandFailure.self, "a signed state is never replaced") {
      try record.sign(with: key, at: 1_795_400_000)
    }
  }

  @Test("a signed run that is missing is named, also if no other run has read it")
  func missing() async throws {
    let record = try Record()
    try await record.run("one")
    try await record.run("two")
    _ = try record.sign(with: try record.key())
    try FileManager.default.removeItem(atPath: record.folder + "/two")
    #expect(try record.differences.contains("two"))
  }

  @Test("a changed copy, journal, list or statement is not what was signed")
  func changed() async throws {
    let record = try Record()
    try await record.run("one")
    let state = try record.sign(with: try record.key())
    let place = "signed/\(state.name)"
    for path in [place + "/building.html", place + "/signed.json", "one/journal.jsonl"] {
      let file = URL(filePath: "\(record.folder)/\(path)")
      let bytes = try Data(contentsOf: file)
      try (bytes + Data("\n".utf8)).write(to: file)
      let failure = #expect(throws: CommandFailure.self) { try state.verify() }
      #expect(failure?.status == .record && failure?.message.contains("changed after signing") == true)
      try bytes.write(to: file)
    }
    #expect(try state.verify().contains("SHA256:"))
    // A copy that is missing was changed, too.
    let copy = "\(record.folder)/\(place)/building.html"
    try FileManager.default.moveItem(atPath: copy, toPath: copy + ".away")
    let missing = #expect(throws: CommandFailure.self) { try state.verify() }
    #expect(missing?.message.contains("building.html") == true)
    try FileManager.default.moveItem(atPath: copy + ".away", toPath: copy)
    // A list without one of the copies: only the signature shows it.
    let sums = "\(record.folder)/\(place)/building.sums"
    let lines = try String(contentsOfFile: sums, encoding: .utf8).split(separator: "\n")
    // A list without the statement that names signer and runs is none.
    try record.write(
      place + "/building.sums", lines.filter { !$0.hasSuffix("signed.json") }.joined(separator: "\n") + "\n")
    let nameless = #expect(throws: CommandFailure.self) {
      try SignedState.all(of: "house", in: record.reports)
    }
    #expect(nameless?.message.contains("without signed.json") == true)
    try record.write(place + "/building.sums", lines.dropLast().joined(separator: "\n") + "\n")
    let shorter = try #require(try SignedState.all(of: "house", in: record.reports).first)
    let failure = #expect(throws: CommandFailure.self) { try shorter.verify() }
    #expect(failure?.message.contains("is not valid") == true)
    // A forged list does not make the program read other files.
    for path in [
      "../../../../etc/passwd", "../../../journal.jsonl", "../x", "x/../one/journal.jsonl",
      "../x/one/journal.jsonl", "",
    ] {
      try record.write(place + "/building.sums", (lines + ["00  \(path)"]).joined(separator: "\n") + "\n")
      let forged = #expect(throws: CommandFailure.self) {
        try SignedState.all(of: "house", in: record.reports)
      }
      #expect(forged?.message.contains("that roboprov did not write") == true, "\(path)")
    }
    try FileManager.default.removeItem(atPath: "\(record.folder)/\(place)/building.sums.sig")
  }

  @Test("a signature and a file of signers of at most a mebibyte are read")
  func sizes() async throws {
    let record = try Record()
    try await record.run("one")
    let key = try record.key()
    let state = try record.sign(with: key)
    let signers = record.reports + "/signers"
    let line = try String(contentsOfFile: key + ".pub", encoding: .utf8).split(separator: " ").prefix(2)
    let known = "qa " + line.joined(separator: " ") + "\n"
    func verify(padding: Int) throws -> String {
      // A long comment.
      let comment = String(repeating: "#", count: padding - known.utf8.count - 1) + "\n"
      try (comment + known).write(toFile: signers, atomically: true, encoding: .utf8)
      return try state.verify(signers, as: "qa")
    }
    #expect(try verify(padding: 1 << 20).contains("SHA256:"))
    #expect(throws: CommandFailure.self) { try verify(padding: (1 << 20) + 1) }
    let signature = "signed/\(state.name)/building.sums.sig"
    for (size, message) in [
      (1 << 20, "is not valid"), ((1 << 20) + 1, "has no signature, or it cannot be read"),
    ] {
      try record.write(signature, String(repeating: "x", count: size))
      let failure = #expect(throws: CommandFailure.self) { try state.verify() }
      #expect(failure?.message.contains(message) == true, "\(size)")
    }
  }

  @Test("a key that cannot sign leaves no signed state")
  func refused() async throws {
    let record = try Record()
    try await record.run("one")
    #expect(throws: CommandFailure.self) { try record.sign(with: record.reports + "/none") }
    #expect(try SignedState.all(of: "house", in: record.reports).isEmpty)
    #expect(try record.differences == [])
  }

  @Test("files that roboprov did not write are named")
  func files() async throws {
    let record = try Record()
    try await record.run("one")
    let state = try record.sign(with: try record.key())
    let strays = [
      "building.key", "one/devices/password.log", "one/site.key", "signed/\(state.name)/id_ed25519",
      "site.key",
    ]
    for stray in strays { try record.write(stray) }
    try FileManager.default.createDirectory(
      atPath: record.folder + "/secrets", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: record.folder + "/one/link.json", withDestinationPath: "/etc/passwd")
    let files = try RecordFiles(
      try record.archive, SignedState.all(of: "house", in: record.reports), in: record.folder)
    #expect(files.others == (strays + ["secrets", "one/link.json"]).sorted())
  }
}
