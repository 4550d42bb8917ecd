import Bluetooth
import Digest
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("a run leaves reports and logs", .timeLimit(.minutes(60)))
struct ReportFilesTests {
  /// Three sensors: one is healthy, one loses its link once, one rejects a write with an error that quotes
  /// it.
  private static var sensors: [SensorScenario] {
    [
      ServedBuilding.sensor(1),
      SensorScenario(
        address: ServedBuilding.address(2), faults: [ScheduledFault(.drops(in: .write(2)), attempts: 1)]),
      ServedBuilding.sensor(3, .errorOnSave("cannot join with \(Site.password)")),
    ]
  }

  /// A run with these sensors, and the files that it and a second run leave.
  private func withRun(
    _ body: @escaping @Sendable (Site, ServedBuilding, Invocation.Outcome) async throws -> Void
  ) async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1), .numbered(2), .numbered(3)], defaults: ["retries: 1"])
      try await site.serve(Self.sensors) { building in
        let outcome = try await site.run(
          ["apply", "building.yaml", "--scan-time", "1", "--output", "report"], on: building)
        try await body(site, building, outcome)
      }
    }
  }

  @Test("a run leaves owner-only files in <reports>/<building>/<run> and a `latest` link")
  func layout() async throws {
    try await withRun { site, _, outcome in
      #expect(outcome.status == 100, "\(outcome)")
      let run = try #require(site.runs.first)
      #expect(site.runs == [run])
      #expect(try site.latest.lastPathComponent == run)
      #expect(try site.report["run"]["id"].text == run)
      let base = site.directory.appending(path: "reports").path
      let entries = try FileManager.default.subpathsOfDirectory(atPath: base).sorted()
      let files =
        ["journal.jsonl", "report.csv", "report.json"].map { "harbour/\(run)/" + $0 } + ["harbour/.lock"]
        + ["building.csv", "building.html", "building.json", "junit.xml"].map { "harbour/" + $0 }
      let logs = ["room-101", "room-102", "room-103"].map { "harbour/\(run)/devices/\($0).log" }
      let directories = ["harbour", "harbour/\(run)", "harbour/\(run)/devices"]
      #expect(entries == (files + logs + directories + ["harbour/latest"]).sorted())
      for (paths, mode) in [(files + logs, 0o600), (directories + [""], 0o700)] {
        for path in paths {
          let attributes = try FileManager.default.attributesOfItem(atPath: base + "/" + path)
          #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
        }
      }
    }
  }

  @Test("report.json is what stdout has, and agrees with the settings of the sensors")
  func json() async throws {
    try await withRun { site, building, outcome in
      let report = try #require(JSON(outcome.output), "stdout is not exactly the report\n\(outcome)")
      #expect(try site.text(of: "report.json") == outcome.output)
      #expect(report["schema"].text == "roboprov/report/1")

      let run = report["run"]
      #expect(run["outcome"].text == "incomplete")
      #expect(run["bluez_version"].text == "5.66")
      #expect(run["tool_version"].text?.isEmpty == false)
      #expect(run["host"].text?.isEmpty == false)
      #expect(run["simulated"].flag == false)
      let times = try ["started", "finished"].map { key in
        try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(try #require(run[key].text))
      }
      #expect(times[0] < times[1])
      #expect(run["manifest"]["path"].text == "building.yaml")
      let digest = try #require(run["manifest"]["sha256"].text)
      #expect(digest == "content:" + SHA256(of: Array(Self.content.utf8)).hex)

      let outcomes = report["rooms"].items.compactMap { $0["outcome"].text }
      #expect(outcomes == ["provisioned", "provisioned_after_retry", "failed"])
      for (number, room) in zip(1..., report["rooms"].items) {
        #expect(room["room"].text == "Room \(100 + number)")
        #expect(room["identity"].minor == 100 + number)
        #expect(room["address"].text == ServedBuilding.address(number).description)
        #expect(room["adapter"].text == ServedBuilding.adapter.description)
        #expect((-127...20).contains(room["rssi"].integer ?? 0))
        #expect((room["duration_s"].number ?? 0) > 0)
        #expect(
          room["settings"].items.map { $0["name"].text } == [
            "wifi_ssid", "wifi_password", "room_name", "minor",
          ])
      }
      let good = report["rooms"][0]
      #expect(good["attempts"].integer == 1)
      #expect(good["evidence"]["grade"].text == "fresh_beacon")
      #expect(good["evidence"]["identity"].minor == 101)
      let states = ["acknowledged", "acknowledged", "acknowledged", "proved"]
      #expect(good["settings"].items.map { $0["state"].text } == states)
      #expect(good["settings"].items.map { $0["value"].text } == ["Harbour Guests", nil, "Room 101", "101"])
      #expect(good["reason"].isNull && good["advice"].isNull)
      #expect(report["rooms"][1]["attempts"].integer == 2)
      let bad = report["rooms"][2]
      #expect(bad["reason"].text?.contains("cannot join with") == true)
      #expect(bad["advice"].text?.isEmpty == false)
      #expect(bad["evidence"].isNull)

      for number in 1...2 {
        let flash = try #require(await building.flash(number))
        #expect(flash.isSaved)
        #expect(flash.ssid == "Harbour Guests")
        #expect(flash.password == Site.password)
        #expect(flash.roomName == "Room \(100 + number)")
        #expect(flash.minor == UInt16(100 + number))
      }
    }
  }

  /// The manifest as JSON without secrets; its digest is computed from this.
  private static let content =
    #"{"building":"Harbour House","id":"harbour","wifi":{"guests":{"ssid":"Harbour Guests","password":null}},"#
    + #""defaults":{"wifi":"guests","retries":"1"},"match":"address","rooms":["#
    + (1...3).map { #"{"room":"Room 10\#($0)","minor":"10\#($0)","address":"C4:7C:8D:00:00:0\#($0)"}"# }
    .joined(separator: ",") + "]}"

  @Test("report.csv, as read by Python's csv module, has the same rooms")
  func csv() async throws {
    try await withRun { site, _, _ in
      let file = try site.latest.appending(path: "report.csv").path
      let script = """
        import csv, json, sys
        with open(sys.argv[1], newline="", encoding="utf-8-sig") as file:
            print(json.dumps(list(csv.DictReader(file, strict=True))))
        """
      let outcome = try await site.runTool(["python3", "-c", script, file])
      let rows = try outcome.json
      let rooms = try site.report["rooms"]
      #expect(rows.count == 3)
      for (row, room) in zip(rows.items, rooms.items) {
        for key in ["room", "outcome", "address", "adapter", "log"] {
          #expect(row[key].text == room[key].text, "\(key)")
        }
        #expect(row["identity"].text == room["identity"].minor.map { "minor \($0)" })
        for key in ["attempts", "rssi"] {
          #expect(row[key].text.flatMap { Int($0) } == room[key].integer, "\(key)")
        }
        #expect(row["building"].text == Site.building)
        #expect(row["reason_code"].text == room["reason_code"].text ?? "")
      }
    }
  }

  @Test("a device log has times, stages, RSSI, failure, retry, outcome and advice")
  func logs() async throws {
    try await withRun { site, _, _ in
      let retried = try site.text(of: "devices/room-102.log")
      let script = [
        "received  \(ServedBuilding.address(2)) on hci0 at -", "binding", "attempt   1 started",
        "connect   started",
        "connect   done", "discover  done", "status    “ready”", "write     WiFi name confirmed", "link lost",
        "unexpected", "retry     attempt 2 starts", "attempt   2 started", "write     minor ID confirmed",
        "save      save request sent", "status    “saved”", "link", "as expected",
        "proof     beacon received after the save",
        "outcome   provisioned after retry", "Outcome    provisioned after retry",
      ]
      var rest = retried[...]
      for words in script {
        let found = rest.range(of: words)
        #expect(found != nil, "“\(words)” is missing, or not in its place\n\(retried)")
        if let found { rest = rest[found.upperBound...] }
      }
      let event = #/(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z +\d+\.\d{3} +(\d+\.\d{3}|-)  /#
      #expect(retried.matches(of: event).count > 20, "absolute and elapsed times\n\(retried)")

      let failed = try site.text(of: "devices/room-103.log")
      #expect(failed.contains("Outcome    failed"))
      #expect(failed.contains("Why        "))
      #expect(failed.contains("What to do "))
    }
  }

  /// Inspects the processes of a run that has read all its files and waits for its adapter.
  private func expectNoSecretInProcesses(_ site: Site) async throws {
    try site.write(
      "off.yaml", "adapters: [{ name: hci0, address: \"\(ServedBuilding.adapter)\", powered: false }]\n")
    let run = try site.start(
      ["apply", "building.yaml", "--watch", "--adapter-wait", "600", "--simulate", "--scenario", "off.yaml"])
    try await run.prints("waiting up to")
    for process in [run.id] + descendants(of: run.id) {
      for file in ["cmdline", "environ"] {
        // Only root reads the environment of a process that forbids dumps of its memory.
        let path = "/proc/\(process)/\(file)"
        if file == "environ", getuid() != 0, !FileManager.default.isReadableFile(atPath: path) { continue }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(file == "environ" || !bytes.isEmpty)
        #expect(!String(decoding: bytes, as: UTF8.self).contains(Site.password))
      }
    }
    run.send(SIGINT)
    #expect(try await run.ended().status == 130)
  }

  @Test("the WiFi password is in no report, output, process argument or environment")
  func secrets() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1), .numbered(2), .numbered(3)], defaults: ["retries: 1"])
      try site.write(
        "scenario.yaml",
        """
        speed: 10
        adapters: [{ name: hci0, address: "\(ServedBuilding.adapter)" }]
        sensors:
          - { address: "\(ServedBuilding.address(1))" }
          - { address: "\(ServedBuilding.address(2))", faults: [{ fault: slow }] }
          - address: "\(ServedBuilding.address(3))"
            faults: [{ fault: error_on_save, text: "cannot join with \(Site.password)" }]

        """)
      try await expectNoSecretInProcesses(site)
      let run = try site.start(
        ["apply", "building.yaml", "--scan-time", "2", "--simulate", "--scenario", "scenario.yaml"])
      let outcome = try await run.ended().expect(100)
      #expect(!"\(outcome)".contains(Site.password), "\(outcome)")
      try site.expectWholeRecord(of: site.rehearsal, rooms: 3)
    }
  }

  private func descendants(of process: Int32) -> [Int32] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    let children = tasks.flatMap { task in
      let text = try? String(contentsOfFile: "/proc/\(process)/task/\(task)/children", encoding: .utf8)
      return text?.split(separator: " ").compactMap { Int32($0) } ?? []
    }
    return children + children.flatMap { descendants(of: $0) }
  }

  @Test("a second run finds all rooms done, writes nothing and ends with 0")
  func again() async throws {
    try await Site.use([.numbered(1), .numbered(2)]) { site in
      let sensors = [1, 2].map { ServedBuilding.sensor($0) }
      try await site.serve(sensors) { building in
        let apply = ["apply", "building.yaml", "--scan-time", "1"]
        try await site.run(apply, on: building).expect(0)
        #expect(try site.outcomes == [101: "provisioned", 102: "provisioned"])
        let writes = await building.world.writes.count
        try await site.run(apply, on: building).expect(0)
        #expect(try site.outcomes == [101: "already_provisioned", 102: "already_provisioned"])
        #expect(await building.world.writes.count == writes)
        #expect(site.runs.count == 2)

        // The report that is made again from the journal is identical.
        let before = try site.text(of: "report.json")
        let remade = try await site.run(["report", Site.building, "--output", "json"]).expect(0)
        #expect(remade.output == before)
      }
    }
  }

  @Test("a torn last line is reported, and all lines before it are used")
  func torn() async throws {
    try await withRun { site, _, outcome in
      let journal = try site.latest.appending(path: "journal.jsonl")
      let handle = try FileHandle(forWritingTo: journal)
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(#"{"sequence":99,"#.utf8))
      try handle.close()
      let report = try await site.run(["report", Site.building, "--output", "json"]).expect(
        0, errors: "the last line is incomplete (15 bytes)")
      #expect(report.output == outcome.output)
    }
  }
}
