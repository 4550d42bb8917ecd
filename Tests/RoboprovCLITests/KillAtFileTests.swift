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
