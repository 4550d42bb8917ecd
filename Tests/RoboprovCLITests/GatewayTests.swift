import Bluetooth
import EventLoop
import Foundation
import Glibc
import Model
import RecordedText
import Synchronization
import Testing
import VirtualBuilding

/// Buildings whose adapters are those of other computers: behind real SSH servers and systemd's bridge.
@Suite("Gateways", .timeLimit(.minutes(60))) struct GatewayTests {
  /// A floor: its gateway, and two sensors that only its adapter receives.
  struct Floor: Sendable {
    let number: Int
    let building: ServedBuilding
    var rooms: [Place] { [.numbered(number * 2 - 1), .numbered(number * 2)] }
    var name: String { "gw\(number)" }
  }

  private static let addresses = Mutex(UInt64(0x0200_0000_0000) + UInt64(getpid()) << 8)

  /// An address that no adapter of another test has: the gateways of all tests are one computer, where an adapter's lock is
  /// that of its address.
  private static func newAddress() -> BluetoothAddress {
    addresses.withLock { last in
      last += 1
      return BluetoothAddress(rawValue: last)
    }
  }

  private func withFloors(
    speed: Double = 10, _ body: @escaping @Sendable (Site, [Floor]) async throws -> Void
  ) async throws {
    @Sendable func serve<Result: Sendable>(
      _ floor: Int, _ body: @escaping @Sendable (Floor) async throws -> Result
    ) async throws -> Result {
      let numbers = [floor * 2 - 1, floor * 2]
      return try await ServedBuilding.serve(
        numbers.map { ServedBuilding.sensor($0) },
        adapter: AdapterScenario(address: Self.newAddress(), name: "hci0"), speed: speed
      ) { try await body(Floor(number: floor, building: $0)) }
    }
    try await Site.use { site in
      try await serve(3) { first in try await serve(4) { second in try await body(site, [first, second]) } }
    }
  }

  /// - Parameter hosts: The value of `hosts`; the floors' gateways if nil.
  private func writeManifest(
    _ site: Site, _ floors: [Floor], and more: [Place] = [], hosts: String? = nil
  ) throws {
    try site.writeManifest(floors.flatMap(\.rooms) + more, defaults: ["retries: 2"])
    let file = site.directory.appending(path: "building.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    let hosts = hosts ?? floors.map { "floor-\($0.number): { ssh: \($0.name) }" }.joined(separator: ", ")
    try site.write("building.yaml", text.replacing("match:", with: "hosts: { \(hosts) }\nmatch:"))
  }

  private func expectDone(_ floors: [Floor], sourceLocation: SourceLocation = #_sourceLocation) async {
    for floor in floors {
      for number in [floor.number * 2 - 1, floor.number * 2] {
        #expect(
          await floor.building.flash(number)?.minor == UInt16(100 + number), sourceLocation: sourceLocation)
      }
      #expect(await floor.building.world.openLinkCount() == 0, sourceLocation: sourceLocation)
    }
  }

  /// Waits until no connection is left.
  private func expectNothingLeft(_ site: Site, _ gateways: [Gateway]) async throws {
    for gateway in gateways { try await site.until("the end of the bridges") { gateway.bridges.isEmpty } }
  }

  @Test(
    "README: one command provisions two floors through two gateways, and the reports say which served a room")
  func twoFloors() async throws {
    let readme = try String(contentsOf: projectFile("README.md"), encoding: .utf8)
    let lines = try #require(readme.firstMatch(of: #/```yaml\nhosts:\n((?:  .*\n)+)```/#)?.output.1)
    // The gateways of the test have the user of this computer.
    let hosts = lines.replacing(#/ *#.*/#, with: "").replacing("pi@", with: "")
      .split(separator: "\n").joined(separator: ",")
    try await withFloors { site, floors in
      var gateways: [Gateway] = []
      for floor in floors {
        gateways.append(try await Gateway(floor.name, at: site, bus: floor.building.bus))
      }
      try writeManifest(site, floors, hosts: hosts)
      let doctor = try await site.run(
        ["doctor", "building.yaml"], environment: Gateway.environment(at: site))
      for floor in floors {
        #expect(
          doctor.output.contains("floor-\(floor.number): BlueZ 5.66, 1 adapter ready, a call takes"),
          "\(doctor)")
      }
      let run = try await site.run(
        ["apply", "building.yaml", "--yes", "--scan-time", "3"], environment: Gateway.environment(at: site))
      #expect(run.status == 0, "\(run)")
      await expectDone(floors)
      let report = try site.report
      let served = (0..<4).map { report["rooms"][$0]["adapter_name"].text }
      #expect(served == ["floor-3/hci0", "floor-3/hci0", "floor-4/hci0", "floor-4/hci0"])
      try await expectNothingLeft(site, gateways)
      // A second run finds nothing to do; another command sees both, too.
      let scan = try await site.run(
        ["scan", "--adapter", "floor-4/hci0", "--host", "floor-4=gw4", "--scan-time", "2"],
        environment: Gateway.environment(at: site))
      #expect(scan.status == 0 && scan.errors.contains("Scanning on floor-4/hci0"), "\(scan)")
    }
  }

  @Test("a gateway with another host key is not used, and the floor of the other one is done")
  func otherKey() async throws {
    try await withFloors { site, floors in
      let good = try await Gateway(floors[0].name, at: site, bus: floors[0].building.bus)
      _ = try await Gateway(floors[1].name, at: site, bus: floors[1].building.bus)
      try writeManifest(site, floors)
      let known = try String(contentsOfFile: site.directory.path + "/known-hosts", encoding: .utf8)
      let keys = known.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
      try site.write("known-hosts", keys.map { "\($0[0]) \(keys[0][1])" }.joined(separator: "\n") + "\n")
      let run = try await site.run(
        ["apply", "building.yaml", "--yes", "--scan-time", "3"], environment: Gateway.environment(at: site))
      #expect(run.status == 100, "\(run)")
      #expect(run.errors.contains("floor-4: cannot be reached (ssh gw4:"), "\(run)")
      #expect(run.errors.contains("It has another host key than before"), "\(run)")
      await expectDone([floors[0]])
      #expect(await floors[1].building.world.writes.isEmpty)
      try await expectNothingLeft(site, [good])
    }
  }

  @Test("a gateway whose connection ends again and again loses no room and no truth")
  func cut() async throws {
    try await withFloors { site, floors in
      var gateways: [Gateway] = []
      for floor in floors {
        gateways.append(try await Gateway(floor.name, at: site, bus: floor.building.bus))
      }
      try writeManifest(site, floors)
      let process = try site.start(
        ["apply", "building.yaml", "--yes", "--scan-time", "3"], environment: Gateway.environment(at: site))
      try await process.until("the first write") {
        for floor in floors where await !floor.building.world.writes.isEmpty { return true }
        return false
      }
      for gateway in gateways { gateway.cut() }
      let first = try await process.ended()
      #expect(first.status == 0 || first.status == 100, "\(first)")
      // What was interrupted is done, or said to be open; another run does the rest.
      if first.status == 100 {
        let second = try await site.run(
          ["apply", "building.yaml", "--yes", "--scan-time", "3"], environment: Gateway.environment(at: site))
        #expect(second.status == 0, "\(second)")
      }
      await expectDone(floors)
      try await expectNothingLeft(site, gateways)
    }
  }

  @Test("through a network of 5, 50 and 200 ms each floor is done", arguments: [5, 50, 200])
  func slow(milliseconds: Int) async throws {
    try await withFloors(speed: 1) { site, floors in
      var gateways: [Gateway] = []
      for floor in floors {
        gateways.append(
          try await Gateway(floor.name, at: site, bus: floor.building.bus, delay: milliseconds))
      }
      try writeManifest(site, floors)
      let run = try await site.run(
        ["apply", "building.yaml", "--yes"], environment: Gateway.environment(at: site))
      #expect(run.status == 0, "\(run)")
      await expectDone(floors)
      try await expectNothingLeft(site, gateways)
    }
  }

  @Test(
    "a network that lets nothing pass for a while loses no room and no truth", arguments: [200, 3000, 25_000])
  func partitioned(milliseconds: Int) async throws {
    try await withFloors(speed: 1) { site, floors in
      var gateways: [Gateway] = []
      for floor in floors {
        gateways.append(try await Gateway(floor.name, at: site, bus: floor.building.bus, delay: 5))
      }
      try writeManifest(site, floors)
      let process = try site.start(
        ["apply", "building.yaml", "--yes"], environment: Gateway.environment(at: site))
      try await process.until("the first write") {
        for floor in floors where await !floor.building.world.writes.isEmpty { return true }
        return false
      }
      try Gateway.partition(true, at: site)
      try await SystemClock().sleep(for: .milliseconds(milliseconds))
      try Gateway.partition(false, at: site)
      let first = try await process.ended()
      #expect(first.status == 0 || first.status == 100, "\(first)")
      let report = try site.report
      for (index, number) in floors.flatMap({ [$0.number * 2 - 1, $0.number * 2] }).enumerated() {
        guard report["rooms"][index]["outcome"].text?.hasPrefix("provisioned") == true else { continue }
        let floor = floors[index / 2]
        #expect(await floor.building.flash(number)?.minor == UInt16(100 + number), "a success is one")
      }
      if first.status == 100 {
        let second = try await site.run(
          ["apply", "building.yaml", "--yes"], environment: Gateway.environment(at: site))
        #expect(second.status == 0, "\(second)")
      }
      await expectDone(floors)
    }
  }

  @Test("a killed run leaves no bridge, and the next one no link")
  func killed() async throws {
    try await withFloors { site, floors in
      var gateways: [Gateway] = []
      for floor in floors {
        gateways.append(try await Gateway(floor.name, at: site, bus: floor.building.bus))
      }
      try writeManifest(site, floors)
      let environment = try Gateway.environment(at: site)
      let killed = try await site.run(
        ["apply", "building.yaml", "--yes", "--scan-time", "3"],
        environment: environment.merging(KillSwitch.at("setting_written", 2, .afterWrite)) { $1 })
      #expect(killed.signal == SIGKILL, "\(killed)")
      try await expectNothingLeft(site, gateways)
      let next = try await site.run(
        ["apply", "building.yaml", "--yes", "--scan-time", "3"], environment: environment)
      #expect(next.status == 0, "\(next)")
      await expectDone(floors)
    }
  }

  @Test(
    "the second of two laptops at one gateway is refused, and learns the holder of the lock, until the first is gone"
  )
  func twoLaptops() async throws {
    try await withFloors { first, floors in
      try await Site.use { second in
        let sites = [first, second]
        for site in sites {
          _ = try await Gateway(floors[0].name, at: site, bus: floors[0].building.bus)
          // The device of this room is not there, so the run lasts.
          try writeManifest(site, [floors[0]], and: [.numbered(50)])
        }
        let watching = ["apply", "building.yaml", "--yes", "--watch", "--scan-time", "2"]
        let run = try first.start(watching, environment: Gateway.environment(at: first))
        try await run.until("the first write") { await !floors[0].building.world.writes.isEmpty }
        let id = try #require(first.runs.first)
        let refused = try await second.run(watching, environment: Gateway.environment(at: second))
        #expect(refused.status == 69, "\(refused)")
        #expect(refused.errors.contains("floor-3/hci0 is in use"), "\(refused)")
        #expect(refused.errors.contains("process \(run.id), run \(id), since "), "\(refused)")
        run.send(SIGKILL)
        _ = try await run.ended()
        // Its lock ends with its connection.
        var last: Invocation.Outcome?
        try await second.until("the end of the lock") {
          last = try await second.run(
            ["apply", "building.yaml", "--yes", "--scan-time", "3"],
            environment: Gateway.environment(at: second))
          return last?.status != 69
        }
        #expect(last?.status == 0 || last?.status == 100, "\(last?.description ?? "")")
      }
    }
  }

  @Test(
    "each way in which a gateway cannot be used is said with what to do, before the run, which goes on without it"
  )
  func unusable() async throws {
    try await withFloors { site, floors in
      _ = try await Gateway(floors[0].name, at: site, bus: floors[0].building.bus)
      _ = try await Gateway(
        "banner", at: site, bus: floors[1].building.bus, settings: ["ForceCommand echo Welcome; exec cat"])
      _ = try await Gateway(
        "bridgeless", at: site, bus: floors[1].building.bus, settings: ["ForceCommand systemd-stdio-bridge-x"]
      )
      _ = try await Gateway(
        "keyless", at: site, bus: floors[1].building.bus, settings: ["AuthorizedKeysFile none"])
      try writeManifest(
        site, [floors[0]],
        hosts:
          "floor-3: { ssh: gw3 }, banner: { ssh: banner }, bridgeless: { ssh: bridgeless }, keyless: { ssh: keyless }, "
          + "unknown: { ssh: nobody@nowhere.invalid }, closed: { ssh: \"ssh://nobody@127.0.0.1:1\" }")
      let run = try await site.run(
        ["apply", "building.yaml", "--yes", "--scan-time", "3"], environment: Gateway.environment(at: site))
      #expect(run.status == 0, "\(run)")
      for (host, advice) in [
        ("banner", "Its shell must print nothing"), ("bridgeless", "It needs systemd"),
        ("keyless", "Give it your key with `ssh-copy-id`"), ("unknown", "Check the name after `ssh:`"),
        ("closed", "Start the SSH server on it."),
      ] {
        let line = run.errors.split(separator: "\n").first { $0.contains("warning: \(host): ") }
        #expect(line?.contains(advice) == true, "\(host): \(run)")
      }
      await expectDone([floors[0]])
    }
  }
}
