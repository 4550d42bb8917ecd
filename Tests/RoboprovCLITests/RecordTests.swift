import Bluetooth
import Foundation
import RecordedText
import SampleFacts
import Testing
import VirtualBuilding

@Suite("a record that cannot be written ends the run with 74", .timeLimit(.minutes(60)))
struct RecordTests {
  /// Places in which no user can write reports, and the command that creates each.
  static let places: [String: @Sendable (Site) throws -> Void] = [
    "file/reports": { try $0.write("file", "") },
    "file": { try $0.write("file", "") },
    "/proc/reports": { _ in },
    "dangling": {
      try FileManager.default.createSymbolicLink(
        atPath: $0.directory.appending(path: "dangling").path, withDestinationPath: "nowhere")
    },
    "taken": {
      try FileManager.default.createDirectory(
        at: $0.directory.appending(path: "taken/\(Site.building)/latest"), withIntermediateDirectories: true)
    },
  ]

  @Test(
    "a place without write access is detected at the start, before any sensor is written",
    // Below /proc the system tells root something else than other users.
    .notRecorded, arguments: places.keys.sorted(), ["--reports", "--mirror"])
  func unwritable(_ place: String, _ option: String) async throws {
    try await Site.use([.numbered(1)]) { site in
      try Self.places[place]?(site)
      try await site.serve([ServedBuilding.sensor(1)]) { building in
        let outcome = try await site.run(
          ["apply", "building.yaml", "--scan-time", "1", option, place], on: building
        ).expect(74, errors: place, "\(option) DIR")
        let refusal =
          option == "--mirror"
          ? #/roboprov: error: the mirror: cannot /# : #/roboprov: error: (?:this user )?cannot /#
        #expect(outcome.errors.contains(refusal), "\(outcome)")
        #expect(await building.isUntouched([1]))
      }
    }
  }

  @Test(
    "a write failure starts no further attempt, ends the link and changes no sensor without an intent",
    arguments: [10_000, 13_500, 19_500, 25_500])
  func writeFailure(_ bytes: Int) async throws {
    try await Site.use([.numbered(1), .numbered(2), .numbered(3)]) { site in
      let sensors = [1, 2, 3].map { ServedBuilding.sensor($0) }
      try await ServedBuilding.serve(sensors) { building in
        let apply = ["apply", "building.yaml", "--scan-time", "1"]
        // A file size limit has the effect of a full disk, for one process alone.
        try await site.run(
          apply, bus: building.bus, through: ["prlimit", "--fsize=\(bytes)", "--"]
        ).expect(74, errors: "roboprov: error: ", "journal.jsonl: no space left", "Free some space")
        #expect(await building.world.openLinkCount() == 0)

        let run = try #require(site.runs.first)
        let journal = try String(
          contentsOf: site.directory.appending(path: "reports/\(Site.building)/\(run)/journal.jsonl"),
          encoding: .utf8)
        #expect(journal.last == "\n", "a torn line is taken back")
        let intents = journal.split(separator: "\n").filter { $0.contains("save_submitted") }
        for number in 1...3 where await building.flash(number)?.isSaved == true {
          let address = ServedBuilding.address(number).description
          #expect(intents.contains { $0.contains(address) }, "\(address) was changed without an intent")
        }

        // With space again, the next run does the rest.
        try await site.run(apply, bus: building.bus).expect(0)
        try site.expectWholeRecord(rooms: 3)
      }
    }
  }

  @Test("a reader of the progress that closes the pipe does not end the run")
  func readerGone() async throws {
    try await Site.use([.numbered(1), .numbered(2)]) { site in
      let sensors = [1, 2].map { ServedBuilding.sensor($0) }
      try await ServedBuilding.serve(sensors) { building in
        let pipe = ["bash", "-c", #""$0" "$@" 2>&1 | head -n 1; exit "${PIPESTATUS[0]}""#]
        let outcome = try await site.run(
          ["apply", "building.yaml", "--scan-time", "1"], bus: building.bus, through: pipe
        ).expect(0)
        #expect(outcome.output.split(separator: "\n").count == 1, "\(outcome)")
        try site.expectWholeRecord(rooms: 2)
      }
    }
  }
}
