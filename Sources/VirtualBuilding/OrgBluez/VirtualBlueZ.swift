package import Bluetooth
package import DBus
import Waiting

/// A virtual `org.bluez`: bluetoothd 5.66 or 5.82 (`Scenario.bluez`) as measured in docs/internals/bluez.md, including
/// its traps, over the adapters and sensors of a virtual world, on a private bus.
///
/// Any client that can reach the bus can use it; unmodified clients use `DBUS_SYSTEM_BUS_ADDRESS`. All work
/// runs within `run()`. Adapters are powered and unplugged in the world; the daemon itself is killed, stopped
/// and started here.
package actor VirtualBlueZ {
  private let world: World
  private let bus: BusAddress
  private let clock: any TimeSource
  private let random: SeededGenerator
  private let misconduct: Misconduct?

  private var storage: BluetoothDaemon.Storage = [:]
  private var phase = Phase.starting
  private var waiters: [(isMet: @Sendable (Phase) -> Bool, met: OneShot<Void>)] = []
  private var lives = 0
  private var beginning = BluetoothDaemon.Beginning.unseen

  private enum Phase {
    case starting
    case serving(Life)
    case ending
    case down

    var isServing: Bool { if case .serving = self { true } else { false } }
    var isStarting: Bool { if case .starting = self { true } else { false } }
    var isDown: Bool { if case .down = self { true } else { false } }
    var isEnding: Bool { if case .ending = self { true } else { false } }
  }

  /// One run of the daemon.
  private struct Life {
    var daemon: BluetoothDaemon
    let end = OneShot<Void>()
  }

  /// Creates a stack over a world.
  /// - Parameters:
  ///   - world: Run by the caller, on the same clock.
  ///   - bus: A bus on which `org.bluez` has no owner and this process may own it; `DBusDaemon` makes one.
  ///   - misconduct: Misbehaviour; nil for none.
  package init(world: World, bus: BusAddress, clock: any TimeSource, misconduct: Misconduct? = nil) {
    self.misconduct = misconduct
    self.world = world
    self.bus = bus
    self.clock = clock
    random = SeededGenerator(seed: world.scenario.seed).split("bluetoothd")
  }

  // MARK: Running

  /// Serves until it is cancelled. The daemon can be stopped and started any number of times in between.
  /// - Parameter needsBus: Whether it ends with the bus. Otherwise the daemon is down after the loss of the
  ///   bus, as after `killDaemon`, until `startDaemon`.
  /// - Throws: If the bus cannot be reached, or is lost although it is needed, or if another connection owns `org.bluez`.
  package func run(needsBus: Bool = true) async throws(DBusError) {
    while !Task.isCancelled {
      if phase.isStarting {
        do throws(DBusError) {
          try await live()
        } catch {
          guard !needsBus, error.kind == .disconnected else { throw error }
          beginning = .afterKill
          enter(.down)
        }
      }
      await wait { $0.isStarting }
    }
  }

  /// Returns when the daemon does not run, or when the waiting task is cancelled.
  package func down() async { await wait { $0.isDown } }

  /// Returns when `org.bluez` can be called, or when the waiting task is cancelled.
  package func serving() async { await wait { $0.isServing } }

  private func live() async throws(DBusError) {
    let connection = try await Connection.open(bus)
    lives += 1
    let daemon = BluetoothDaemon(
      connection: connection, world: world, clock: clock, storage: storage,
      random: random.split("life \(lives)"), misconduct: misconduct)
    let life = Life(daemon: daemon)
    let beginning = beginning
    let failure = await withTaskGroup(of: DBusError?.self) { group in
      group.addTask {
        do throws(DBusError) {
          try await daemon.run(beginning) { await self.enter(.serving(life)) }
          return Task.isCancelled ? nil : .busLost
        } catch {
          return error
        }
      }
      group.addTask {
        await life.end.value()
        return nil
      }
      let first = await group.next() ?? nil
      // The name is released first, so that nothing that ends afterwards is signalled.
      await connection.close()
      group.cancelAll()
      return first
    }
    storage = await daemon.storage
    enter(.down)
    if let failure { throw failure }
  }

  private func enter(_ phase: Phase) {
    self.phase = phase
    for waiter in waiters where waiter.isMet(phase) { waiter.met.fulfill() }
    waiters.removeAll { $0.isMet(phase) }
  }

  private func wait(until isMet: @escaping @Sendable (Phase) -> Bool) async {
    if isMet(phase) { return }
    let met = OneShot<Void>()
    waiters.append((isMet, met))
    await met.value()
  }

  /// The devices in the daemon's storage for an adapter, ordered by address.
  package func storedDevices(on adapter: BluetoothAddress) async -> [BluetoothAddress] {
    let current = if case .serving(let life) = phase { await life.daemon.storage } else { storage }
    return (current[adapter] ?? [:]).keys.sorted()
  }

  // MARK: Killing, stopping and starting the daemon

  /// docs/internals/bluez.md, "Names of failure", bluetoothd killed: the name loses its owner, and no other signal is
  /// sent. The kernel keeps the links until the daemon is back. Returns when it is down.
  package func killDaemon() async {
    guard case .serving(let life) = phase else { return }
    enter(.ending)
    beginning = .afterKill
    life.end.fulfill()
    await wait { $0.isDown }
  }

  /// docs/internals/bluez.md, "Names of failure", orderly stop: links end, adapters are switched off, all objects are
  /// removed, then the name is released. Returns when it is down.
  package func stopDaemon() async {
    guard case .serving(let life) = phase else { return }
    enter(.ending)
    beginning = .afterStop
    await life.daemon.shutDown()
    life.end.fulfill()
    await wait { $0.isDown }
    await world.stopStack()
  }

  /// Starts the daemon again after `killDaemon` or `stopDaemon`. Links that the kernel kept are dropped.
  /// Returns when it serves, or when the waiting task is cancelled.
  package func startDaemon() async {
    await wait { !$0.isEnding }
    if phase.isDown {
      await world.stopStack()
      await world.startStack()
      enter(.starting)
    }
    await serving()
  }
}

extension DBusError {
  /// The bus was lost while the daemon ran.
  fileprivate static let busLost = DBusError(
    kind: .disconnected, name: "org.freedesktop.DBus.Error.Disconnected", message: "the private bus is gone")
}
