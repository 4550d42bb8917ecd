import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("`--mirror` keeps a second copy of the record", .timeLimit(.minutes(60)))
struct MirrorTests {
  private static let apply = ["apply", "building.yaml", "--scan-time", "1", "--mirror", "stick/mirror"]

  /// Whether a process can mount a private disk, which some of these tests need.
  private static let canMount: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = disk + ["mount -t tmpfs -o size=1m tmpfs /mnt"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// Arguments of `unshare` for a shell with a private mount namespace.
  private static let disk = ["--map-current-user", "--keep-caps", "--mount", "sh", "-c"]

  /// Each file below a directory, and the target of each link.
  private static func content(of directory: URL) throws -> [String: Data] {
    let files = FileManager.default
    var content: [String: Data] = [:]
    // The lock belongs to the directory in which runs start.
    for name in try files.subpathsOfDirectory(atPath: directory.path) where !name.hasSuffix("/.lock") {
      let path = directory.appending(path: name).path
      if let target = try? files.destinationOfSymbolicLink(atPath: path) {
        content[name] = Data(target.utf8)
      } else if let bytes = files.contents(atPath: path) {
        content[name] = bytes
      }
    }
    return content
  }

  @Test(
    "the mirror gets the building report after an amendment; a new one also the journals before it",
    arguments: [true, false])
  func changes(isNew: Bool) async throws {
    try await Premises.serve(1) { premises in
      let site = premises.site
      try site.writeManifest([.numbered(1)], defaults: ["retries: 0", "timeouts: { connect: 10s }"])
      await premises.setMuted(true, 1)
      let apply = isNew ? try await premises.apply() : try await premises.apply("--mirror", "stick")
      #expect(apply.status == 100, "\(apply)")
      let accept = [
        "room", "accept", "building.yaml", "Room 101", "--by", "Ada", "--reason", "behind a wall",
      ]
      #expect(try await site.run(accept + ["--mirror", "stick"]).status == 0)
      func compared(_ place: String) throws -> [String: Data] {
        try Self.content(of: site.directory.appending(path: place)).filter {
          !isNew || $0.key.hasSuffix("/journal.jsonl") || $0.key.hasSuffix("/building.json")
        }
      }
      let record = try compared("reports")
      #expect(record.keys.count { $0.hasSuffix("/journal.jsonl") } == 2)
      #expect(try record == compared("stick"))
      let report = record["\(Site.building)/building.json"].map { String(decoding: $0, as: UTF8.self) } ?? ""
      #expect(JSON(report)?["rooms"][0]["state"].text == "accepted")
    }
  }

  @Test("the mirror has the same bytes: journals, reports, logs and `latest`")
  func identical() async throws {
    try await Site.use { site in
      try await site.serve([1, 2].map { ServedBuilding.sensor($0) }) { building in
        for rooms in [[1], [1, 2]] {
          try site.writeManifest(rooms.map { .numbered($0) })
          try await site.run(Self.apply, on: building).expect(0)
        }
      }
      let record = try Self.content(of: site.directory.appending(path: "reports"))
      #expect(record == (try Self.content(of: site.directory.appending(path: "stick/mirror"))))
      #expect(record.keys.count { $0.hasSuffix("/journal.jsonl") } == 2)
      #expect(record.keys.contains { $0.hasSuffix(".log") })
      #expect(record.keys.contains("\(Site.building)/latest"))
      try site.expectWholeRecord(rooms: 2)
      // The mirror is all that remains when the laptop is lost.
      try await site.run(["report", Site.building, "--reports", "stick/mirror"]).expect(0)
      #expect(record == (try Self.content(of: site.directory.appending(path: "stick/mirror"))))
    }
  }

  @Test("the mirror cannot be the record itself, by any path", arguments: ["reports", "./reports/", "link"])
  func same(_ place: String) async throws {
    try await Site.use([.numbered(1)]) { site in
      try FileManager.default.createDirectory(
        at: site.directory.appending(path: "reports"), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: site.directory.appending(path: "link").path, withDestinationPath: "reports")
      try await site.serve([ServedBuilding.sensor(1)]) { building in
        try await site.run(
          ["apply", "building.yaml", "--scan-time", "1", "--mirror", place], on: building
        ).expect(74, errors: "the reports directory itself")
        #expect(await building.isUntouched([1]))
      }
    }
  }

  /// The mirror is a small disk that fills up during the run.
  @Test(
    "a mirror that fills up during a run ends the run in order with a message that names it",
    .enabled(if: canMount))
  func full() async throws {
    try await Site.use([.numbered(1), .numbered(2), .numbered(3)]) { site in
      let sensors = [1, 2, 3].map { ServedBuilding.sensor($0) }
      try await ServedBuilding.serve(sensors) { building in
        let script = """
          mkdir stick && mount -t tmpfs -o size=17m tmpfs stick || exit 70
          { until [ -s stick/mirror/\(Site.building)/*/journal.jsonl ]; do sleep 0.02; done
            head -c 20M /dev/zero > stick/fill; } 2> /dev/null &
          "$0" "$@"; status=$?
          cp -r stick kept; rm -f kept/fill; exit $status
          """
        try await site.run(
          Self.apply, bus: building.bus, through: ["unshare"] + Self.disk + [script]
        ).expect(
          74, errors: "the mirror could not be written: cannot ", "stick/mirror/\(Site.building)/",
          "choose another --mirror DIR")
        #expect(await building.world.openLinkCount() == 0)

        // The record has at least the bytes of the mirror, and its reports.
        let run = try #require(site.runs.first)
        let record = try Data(
          contentsOf: site.directory.appending(path: "reports/\(Site.building)/\(run)/journal.jsonl"))
        let mirror = try Data(
          contentsOf: site.directory.appending(path: "kept/mirror/\(Site.building)/\(run)/journal.jsonl"))
        #expect(mirror.last == UInt8(ascii: "\n") && record.starts(with: mirror))
        let intents = String(decoding: record, as: UTF8.self).split(separator: "\n")
          .filter { $0.contains("save_submitted") }
        for number in 1...3 where await building.flash(number)?.isSaved == true {
          let address = ServedBuilding.address(number).description
          #expect(intents.contains { $0.contains(address) }, "\(address) was changed without an intent")
        }
        #expect(try site.report["rooms"].count == 3)
      }
    }
  }
}
