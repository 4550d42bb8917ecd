import BlueZ
import Bluetooth
import CentralConformance
import DBus
import EventLoop
import Testing
import VirtualBuilding

@Suite("BlueZ's Central on the virtual org.bluez", .timeLimit(.minutes(60)))
struct OrgBluezConformanceTests {
  /// Runs a body with the conformance suite's world behind a virtual org.bluez, in virtual time.
  func withWorld(
    _ scenario: Scenario = ConformanceScenario.scenario, _ version: BlueZVersion = .debian12,
    _ body: @escaping @Sendable (VirtualBlueZ, ConformanceSubject) async throws -> Void
  ) async throws {
    try await ServedBuilding.serveInVirtualTime(Self.scenario(scenario, version)) { building in
      try await Self.use(building, body)
    }
  }

  private static func scenario(_ scenario: Scenario, _ version: BlueZVersion) -> Scenario {
    var scenario = scenario
    scenario.bluez = version
    return scenario
  }

  private static func use(
    _ building: ServedBuilding, _ body: @Sendable (VirtualBlueZ, ConformanceSubject) async throws -> Void
  ) async throws {
    let clock = building.clock
    let central = try await BlueZCentral.open(
      bus: building.daemon.busAddress, clock: clock, timeout: .seconds(3600))
    do {
      try await body(
        building.stack, ConformanceSubject(central: central, world: building.world, clock: clock))
    } catch {
      await central.close()
      throw error
    }
    await central.close()
  }

  @Test(
    "the central passes the conformance check with each version of BlueZ",
    arguments: ConformanceCheck.all, BlueZVersion.allCases)
  func conforms(_ check: ConformanceCheck, _ version: BlueZVersion) async throws {
    try await withWorld(ConformanceScenario.scenario, version) { _, subject in try await check.run(subject) }
  }

  @Test(
    "the central passes the checks of pairing with each version", arguments: ConformanceCheck.pairing,
    BlueZVersion.allCases)
  func pairs(_ check: ConformanceCheck, _ version: BlueZVersion) async throws {
    try await withWorld(ConformanceScenario.pairing, version) { _, subject in try await check.run(subject) }
  }

  @Test(
    "another program's default agent is asked nothing",
    arguments: ConformanceCheck.pairing.filter { $0.description.hasPrefix("pairs") }, BlueZVersion.allCases)
  func foreignAgent(_ check: ConformanceCheck, _ version: BlueZVersion) async throws {
    let scenario = Self.scenario(ConformanceScenario.pairing, version)
    try await ServedBuilding.serveInVirtualTime(scenario) { building in
      let other = try await Connection.open(building.daemon.busAddress)
      let (questions, question) = AsyncStream.makeStream(of: MemberName.self)
      await other.export("/agent") { call in
        question.yield(call.member)
        return .failure(.remote("org.bluez.Error.Rejected"))
      }
      let registration = MethodCall(
        destination: "org.bluez", path: "/org/bluez", interface: "org.bluez.AgentManager1",
        member: "RegisterAgent", body: [.objectPath("/agent"), .string("KeyboardDisplay")])
      try await other.call(registration)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await other.serve() }
        try await Self.use(building) { _, subject in try await check.run(subject) }
        group.cancelAll()
      }
      await other.close()
      question.finish()
      var asked: [MemberName] = []
      for await question in questions { asked.append(question) }
      #expect(asked == [])
    }
  }

  @Test("the central reads, writes and is notified over a dbus-daemon, in real time")
  func overDaemon() async throws {
    let check = try #require(
      ConformanceCheck.all.first { $0.description.hasPrefix("delivers notifications") })
    var scenario = ConformanceScenario.scenario
    // On a slow machine a device must still be known when it is connected to.
    scenario.radio.objectLifetime = .seconds(3600)
    try await ServedBuilding.serve(scenario, on: SystemClock()) { building in
      try await Self.use(building) { _, subject in try await check.run(subject) }
    }
  }

  @Test(
    "the central passes the scanning checks with controllers that repeat reports",
    arguments: ConformanceCheck.scanning)
  func conformsRepeating(_ check: ConformanceCheck) async throws {
    let scenario = ConformanceScenario.scenario(with: .every(.milliseconds(100)))
    try await withWorld(scenario) { _, subject in try await check.run(subject) }
  }

  @Test(
    "the central continues with the next daemon after one was killed or stopped", arguments: [true, false])
  func daemonRestarts(isKilled: Bool) async throws {
    try await withWorld { stack, subject in
      let peripheral = try await subject.connectToHealthy()
      if isKilled { await stack.killDaemon() } else { await stack.stopDaemon() }
      let end = await peripheral.disconnection()
      // An orderly stop is signalled step by step: links, adapters, objects, the name. It can take longer
      // than the central waits for the name; then the cause is the adapter.
      #expect(end?.cause == .stackLost || !isKilled && end?.cause == .adapterLost)
      var down: CentralError?
      while down == nil {
        try await subject.clock.sleep(for: .milliseconds(10))
        down = await failure { () async throws(CentralError) in try await subject.central.adapters() }
      }
      #expect(down?.code == .stackUnavailable)
      await stack.startDaemon()
      for await adapters in await subject.central.adapterChanges() {
        if adapters.first?.state == .ready { break }
      }
      let again = try await subject.connectToHealthy()
      await again.disconnect()
      #expect(await again.disconnection()?.cause == .local)
    }
  }
}

extension ConformanceSubject {
  /// Receives the sensor without faults by name, and connects to it.
  func connectToHealthy() async throws -> any Peripheral {
    let healthy = BluetoothAddress(rawValue: 0xC4_7C_8D_00_00_01)
    try await central.scan(on: ConformanceScenario.adapter) { (advertisement) async throws(CentralError) in
      for try await received in advertisement where received.address == healthy && received.localName != nil {
        return
      }
    }
    return try await central.connect(to: healthy, on: ConformanceScenario.adapter)
  }
}
