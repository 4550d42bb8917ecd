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
  /// `make test-long` also waits for long partitions.
  private static let isLong = ProcessInfo.processInfo.environment["LONG"] != nil

  /// A floor: its gateway, and the sensors that only its adapter receives.
  struct Floor: Sendable {
    let number: Int
    let sensors: ClosedRange<Int>
    let building: ServedBuilding
    var rooms: [Place] { sensors.map(Place.numbered) }
    var name: String { "gw\(number)" }
  }

  /// A gateway may take long to answer on a busy machine.
  private static let apply = ["apply", "building.yaml", "--yes", "--adapter-wait", "600"]

  private static let addresses = Mutex(UInt64(0x0200_0000_0000) + UInt64(getpid()) << 8)

  /// An address that no adapter of another test has: the gateways of all tests are one computer, where an adapter's lock is
  /// that of its address.
  private static func newAddress() -> BluetoothAddress {
    addresses.withLock { last in
      last += 1
      return BluetoothAddress(rawValue: last)
    }
  }

  /// - Parameter sensors: of each floor.
  private func withFloors(
    sensors: Int = 2, speed: Double = 10, _ body: @escaping @Sendable (Site, [Floor]) async throws -> Void
  ) async throws {
    @Sendable func serve<Result: Sendable>(
      _ floor: Int, _ body: @escaping @Sendable (Floor) async throws -> Result
    ) async throws -> Result {
      let numbers = (floor - 1) * sensors + 1...floor * sensors
      return try await ServedBuilding.serve(
        numbers.map { ServedBuilding.sensor($0) },
        adapter: AdapterScenario(address: Self.newAddress(), name: "hci0"), speed: speed
      ) { try await body(Floor(number: floor, sensors: numbers, building: $0)) }
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
    let text = try String(contentsOf: file, encoding: .utf8).replacing(#/minor: (\d+)/#) { room in
      "\(room.output.0), floor: \(((Int(room.output.1) ?? 0) - 99) / 2)"
    }
    let hosts = hosts ?? floors.map { "floor-\($0.number): { ssh: \($0.name) }" }.joined(separator: ", ")
    try site.write("building.yaml", text.replacing("match:", with: "hosts: { \(hosts) }\nmatch:"))
  }

  private func expectDone(_ floors: [Floor], sourceLocation: SourceLocation = #_sourceLocation) async {
    for floor in floors {
      for number in floor.sensors {
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
      try await site.run(
        Self.apply + ["--scan-time", "3"], environment: Gateway.environment(at: site)
      ).expect(0)
      await expectDone(floors)
      let report = try site.report
      let served = (0..<4).map { report["rooms"][$0]["adapter_name"].text }
      #expect(served == ["floor-3/hci0", "floor-3/hci0", "floor-4/hci0", "floor-4/hci0"])
      try await expectNothingLeft(site, gateways)
      // A second run finds nothing to do; another command sees both, too.
      try await site.run(
        ["scan", "--adapter", "floor-4/hci0", "--host", "floor-4=gw4", "--scan-time", "2"],
        environment: Gateway.environment(at: site)
      ).expect(0, errors: "Scanning on floor-4/hci0")
    }
  }

  @Test(
    "a gateway that is this computer, and has two names besides, gives each adapter once, and a warning names both"
  )
  func twice() async throws {
    try await withFloors { site, floors in
      _ = try await Gateway("gw3", at: site, bus: floors[0].building.bus)
      _ = try await Gateway("gw4", at: site, bus: floors[1].building.bus)
      let hosts = ["me=gw3", "floor-4=gw4", "again=\(NSUserName())@gw4"].flatMap { ["--host", $0] }
      try await site.run(
        ["scan", "--scan-time", "2"] + hosts, bus: floors[0].building.bus,
        environment: Gateway.environment(at: site)
      ).expect(
        0, errors: "Scanning on hci0, floor-4/hci0 for", "warning: me/hci0 and hci0 are one adapter (",
        "warning: again/hci0 and floor-4/hci0 are one adapter (")
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
      try await site.run(
        Self.apply + ["--scan-time", "3"], environment: Gateway.environment(at: site)
      ).expect(100, errors: "floor-4: cannot be reached (ssh gw4:", "It has another host key than before")
      await expectDone([floors[0]])
      #expect(await floors[1].building.world.writes.isEmpty)
      // Nobody knows the adapters of a host that cannot be reached.
      try await site.run(
        Self.apply + ["--adapter", "floor-4/hci0", "--adapter-wait", "1"],
        environment: Gateway.environment(at: site)
      ).expect(
        69,
        errors: "waiting up to 1 s for an adapter: no Bluetooth service (BlueZ) runs and responds on floor-4",
        "error: no adapter can be used; floor-4: cannot be reached",
        notErrors: "there is no Bluetooth adapter")
      try await expectNothingLeft(site, [good])
    }
  }

  @Test("a warning names a gateway that has none of the adapters of earlier runs")
  func another() async throws {
    try await withFloors { site, floors in
      for floor in floors { _ = try await Gateway(floor.name, at: site, bus: floor.building.bus) }
      let environment = try Gateway.environment(at: site)
      let sentence =
        "warning: floor-3 has none of the adapters that it had in earlier runs. Make sure that gw4 is"
      for (rooms, host) in [([floors[0]], "gw3"), (floors, "gw4")] {
        try writeManifest(site, rooms, hosts: "floor-3: { ssh: \(host) }")
        let run = try await site.run(Self.apply + ["--scan-time", "3"], environment: environment).expect(0)
        #expect(run.errors.contains(sentence) == (host == "gw4"), "\(run)")
      }
      await expectDone(floors)
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
        Self.apply + ["--scan-time", "3"], environment: Gateway.environment(at: site))
      try await process.until("the first write") {
        for floor in floors where await !floor.building.world.writes.isEmpty { return true }
        return false
      }
      for gateway in gateways { gateway.cut() }
      let first = try await process.ended()
      #expect(first.status == 0 || first.status == 100, "\(first)")
      // What was interrupted is done, or said to be open; another run does the rest.
      if first.status == 100 {
        try await site.run(
          Self.apply + ["--scan-time", "3"], environment: Gateway.environment(at: site)
        ).expect(0)
      }
      await expectDone(floors)
      try await expectNothingLeft(site, gateways)
    }
  }

  @Test(
    "through a network of 5, 50 and 200 ms, and one that loses packets, each floor is done",
    arguments: [(5, 0), (50, 0), (200, 0), (50, 2)])
  func slow(milliseconds: Int, loss: Int) async throws {
    try await withFloors(speed: 1) { site, floors in
      var gateways: [Gateway] = []
      for floor in floors {
        gateways.append(
          try await Gateway(floor.name, at: site, bus: floor.building.bus, delay: milliseconds, loss: loss))
      }
      try writeManifest(site, floors)
      try await site.run(
        Self.apply, environment: Gateway.environment(at: site)
      ).expect(0)
      await expectDone(floors)
      try await expectNothingLeft(site, gateways)
    }
  }

  @Test("a lock that a lost connection has left on its gateway is the run's own")
  func lockLeft() async throws {
    try await withFloors { site, floors in
      let gateway = try await Gateway(floors[0].name, at: site, bus: floors[0].building.bus)
      try writeManifest(site, [floors[0]])
      let process = try site.start(
        Self.apply + ["--scan-time", "3"], environment: Gateway.environment(at: site))
      try await process.until("the first write") { await !floors[0].building.world.writes.isEmpty }
      gateway.keepLocks()
      gateway.cut()
      let run = try await process.ended().expect(0)
      #expect(try !site.text(of: "journal.jsonl").contains("not_locked"), "\(run)")
      await expectDone([floors[0]])
      try await gateway.stop()
    }
  }

  /// How long the network lets nothing pass, and options of ssh: with the usual ones it gives up after 15 to 20 s.
  private static let partitions =
    [(200, ""), (3000, ""), (6000, "-o ServerAliveInterval=1")]
    + (isLong ? [(25_000, ""), (30_000, ""), (60_000, "")] : [])

  @Test("a network that lets nothing pass for a while loses no room and no truth", arguments: partitions)
  func partitioned(milliseconds: Int, options: String) async throws {
    try await withFloors(speed: 1) { site, floors in
      var gateways: [Gateway] = []
      for floor in floors {
        gateways.append(try await Gateway(floor.name, at: site, bus: floor.building.bus, delay: 5))
      }
      try writeManifest(site, floors)
      let environment = try Gateway.environment(at: site, options: options)
      let process = try site.start(Self.apply, environment: environment)
      try await process.until("the first write") {
        for floor in floors where await !floor.building.world.writes.isEmpty { return true }
        return false
      }
      try Gateway.partition(true, at: site)
      try await SystemClock().sleep(for: .milliseconds(milliseconds))
      try Gateway.partition(false, at: site)
      let first = try await process.ended()
      #expect([0, 100].contains(first.status), "\(first)")
      let report = try site.report
      for (index, number) in floors.flatMap(\.sensors).enumerated() {
        guard report["rooms"][index]["outcome"].text?.hasPrefix("provisioned") == true else { continue }
        let floor = floors[index / 2]
        #expect(await floor.building.flash(number)?.minor == UInt16(100 + number), "a success is one")
      }
      if first.status != 0 {
        try await site.run(Self.apply, environment: environment).expect(0)
      }
      await expectDone(floors)
    }
  }

  /// When a gateway reboots.
  enum Moment: CaseIterable {
    case written, saved

    func isNow(_ floor: Floor) async -> Bool {
      switch self {
      case .written: return await !floor.building.world.writes.isEmpty
      case .saved:
        for number in floor.sensors where await floor.building.flash(number)?.isSaved == true { return true }
        return false
      }
    }
  }

  @Test(
    "a gateway that reboots during a run is locked and used again: every room is done",
    arguments: Moment.allCases)
  func reboot(when moment: Moment) async throws {
    try await withFloors(speed: 1) { site, floors in
      var gateways: [Gateway] = []
      for floor in floors {
        gateways.append(try await Gateway(floor.name, at: site, bus: floor.building.bus))
      }
      try writeManifest(site, floors)
      let process = try site.start(
        Self.apply, environment: Gateway.environment(at: site))
      let (gateway, building) = (gateways[0], floors[0].building)
      try await process.until("the moment") { await moment.isNow(floors[0]) }
      try await gateway.stop()
      await building.world.stopStack()
      try await site.until("the end of the lock") { !Self.isLocked(building) }
      try await building.restartBus { try await process.prints("floor-3: cannot be reached") }
      try await gateway.start()
      try await process.until("the lock") { Self.isLocked(building) }
      try await process.ended().expect(0)
      await expectDone(floors)
      try await expectNothingLeft(site, gateways)
    }
  }

  /// Whether the lock of a floor's adapter is held.
  private static func isLocked(_ building: ServedBuilding) -> Bool {
    let address = building.world.scenario.adapters[0].address.description.replacing(":", with: "")
    let locks = (try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? ""
    return ["/run/lock", "/tmp"].contains { directory in
      var status = stat()
      return stat("\(directory)/roboprov-\(address).lock", &status) == 0
        && locks.contains(":\(status.st_ino) 0 EOF")
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
        Self.apply + ["--scan-time", "3"],
        environment: environment.merging(KillSwitch.at("setting_written", 2, .afterWrite)) { $1 })
      #expect(killed.signal == SIGKILL, "\(killed)")
      try await expectNothingLeft(site, gateways)
      try await site.run(
        Self.apply + ["--scan-time", "3"], environment: environment
      ).expect(0)
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
        let watching = Self.apply + ["--watch", "--scan-time", "2"]
        let run = try first.start(watching, environment: Gateway.environment(at: first))
        try await run.until("the first write") { await !floors[0].building.world.writes.isEmpty }
        let id = try #require(first.runs.first)
        try await second.run(watching, environment: Gateway.environment(at: second)).expect(
          69, errors: "floor-3/hci0 is in use", "process \(run.id), run \(id), since ")
        run.send(SIGKILL)
        _ = try await run.ended()
        // Its lock ends with its connection.
        var last: Invocation.Outcome?
        try await second.until("the end of the lock") {
          last = try await second.run(
            Self.apply + ["--scan-time", "3"],
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
        Self.apply + ["--scan-time", "3"], environment: Gateway.environment(at: site)
      ).expect(0)
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

  /// A directory for locks that is full: of data, or of files.
  enum FullDisk: String, CaseIterable { case data = "size=4k", files = "nr_inodes=1" }

  @Test(
    "a gateway whose disk is full is used: locked without a name if a file can be made, otherwise with a warning",
    .enabled(if: geteuid() == 0), arguments: FullDisk.allCases)
  func fullDisk(_ disk: FullDisk) async throws {
    try await withFloors { site, floors in
      let fill =
        "mount -t tmpfs -o mode=1777,\(disk.rawValue) none /run/lock; cat /dev/zero >/run/lock/full; exec \"$@\""
      _ = try await Gateway(
        floors[0].name, at: site, bus: floors[0].building.bus,
        through: ["unshare", "--mount", "sh", "-c", fill, "sh"])
      _ = try await Gateway(floors[1].name, at: site, bus: floors[1].building.bus)
      // The device of this room is not there, so the run lasts.
      try writeManifest(site, floors, and: [.numbered(50)])
      let environment = try Gateway.environment(at: site)
      let process = try site.startAtTerminal(
        Self.apply + ["--watch", "--scan-time", "2"], environment: environment)
      try await process.until("the settings") {
        for floor in floors {
          for number in floor.sensors where await floor.building.flash(number)?.isSaved != true {
            return false
          }
        }
        return true
      }
      let scan = try await site.run(
        ["scan", "--adapter", "floor-3/hci0", "--host", "floor-3=gw3", "--scan-time", "2"],
        environment: environment)
      // Ctrl-C.
      try process.type("\u{3}")
      let run = try await process.ended()
      switch disk {
      case .data:
        #expect(!run.output.contains("No lock could be made"), "\(run)")
        #expect(scan.status == 69 && scan.errors.contains("its process and run are unknown"), "\(scan)")
      case .files:
        let warning = #/warning: no lock could be made for floor-3/hci0[\s\S]*No space left on device/#
        #expect(scan.status == 0 && scan.errors.contains(warning), "\(scan)")
        let journal = try site.text(of: "journal.jsonl")
        #expect(journal.contains(#/"fault":"not_locked","stack_text":"[^"]*No space left on device/#))
        // Text beside the panel would be overwritten.
        let drawn = run.output.components(separatedBy: "\u{1B}[?2026l").map { text in
          text.firstRange(of: "\u{1B}[?2026h").map { text[$0.upperBound...] } ?? ""
        }
        #expect(drawn.contains { $0.contains("No lock could be made for floor-3/hci0") }, "\(run)")
      }
      await expectDone(floors)
    }
  }

  @Test("a sensor costs the network little")
  func traffic() async throws {
    try await withFloors(sensors: 10, speed: 1) { site, floors in
      for floor in floors { _ = try await Gateway(floor.name, at: site, bus: floor.building.bus, delay: 0) }
      try writeManifest(site, floors)
      let run = try await site.run(
        Self.apply, environment: Gateway.environment(at: site)
      ).expect(0)
      let bytes = try Gateway.traffic(at: site) / floors.flatMap(\.sensors).count
      // Twice as many as measured (docs/internals/performance.md).
      #expect((1...40_000).contains(bytes), "\(run)")
      await expectDone(floors)
    }
  }
}
