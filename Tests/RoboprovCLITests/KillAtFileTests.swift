import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("a run killed before any file operation leaves no partial file", .timeLimit(.minutes(60)))
struct KillAtFileTests {
  /// Exceeds the number of file operations of a run; each stripe takes every nth of them.
  private static let calls = 1...500
  private static let stripes = 4

  /// The run has nothing to do: it creates the site key, its directory and its reports. Between these it
  /// changes only the journal, which other tests cover.
  @Test(
    "a killed run leaves each file complete or absent, and later runs complete the building",
    arguments: 0..<stripes)
  func killed(stripe: Int) async throws {
    try await KilledBuilding.serve([ServedBuilding.sensor(1)]) { killed in
      try await killed.runUntilDone()
      var kills = 0
      for call in Self.calls where call % Self.stripes == stripe {
        try? FileManager.default.removeItem(at: Self.state(of: killed.site))
        let run = try await killed.run(KillSwitch.at(call: call))
        try Self.expectWholeKey(of: killed.site)
        guard run.wasKilled else {
          #expect(run.outcome.status == 0, "\(run.outcome)")
          break
        }
        kills += 1
      }
      // Two reports and a log, each written to a temporary file, synced and renamed; and the link.
      #expect(kills * Self.stripes > 20)
      try await killed.runUntilDone()
    }
  }

  @Test(
    "what a killed `capture` leaves, with passwords and secrets of labels, is removed by the next command")
  func capture() async throws {
    let manifest = """
      building: B
      match: later
      defaults:
        profile: esp-idf
        wifi: { ssid: Net, password: only-the-sensor-knows }
        pop: { labels: ./labels.json }
      rooms: [{ room: A }]

      """
    let label = #"{"ver":"v1","name":"PROV_1","pop":"the-possession","transport":"ble"}"#
    try await Site.use { site in
      let program = Invocation.program.path
      func leftOver() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: site.directory.path).filter {
          $0.hasPrefix(".") && $0.contains(".roboprov-")
        }
      }
      var left = 0
      for call in 1...100 {
        try site.write("building.yaml", manifest)
        try? FileManager.default.removeItem(at: site.directory.appending(path: "labels.json"))
        let run = try await site.runTool([
          "sh", "-c",
          "printf '%s\\n' '\(label)' | LD_PRELOAD=\(KillSwitch.library.path) KILL_SWITCH='call \(call)' \(program) capture building.yaml --offline",
        ])
        if run.status == 0 { break }
        left += try leftOver().count
        _ = try await site.runTool([program, "validate", "building.yaml"])
        #expect(try leftOver().isEmpty, "call \(call)")
      }
      #expect(left > 2, "the manifest and the labels")
    }
  }

  /// The directory of the site key.
  private static func state(of site: Site) -> URL { site.directory.appending(path: ".local/state") }

  /// Checks that the key is complete or absent, and that each file with it has owner-only access.
  private static func expectWholeKey(of site: Site) throws {
    let place = state(of: site).appending(path: "roboprov")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
    for name in names where name.hasSuffix(".key") || name.contains(".key.") {
      let attributes = try FileManager.default.attributesOfItem(atPath: place.appending(path: name).path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
      if name == "site.key" { #expect((attributes[.size] as? NSNumber)?.intValue == 32) }
    }
  }
}
