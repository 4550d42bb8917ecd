import Foundation
import Testing
import VirtualBuilding

@Suite("The process and its surroundings", .timeLimit(.minutes(3)))
struct ProcessTests {
  @Test("a hangup that the parent ignores, as nohup does, does not stop a run")
  func nohup() async throws {
    try await Premises.serve(1) { premises in
      let run = try premises.site.start(
        ["apply", "building.yaml", "--yes", "--listen", "2"], bus: premises.building.bus,
        through: ["env", "--ignore-signal=HUP"])
      try await run.says("scanning for devices")
      run.send(SIGHUP)
      let outcome = try await run.ended()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(!outcome.errors.contains("Stopping"), "\(outcome)")
    }
  }

  @Test(
    "a limit on memory that is too low is told of at once", arguments: [110_000, 130_000, 150_000, 200_000])
  func littleMemory(kilobytes: Int) async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      let outcome = try await site.run(
        ["apply", "building.yaml", "--yes", "--simulate", "--listen", "1"],
        through: ["prlimit", "--as=\(kilobytes * 1024)"])
      #expect(outcome.status == 69, "\(outcome)")
      #expect(outcome.errors.contains("less than 128 MiB are left"), "\(outcome)")
    }
  }

  @Test("no core file is written, and no other process of the user looks into it")
  func secretsInMemory() async throws {
    try await Site.use { site in
      let address = ServedBuilding.address(1)
      try site.write(
        "scenario.yaml",
        """
        adapters: [{ name: hci0, address: "\(ServedBuilding.adapter)" }]
        sensors: [{ address: "\(address)" }]
        """)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: site.directory.path + "/scenario.yaml")
      // As somebody who is not root: root may look into everything.
      let isRoot = getuid() == 0
      let wrapper = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
      let process = try site.start(
        ["simulate", "scenario.yaml"], environment: ["TMPDIR": "/tmp"],
        through: ["prlimit", "--core=unlimited"] + wrapper)
      try await process.says("unix:")
      let limits = try String(contentsOfFile: "/proc/\(process.id)/limits", encoding: .utf8)
      let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
      #expect(core.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(core)")
      let memory = try FileManager.default.attributesOfItem(atPath: "/proc/\(process.id)/mem")
      #expect(memory[.ownerAccountID] as? Int == 0, "what is not dumpable belongs to root")
      process.send(SIGINT)
      _ = try await process.ended()
    }
  }
}
