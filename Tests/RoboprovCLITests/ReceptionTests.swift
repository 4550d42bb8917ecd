import Bluetooth
import Host
import Model
import Synchronization
import SampleFacts
import Simulation
import Testing
import VirtualBuilding
import VirtualTime

@testable import Application
@testable import RoboprovCLI

@Suite("reception scans until it is stopped")
struct ReceptionTests {
  private static let device = ServedBuilding.address(1)

  /// The reports of a reception, with their instants.
  private final class Log: Sendable {
    private let entries = Mutex<[(at: MonotonicInstant, what: String)]>([])

    func add(_ what: String, _ now: MonotonicInstant) { entries.withLock { $0.append((now, what)) } }

    /// The instants of all entries with this text.
    func instants(of what: String) -> [Duration] {
      entries.withLock { $0.filter { $0.what == what }.map(\.at.sinceZero) }
    }

    /// The starts and ends of scans.
    var scans: [String] {
      entries.withLock { $0.map(\.what).filter { $0 == "scanning" || $0 == "lost" } }
    }
  }

  /// Runs a reception in a building of two devices for a given time.
  private static func run(
    for bound: Duration?, window: ScanWindow,
    adapters: [AdapterScenario] = [
      AdapterScenario(address: ServedBuilding.adapter, name: "hci0")
    ],
    _ meanwhile: @escaping @Sendable (World, VirtualClock) async throws -> Void = { _, _ in }
  ) async throws -> (log: Log, took: Duration) {
    let scenario = Scenario(
      seed: 5, adapters: adapters, sensors: [ServedBuilding.sensor(1), ServedBuilding.sensor(2)])
    return try await VirtualPremises.use(scenario) { premises in
      let (clock, log) = (premises.clock, Log())
      let reception = Reception(
        stack: await premises.stack(), adapters: AdapterChoice(names: [], wait: .seconds(30)), building: nil,
        window: window)
      async let disturbed: Void = meanwhile(premises.world, clock)
      let began = clock.now
      try await reception.run(for: bound, every: .seconds(1), { true }) { event in
        switch event {
        case .scanning: log.add("scanning", clock.now)
        case .lost: log.add("lost", clock.now)
        case .received(let advertisement): log.add("\(advertisement.address)", advertisement.receivedAt)
        }
      }
      let took = began.duration(to: clock.now)
      try await disturbed
      return (log, took)
    }
  }

  @Test("a wanted device is received about once a second, although chips report it once per scan")
  func oncePerScan() async throws {
    let log = try await Self.run(
      for: .seconds(60), window: .init(silence: .seconds(1)) { $0.address == Self.device }
    ).log
    let instants = log.instants(of: "\(Self.device)")
    let gaps = zip(instants, instants.dropFirst()).map { $1 - $0 }
    #expect(gaps.count > 40 && (gaps.max() ?? .zero) < .seconds(2), "\(gaps)")
    #expect(log.scans == ["scanning"], "the windows of one scan are one scan")
  }

  @Test("the scan time starts when the adapter scans")
  func bounded() async throws {
    let result = try await Self.run(
      for: .seconds(20), window: .init(silence: .seconds(5)),
      adapters: [AdapterScenario(address: ServedBuilding.adapter, name: "hci0", isPowered: false)]
    ) { world, clock in
      try await clock.sleep(for: .seconds(10))
      await world.setPowered(true, ServedBuilding.adapter)
    }
    #expect(result.took >= .seconds(30) && result.took < .seconds(32), "\(result.took)")
  }

  @Test("the reception continues when its adapter or the stack returns")
  func returns() async throws {
    let log = try await Self.run(for: .seconds(300), window: .init(silence: .seconds(5))) { world, clock in
      try await clock.sleep(for: .seconds(20))
      await world.setPresent(false, ServedBuilding.adapter)
      try await clock.sleep(for: .seconds(60))
      await world.setPresent(true, ServedBuilding.adapter)
      try await clock.sleep(for: .seconds(60))
      await world.stopStack()
      try await clock.sleep(for: .seconds(30))
      await world.startStack()
    }.log
    #expect(log.scans == ["scanning", "lost", "scanning", "lost", "scanning"])
    let instants = log.instants(of: "\(Self.device)")
    #expect((instants.last ?? .zero) > .seconds(200))
    #expect(!instants.contains { $0 > .seconds(21) && $0 < .seconds(80) })
  }

  @Test("the reception fails if no adapter appears within its time")
  func absent() async throws {
    let failure = await #expect(throws: CommandFailure.self) {
      try await Self.run(for: nil, window: .init(silence: .seconds(5)), adapters: [])
    }
    #expect(failure?.status == .unavailable)
  }
}
