import BlueZ
import Bluetooth
import DBus
import Engine
import EventLoop
import Foundation
import Families
import Model
import RecordedText
import Reporting
import Session
import Testing
import VirtualBuilding

private let recordedRuns = RecordedRuns("StackTests")

/// A run of the engine over BlueZ's central and the virtual `org.bluez`: everything that `apply` uses except the
/// terminal, the files and the wire, in virtual time. Back-offs, timeouts and outages cost no time here.
struct StackedRun: Sendable {
  /// The result of the run; nil if not even a connection to the stack could be opened.
  var result: ApplyResult?
  var events: [RunEvent]
  /// The virtual time that the run took.
  var took: Duration
  var writes: [WriteRecord]
  /// The settings of each room's device after the run, by number.
  var flashes: [Int: Flash]
  var openLinks: Int
  /// The devices that remain in the storage of bluetoothd.
  var stored: [BluetoothAddress]
  /// The rooms, by number, with whose devices a bond remains.
  var bonded: [Int]

  static let adapter = BluetoothAddress(rawValue: 0x001A_7DDA_7113)
  static let password = "only-the-sensor-knows"

  static func address(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64(number))
  }

  /// Room *n* with the minor 100 + *n* and the device at `address(n)`.
  static func room(_ number: Int, retries: Int, timeouts: StageTimeouts = StageTimeouts()) -> Room {
    Room(
      id: RoomID(rawValue: "room-\(100 + number)"), name: "Room \(100 + number)", family: .roboSensor,
      address: address(number),
      settings: [
        .roomName: .text("Room \(100 + number)"), .minor: .integer(100 + number),
        .wifiSSID: .text("Harbour Guests"), .wifiPassword: .secret(Secret(password)),
      ], timeouts: timeouts, retries: retries)
  }

  static func sensor(_ number: Int, _ faults: Fault...) -> SensorScenario {
    SensorScenario(address: address(number), faults: faults.map { ScheduledFault($0) })
  }

  /// Runs `apply` for these rooms.
  /// - Parameters:
  ///   - known: The record of earlier runs.
  ///   - delay: The time that each message on the bus takes.
  ///   - trusted: The sensor that the user has trusted in `org.bluez` before the run.
  ///   - version: Which `org.bluez` this is.
  ///   - isKnown: Whether `org.bluez` received the sensors before the run, and has objects of them.
  ///   - ended: Called when the run has ended.
  ///   - beside: Runs beside the run, for example to disturb it.
  static func apply(
    _ rooms: [Room], _ sensors: [SensorScenario], misconduct: Misconduct? = nil,
    adapterTimeout: Duration = .seconds(600), known: LastKnownBuilding = .init(),
    delay: (@Sendable () -> Duration)? = nil, seed: UInt64 = 7, isKnown: Bool = false, trusted: Int? = nil,
    version: BlueZVersion = .debian12,
    scenario change: (inout Scenario) -> Void = { _ in },
    beside: @escaping @Sendable (ServedBuilding) async throws -> Void = { _ in },
    ended: @escaping @Sendable () -> Void = {}
  ) async throws -> StackedRun {
    var scenario = Scenario(
      seed: seed, adapters: [AdapterScenario(address: adapter, name: "hci0")], sensors: sensors)
    scenario.bluez = version
    change(&scenario)
    let calls = Lock<[String]>([])
    let observed = Misconduct { member, number in
      calls.withLock { $0.append(member) }
      return misconduct?.act(member, number)
    }
    return try await ServedBuilding.serveInVirtualTime(
      scenario, bus: LocalBus(delay: delay), needsBus: false, misconduct: observed
    ) { building in
      let recorder = EventRecorder(clock: building.clock)
      if isKnown { try await receiveAll(sensors.count, in: building) }
      if let trusted { try await trust(address(trusted), in: building) }
      let began = building.clock.now
      async let disturbance: Void = beside(building)
      let log = RecordedLog()
      let result = await run(rooms, known, in: building, recorder, adapterTimeout, log)
      ended()
      let took = began.duration(to: building.clock.now)
      try await disturbance
      var flashes: [Int: Flash] = [:]
      var bonded: [Int] = []
      for number in rooms.indices.map({ $0 + 1 }) {
        if await building.world.hasBond(with: address(number), on: adapter) { bonded.append(number) }
        flashes[number] = await building.world.flash(of: address(number))
      }
      recordedRuns.expect(
        recorder.recorded,
        "\(took) \(calls.withLock { $0.joined(separator: " ") })\n\(log.lines.joined(separator: "\n"))")
      return StackedRun(
        result: result, events: recorder.recorded, took: took,
        writes: await building.world.writes, flashes: flashes,
        openLinks: await building.world.openLinkCount(),
        stored: await building.stack.storedDevices(on: adapter), bonded: bonded)
    }
  }

  /// Receives the sensors as another program does, so that `org.bluez` has objects of them.
  private static func receiveAll(_ count: Int, in building: ServedBuilding) async throws {
    let central = try await BlueZCentral.open(bus: building.daemon.busAddress, clock: building.clock)
    _ = try await central.scan(on: AdapterID(adapter)) { (stream) throws(CentralError) in
      var received: Set<BluetoothAddress> = []
      for try await advertisement in stream {
        received.insert(advertisement.address)
        if received.count == count { return }
      }
    }
    await central.close()
  }

  /// What `bluetoothctl trust` does.
  private static func trust(_ address: BluetoothAddress, in building: ServedBuilding) async throws {
    let user = try await Connection.open(building.daemon.busAddress)
    let device = try #require(
      ObjectPath("/org/bluez/hci0/dev_" + address.description.replacing(":", with: "_")))
    _ = try await user.call(
      MethodCall(
        destination: "org.bluez", path: device, interface: "org.freedesktop.DBus.Properties", member: "Set",
        body: [.string("org.bluez.Device1"), .string("Trusted"), .variant(.bool(true))]),
      timeout: .seconds(25))
    await user.close()
  }

  private static func run(
    _ rooms: [Room], _ known: LastKnownBuilding, in building: ServedBuilding, _ recorder: EventRecorder,
    _ adapterTimeout: Duration, _ log: RecordedLog
  ) async -> ApplyResult? {
    let clock = building.clock
    guard
      let central = try? await ReconnectingCentral.open(
        bus: building.daemon.busAddress, clock: clock, log: log.logger)
    else { return nil }
    let request = ApplyRequest(
      building: Building(
        id: "harbour", name: "Harbour House", assignment: .address, rooms: rooms,
        families: FamilyCatalogue.builtIn), known: Known(lastKnown: known),
      runID: "run", toolVersion: "test", host: "host", manifestPath: "building.yaml", manifestSHA256: "00",
      isSimulated: false, survey: .seconds(1), adapterTimeout: adapterTimeout)
    let environment = ApplyEnvironment(
      central: central, clock: clock, drivers: builtInFamilies, chance: { 0.5 },
      randomBytes: SeededGenerator(seed: 1).bytes(), confirm: { _ in .answer },
      requests: AsyncStream { _ in })
    let start = Date(timeIntervalSince1970: 1_795_251_600)
    let coordinator = Coordinator(
      clock: clock, wall: { start.addingTimeInterval(clock.now.sinceZero / .seconds(1)) }, recorder: recorder)
    let result = await Engine.apply(request, in: environment, recording: coordinator)
    await central.close()
    return result
  }

  func outcome(_ number: Int) -> Outcome? {
    result?.rooms.first { $0.room == RoomID(rawValue: "room-\(100 + number)") }?.outcome
  }

  var report: RunReport { RunReport(events) }

  /// The summary for the operator.
  var summary: String {
    SummaryView.lines(report, reports: "reports", style: TerminalStyle(width: 80, hasColor: false))
      .joined(separator: "\n")
  }
}

extension ServedBuilding {
  /// Waits in virtual time until a condition is met.
  func until(_ isMet: () async -> Bool) async throws {
    while await !isMet() { try await clock.sleep(for: .milliseconds(10)) }
  }
}

/// Records into memory.
private final class EventRecorder: RunRecorder {
  private let clock: any TimeSource
  private let all = Lock<[RunEvent]>([])

  init(clock: any TimeSource) {
    self.clock = clock
  }

  var recorded: [RunEvent] { all.withLock { $0 } }

  func record(_ batch: [RunEvent]) async throws(RecordFailure) {
    // The time of an fsync.
    if batch.contains(where: { $0.fact.durability == .synced }) {
      try? await clock.sleep(for: .milliseconds(5))
    }
    all.withLock { $0 += batch }
  }
}
