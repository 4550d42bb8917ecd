import Bluetooth
import DBus
import Synchronization
import Testing
import VirtualBuilding

/// bluetoothd's pairing as docs/internals/bluez.md has it, tested by a client that uses only D-Bus.
@Suite("Pairing on org.bluez", .serialized, .timeLimit(.minutes(60)))
struct OrgBluezPairingTests {
  static let adapter = OrgBluezTests.adapter
  static let hci0 = OrgBluezTests.hci0
  static let device1 = OrgBluezTests.device1
  static let characteristic1 = OrgBluezTests.characteristic1
  static let manager: ObjectPath = "/org/bluez"
  static let manager1: InterfaceName = "org.bluez.AgentManager1"
  static let open = BluetoothAddress(rawValue: 0xC47C_8D00_0011)
  static let openPath: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_00_00_11"
  static let labelledPath: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_00_00_12"
  static let resettable = BluetoothAddress(rawValue: 0xC47C_8D00_0013)
  static let resettablePath: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_00_00_13"
  static let failed = "org.bluez.Error.AuthenticationFailed: Authentication Failed"

  static let building = Scenario(
    seed: 3, adapters: [AdapterScenario(address: adapter, name: "hci0")],
    sensors: [
      SensorScenario(address: open, family: Keyed.family(PairingRules())),
      SensorScenario(
        address: .init(rawValue: 0xC47C_8D00_0012), family: Keyed.family(PairingRules(passkey: 7))),
      SensorScenario(address: resettable, family: Keyed.family(PairingRules(mostKeys: 0))),
    ])

  /// Serves the building to one client.
  func serve(
    _ version: BlueZVersion = .debian12,
    _ body: @escaping @Sendable (BusClient, ServedBuilding) async throws -> Void
  ) async throws {
    var scenario = Self.building
    scenario.bluez = version
    try await ServedBuilding.serveInVirtualTime(scenario) { building in
      try await BusClient.on(building.daemon.busAddress) { client in try await body(client, building) }
    }
  }

  /// The questions to an agent.
  final class Questions: Sendable {
    private let asked = Mutex<[String]>([])
    var all: [String] { asked.withLock { $0 } }
    func add(_ question: String) { asked.withLock { $0.append(question) } }
  }

  /// Registers an agent of a client that gives this answer to every question, while the body runs.
  static func withAgent(
    _ client: BusClient, _ capability: String,
    answer: @escaping @Sendable () -> Result<[DBusValue], DBusError>,
    _ body: @escaping @Sendable (Questions) async throws -> Void
  ) async throws {
    let questions = Questions()
    await client.connection.export("/agent") { call in
      questions.add(call.member.text)
      return answer()
    }
    try await client.call(manager, manager1, "RegisterAgent", .objectPath("/agent"), .string(capability))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.connection.serve() }
      try await body(questions)
      group.cancelAll()
    }
    try await client.call(manager, manager1, "UnregisterAgent", .objectPath("/agent"))
  }

  /// Pairs with a device by Just Works, and ends the link.
  private static func makeBond(_ client: BusClient) async throws {
    try await OrgBluezTests.receive(openPath, client)
    try await withAgent(client, "NoInputNoOutput", answer: { refusal }) { _ in
      try await client.call(openPath, device1, "Pair")
    }
    try await client.call(openPath, device1, "Disconnect")
  }

  static let refusal = Result<[DBusValue], DBusError>.failure(.remote("org.bluez.Error.Rejected", "no"))

  @Test("without an agent even Just Works is refused", arguments: BlueZVersion.allCases)
  func withoutAgent(version: BlueZVersion) async throws {
    try await serve(version) { client, building in
      try await OrgBluezTests.receive(Self.openPath, client)
      #expect(await client.failure(Self.openPath, Self.device1, "Pair") == Self.failed)
      #expect(await !building.world.hasBond(with: Self.open, on: Self.adapter))
    }
  }

  @Test("Pair connects, pairs without a question, and replies when the services are resolved")
  func justWorks() async throws {
    try await serve { client, building in
      try await OrgBluezTests.receive(Self.openPath, client)
      try await Self.withAgent(client, "NoInputNoOutput", answer: { Self.refusal }) { questions in
        try await client.call(Self.openPath, Self.device1, "Pair")
        #expect(questions.all == [])
        for property in ["Connected", "ServicesResolved", "Paired", "Bonded"] {
          #expect(await client.property(Self.openPath, Self.device1, property) == .bool(true), "\(property)")
        }
      }
      #expect(await building.world.hasBond(with: Self.open, on: Self.adapter))
      let value = try await Self.value(of: Self.openPath, client)
      #expect(
        try await client.call(value, Self.characteristic1, "ReadValue", .vardict([])) == [.bytes([0x42])])
    }
  }

  @Test(
    "the passkey is asked of the client's own agent, and must be right",
    arguments: [("KeyboardOnly", 7, true), ("KeyboardOnly", 8, false), ("NoInputNoOutput", 7, false)])
  func passkey(capability: String, entered: Int, succeeds: Bool) async throws {
    try await serve { client, building in
      try await OrgBluezTests.receive(Self.labelledPath, client)
      try await BusClient.on(building.daemon.busAddress) { other in
        // The default agent is another client's.
        try await Self.withAgent(other, "KeyboardDisplay", answer: { Self.refusal }) { foreign in
          try await Self.withAgent(client, capability, answer: { .success([.uint32(UInt32(entered))]) }) {
            questions in
            let failure = await client.failure(Self.labelledPath, Self.device1, "Pair")
            #expect(failure == (succeeds ? nil : Self.failed))
            #expect(questions.all == (capability == "KeyboardOnly" ? ["RequestPasskey"] : []))
            #expect(foreign.all == [])
          }
        }
      }
    }
  }

  @Test("a request that demands a secure link asks the default agent only")
  func byRequest() async throws {
    try await serve { client, building in
      try await BusClient.on(building.daemon.busAddress) { other in
        try await Self.withAgent(other, "KeyboardDisplay", answer: { .success([]) }) { foreign in
          try await Self.withAgent(client, "NoInputNoOutput", answer: { .success([]) }) { questions in
            let value = try await Self.connect(Self.openPath, client)
            try await client.call(value, Self.characteristic1, "ReadValue", .vardict([]))
            #expect(foreign.all == ["RequestAuthorization"])
            #expect(questions.all == [])
          }
        }
      }
    }
  }

  @Test("a request whose pairing the agent refuses asks once and is never answered, and the link stays")
  func refusedRequest() async throws {
    for version in BlueZVersion.allCases {
      try await serve(version) { client, building in
        try await Self.withAgent(client, "NoInputNoOutput", answer: { Self.refusal }) { questions in
          let failure = await Self.failure(of: try await Self.read(Self.openPath, client), client)
          #expect(failure?.kind == .timedOut)
          #expect(questions.all == ["RequestAuthorization"])
          #expect(await building.world.openLinkCount() == 1)
        }
      }
    }
  }

  @Test("a request whose pairing the device refuses ends the link, and only 5.66 answers it")
  func requestRefusedByDevice() async throws {
    for version in BlueZVersion.allCases {
      try await serve(version) { client, building in
        try await Self.withAgent(client, "NoInputNoOutput", answer: { .success([]) }) { questions in
          let read = try await Self.read(Self.resettablePath, client)
          let failure = await Self.failure(of: read, client)
          #expect(
            version == .debian12
              ? failure?.isRemote("org.bluez.Error.Failed") == true : failure?.kind == .timedOut)
          #expect(questions.all == [])
          #expect(await building.world.openLinkCount() == 0)
        }
      }
    }
  }

  @Test("a bond lasts beyond the link and the daemon, until RemoveDevice; Pair on it hangs in 5.66")
  func bonded() async throws {
    for version in BlueZVersion.allCases {
      try await serve(version) { client, building in
        try await Self.makeBond(client)
        await building.stack.killDaemon()
        await building.stack.startDaemon()
        #expect(await client.property(Self.openPath, Self.device1, "Bonded") == .bool(true))
        let pair = MethodCall(
          destination: "org.bluez", path: Self.openPath, interface: Self.device1, member: "Pair")
        let failure = await Self.failure(of: pair, client)
        #expect(
          version == .debian12
            ? failure?.kind == .timedOut : failure?.isRemote("org.bluez.Error.AlreadyExists") == true)
        let value = try await Self.connect(Self.openPath, client)
        try await client.call(value, Self.characteristic1, "ReadValue", .vardict([]))
        try await client.call(
          Self.hci0, OrgBluezTests.adapter1, "RemoveDevice", .objectPath(Self.openPath))
        #expect(await !building.world.hasBond(with: Self.open, on: Self.adapter))
      }
    }
  }

  @Test("a device that has lost its key is not connected to any more, and stays paired")
  func staleBond() async throws {
    try await serve { client, building in
      try await Self.makeBond(client)
      await building.world.deleteKeys(of: Self.open)
      #expect(await client.failure(Self.openPath, Self.device1, "Connect") != nil)
      #expect(await client.property(Self.openPath, Self.device1, "Paired") == .bool(true))
    }
  }

  @Test("a device with as many keys as it can have refuses")
  func full() async throws {
    try await serve { client, _ in
      let path: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_00_00_13"
      try await OrgBluezTests.receive(path, client)
      try await Self.withAgent(client, "NoInputNoOutput", answer: { Self.refusal }) { _ in
        #expect(await client.failure(path, Self.device1, "Pair") == Self.failed)
      }
    }
  }

  @Test("CancelPairing without a pairing in progress deletes the key")
  func idleCancel() async throws {
    try await serve { client, building in
      try await OrgBluezTests.receive(Self.openPath, client)
      try await Self.withAgent(client, "NoInputNoOutput", answer: { Self.refusal }) { _ in
        try await client.call(Self.openPath, Self.device1, "Pair")
      }
      #expect(
        await client.failure(Self.openPath, Self.device1, "CancelPairing")
          == "org.bluez.Error.DoesNotExist: Does Not Exist")
      #expect(await !building.world.hasBond(with: Self.open, on: Self.adapter))
    }
  }

  @Test("the link of a client that leaves while it pairs ends, and so does its agent")
  func leaves() async throws {
    try await serve { client, building in
      try await OrgBluezTests.receive(Self.labelledPath, client)
      try await BusClient.on(building.daemon.busAddress) { other in
        // It never answers: no task serves it.
        await other.connection.export("/agent") { _ in .success([]) }
        try await other.call(
          Self.manager, Self.manager1, "RegisterAgent", .objectPath("/agent"), .string("KeyboardOnly"))
        let mark = client.mark
        await withTaskGroup(of: Void.self) { group in
          group.addTask { _ = await other.failure(Self.labelledPath, Self.device1, "Pair") }
          await client.wait(from: mark) {
            $0.value(of: "Connected", at: Self.labelledPath) == .bool(true)
          }
          await other.connection.close()
          await client.wait(from: mark) {
            $0.value(of: "Connected", at: Self.labelledPath) == .bool(false)
          }
        }
      }
      #expect(await building.world.openLinkCount() == 0)
      #expect(await client.failure(Self.labelledPath, Self.device1, "Pair") == Self.failed)
    }
  }

  private static func failure(of call: MethodCall, _ client: BusClient) async -> DBusError? {
    do throws(DBusError) {
      try await client.connection.call(call, timeout: .seconds(20))
      return nil
    } catch {
      return error
    }
  }

  /// Receives a device and connects to it; returns its value.
  private static func connect(_ path: ObjectPath, _ client: BusClient) async throws -> ObjectPath {
    try await OrgBluezTests.receive(path, client)
    let mark = client.mark
    try await client.call(path, device1, "Connect")
    await client.wait(from: mark) { $0.value(of: "ServicesResolved", at: path) == .bool(true) }
    return try await value(of: path, client)
  }

  /// Connects to a device; returns a call that reads its value.
  private static func read(_ path: ObjectPath, _ client: BusClient) async throws -> MethodCall {
    MethodCall(
      destination: "org.bluez", path: try await connect(path, client), interface: characteristic1,
      member: "ReadValue", body: [.vardict([])])
  }

  /// The object of the value of a device.
  private static func value(of device: ObjectPath, _ client: BusClient) async throws -> ObjectPath {
    let found = try await client.objects().first {
      $0.hasPrefix(device.text + "/") && $0.contains("/char") && !$0.contains("/desc")
    }
    return try #require(found.flatMap { ObjectPath($0) })
  }
}

/// A device whose value demands an encrypted link.
private struct Keyed: Firmware {
  let pairing: PairingRules?
  let flash = Flash()
  let advertising: AdvertisingPayload? = AdvertisingPayload(isConnectable: true, localName: "Keyed")
  let services = [
    ServiceDefinition(
      "5C2D0000-90B1-4A0E-8B1D-4E6F74657320",
      [.init("5C2D0000-90B1-4A0E-8B1D-4E6F74657321", .read, security: .encrypted)])
  ]

  mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    if case .read(let request, _) = event { [.answer(request, [0x42])] } else { [] }
  }

  static func family(_ rules: PairingRules) -> FirmwareFamily {
    FirmwareFamily(name: "keyed") { _ in Keyed(pairing: rules) }
  }
}
