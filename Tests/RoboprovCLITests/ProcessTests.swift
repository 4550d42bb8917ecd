import Foundation
import Testing
import VirtualBuilding

@Suite("a process isolates itself from its environment", .timeLimit(.minutes(60)))
struct ProcessTests {
  @Test("a hangup that the parent ignores, as nohup does, does not stop a run")
  func nohup() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      let run = try premises.site.start(
        ["apply", "building.yaml", "--yes", "--scan-time", "2"], bus: premises.building.bus,
        through: ["env", "--ignore-signal=HUP"])
      try await run.prints("scanning for devices")
      run.send(SIGHUP)
      try await run.ended().expect(0, notErrors: "Stopping")
    }
  }

  @Test("a parent that ignores SIGCHLD does not keep a command waiting for a program that has ended")
  func ignoredChildren() async throws {
    try await Site.use { site in
      let outcome = try await site.run(["--version"], through: ["env", "--ignore-signal=CHLD"])
      #expect(outcome.status == 0 && outcome.output.hasPrefix("roboprov "), "\(outcome)")
    }
  }

  @Test(
    "a memory limit that is too low is reported at once", arguments: [90_000, 110_000, 130_000, 150_000])
  func littleMemory(kilobytes: Int) async throws {
    try await Site.use([.numbered(1)]) { site in
      _ = try await site.run(
        ["apply", "building.yaml", "--yes", "--simulate", "--scan-time", "1"],
        through: ["prlimit", "--as=\(kilobytes * 1024)"]
      ).expect(69, errors: "leaves less than 128 MiB")
    }
  }

  @Test("the process writes no core file and other processes of the user cannot inspect it")
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
      // The check runs as a user other than root, because root can inspect each process.
      let isRoot = getuid() == 0
      let wrapper = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
      let process = try site.start(
        ["simulate", "scenario.yaml"], environment: ["TMPDIR": "/tmp"],
        through: ["prlimit", "--core=unlimited"] + wrapper)
      try await process.prints("unix:")
      let limits = try String(contentsOfFile: "/proc/\(process.id)/limits", encoding: .utf8)
      let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
      #expect(core.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(core)")
      let memory = try FileManager.default.attributesOfItem(atPath: "/proc/\(process.id)/mem")
      #expect(memory[.ownerAccountID] as? Int == 0, "a process that is not dumpable belongs to root")
      process.send(SIGINT)
      _ = try await process.ended()
    }
  }
}
