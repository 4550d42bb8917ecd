import Bluetooth
import Engine
import Foundation
import Families
import LowerBound
import Model
import Reporting
import Session
import VirtualBuilding
import VirtualCentral
import VirtualTime

extension BuildingOptions {
  /// Runs the engine in the building in virtual time and measures the whole run.
  func run() async throws -> Measured {
    let scenario = scenario
    let count = hosts == 0 ? adapters : hosts
    let rooms = (0..<sensors).map { Self.room($0, floor: floors ? "\($0 % count)" : nil) }
    var described = Building(
      id: "bench", name: "Bench", assignment: .address, rooms: rooms, families: FamilyCatalogue.builtIn)
    described.hosts = (0..<hosts).compactMap { number in
      Self.host(number).map { HostDescription($0, ssh: "gw\(number)", floors: floors ? ["\(number)"] : []) }
    }
    let building = described
    let before = ResourceUse.now
    let (result, counts, took) = try await VirtualTime.run { clock in
      try await Self.inWorld(World(scenario: scenario, clock: clock)) { world in
        await Self.apply(to: building, in: world, on: clock)
      }
    }
    let used = ResourceUse.now.since(before)
    var outcomes: [String: Int] = [:]
    for room in result.rooms { outcomes[room.outcome.rawValue, default: 0] += 1 }
    return Measured(
      sensors: sensors, adapters: adapters, hosts: hosts, delay: delay, dead: deadCount, seed: seed,
      isInStoreys: storeys,
      makespan: took.seconds, bound: bound.seconds, lastHealthy: counts.lastSuccess.seconds,
      longestWait: counts.longestWait.seconds, longestRetryWait: counts.longestRetryWait.seconds,
      events: counts.events, wall: used.wall, cpu: used.cpu, peakMegabytes: ResourceUse.peakMegabytes,
      outcomes: outcomes)
  }

  /// The lower bound of the time that any scheduler needs for the healthy sensors.
  var bound: Duration {
    let radio = RadioParameters()
    return LowerBound(
      radio: radio, session: .roboSensor(in: radio),
      // The limits of `RadioLimits` and the shortest survey, which one of several adapters completes alone.
      turns: .init(
        survey: adapters > 1 ? .milliseconds(1200) : .seconds(3), calling: .seconds(23),
        window: .milliseconds(1200))
    ).makespan(of: sensors - deadCount, on: adapters)
  }

  private static func apply(
    to building: Building, in world: World, on clock: VirtualClock
  ) async -> (ApplyResult, RunCounts, Duration) {
    let counts = CountingRecorder()
    let request = ApplyRequest(
      building: building, runID: "bench", toolVersion: "bench", host: "host", manifestPath: "bench.yaml",
      manifestSHA256: "00", isSimulated: true)
    let own = await VirtualCentral(world: world, clock: clock)
    let remote = await VirtualNetworks(of: world.scenario, clock: clock).centrals(in: world, clock: clock)
    let hosts = CentralGroup(remote.map { .init($0.host, $0.central) })
    let environment = ApplyEnvironment(
      central: remote.isEmpty ? own : hosts, clock: clock, drivers: builtInFamilies,
      chance: { 0.5 }, randomBytes: SeededGenerator(seed: 1).bytes(),
      confirm: { _ in .answer }, requests: AsyncStream { _ in })
    let start = Date(timeIntervalSince1970: 1_795_251_600)
    let coordinator = Coordinator(
      clock: clock, wall: { start.addingTimeInterval(clock.now.sinceZero.seconds) }, recorder: counts)
    return await withTaskGroup(of: Void.self) { group in
      group.addTask { await hosts.follow() }
      defer { group.cancelAll() }
      if !remote.isEmpty { await hosts.settle(within: .seconds(20), on: clock) }
      let began = clock.now
      let result = await Engine.apply(request, in: environment, recording: coordinator)
      return (result, await counts.book, began.duration(to: clock.now))
    }
  }

  private static func inWorld<Value: Sendable>(
    _ world: World, _ body: @escaping @Sendable (World) async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask {
        await world.run()
        return nil
      }
      group.addTask { try await body(world) }
      defer { group.cancelAll() }
      while let next = try await group.next() {
        if let next { return next }
      }
      preconditionFailure("a run without an end")
    }
  }

  private static func room(_ number: Int, floor: String?) -> Room {
    Room(
      id: RoomID(rawValue: "room-\(number)"), name: "Room \(number)", floor: floor, family: .roboSensor,
      address: address(number),
      settings: [
        .roomName: .text("Room \(number)"), .minor: .integer(number), .wifiSSID: .text("Plant"),
        .wifiPassword: .secret(Secret("correct horse")),
      ], timeouts: StageTimeouts(), retries: 2)
  }
}

extension Duration {
  /// The duration in seconds.
  var seconds: Double { self / .seconds(1) }
}
