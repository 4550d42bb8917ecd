import Bluetooth
import DBus
import EventLoop
import RecordedText
import Testing

@testable import BlueZ

private let recordedRuns = RecordedRuns("BlueZTests")

/// A test environment: a bus within the process with a fake daemon and a central, in virtual time.
struct Stage: Sendable {
  var bus: LocalBus
  var daemon: FakeBlueZ
  var central: BlueZCentral

  /// Runs a body in an environment with one adapter, and cleans up afterwards.
  static func with(
    _ body: @escaping @Sendable (Stage) async throws -> Void
  ) async throws {
    try await with({ await $0.addAdapter() }, body)
  }

  /// Runs a body in an environment that `setUp` sets up.
  /// - Parameter host: the computer of the bus; nil for this one.
  static func with(
    _ setUp: @escaping @Sendable (FakeBlueZ) async -> Void, on host: HostName? = nil,
    _ body: @escaping @Sendable (Stage) async throws -> Void
  ) async throws {
    try await withBus { bus in
      try await with(bus, setUp) { daemon in
        let log = RecordedLog()
        let central = try await BlueZCentral.open(
          bus: bus.busAddress, of: host, clock: SystemClock(), log: log.logger)
        do {
          try await body(Stage(bus: bus, daemon: daemon, central: central))
        } catch {
          await central.close()
          throw error
        }
        await central.close()
        recordedRuns.expect(await daemon.callsInTime + log.lines)
      }
    }
  }

  /// Runs a fake daemon on a bus while the body runs.
  static func with(
    _ bus: LocalBus, _ setUp: (FakeBlueZ) async -> Void, _ body: (FakeBlueZ) async throws -> Void
  ) async throws {
    let daemon = try await FakeBlueZ(bus)
    await setUp(daemon)
    try await daemon.connection.requestName("org.bluez")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await daemon.connection.serve() }
      do {
        try await body(daemon)
      } catch {
        await daemon.connection.close()
        throw error
      }
      await daemon.connection.close()
    }
  }

  /// Runs the body with a bus, in virtual time. Nobody is left on the bus afterwards.
  /// - Parameter delay: the time that each message takes.
  static func withBus(
    delay: Duration = .zero, _ body: @escaping @Sendable (LocalBus) async throws -> Void
  ) async throws {
    try await LoopExecutor.runInVirtualTime {
      let bus = LocalBus(delay: { delay })
      do {
        try await body(bus)
      } catch {
        await bus.stop()
        throw error
      }
      await bus.stop()
    }
  }

  /// Returns when the central has applied every signal that the daemon has sent so far, because a reply
  /// follows them.
  func seen() async throws {
    _ = try await central.call(Name.root, Name.Interface.objectManager, Name.Member.getManagedObjects)
  }

  /// Connects, with a daemon that replies with success.
  func connect() async throws -> any Peripheral {
    await daemon.reply(to: "Connect") { [daemon] _ in
      await daemon.setDevice(["Connected": .bool(true)])
      return .success([])
    }
    return try await central.connect(to: Sample.address, on: Sample.adapter)
  }

  /// Connects to a peripheral with all its attributes.
  func discovered() async throws -> (any Peripheral, RemoteService) {
    let peripheral = try await connect()
    await daemon.addService()
    await daemon.addCharacteristic(FakeBlueZ.status, Sample.status)
    await daemon.addCharacteristic(FakeBlueZ.command, Sample.command)
    await daemon.setDevice(["ServicesResolved": .bool(true)])
    return (
      peripheral, try await peripheral.discover(Sample.service, requiring: [Sample.status, Sample.command])
    )
  }
}

/// The error that a body throws.
func failure<Success: Sendable>(_ body: () async throws(CentralError) -> Success) async -> CentralError? {
  do throws(CentralError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

/// The error that a body throws in a task of its own, which is cancelled when `moment` returns.
func failure<Success: Sendable>(
  cancelledAfter moment: @Sendable () async -> Void,
  _ body: @escaping @Sendable () async throws(CentralError) -> Success
) async -> CentralError? {
  await withTaskGroup(of: CentralError?.self) { group in
    group.addTask { await failure(body) }
    await moment()
    group.cancelAll()
    return await group.next() ?? nil
  }
}

/// Waits until the task is cancelled, like a daemon that never replies.
func forever() async {
  let (never, continuation) = AsyncStream.makeStream(of: Never.self)
  for await _ in never {}
  continuation.finish()
}
