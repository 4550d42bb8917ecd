public import Bluetooth
public import DBus
import VirtualTime
import Waiting

/// A virtual `org.bluez`: bluetoothd 5.66 as docs/bluez.md measured it, with its traps, over the adapters and sensors of
/// a virtual world, on a bus that is not the system's.
///
/// Any client may speak to it that finds the bus, unmodified ones through `DBUS_SYSTEM_BUS_ADDRESS`. Nothing runs
/// but within `run()`. Adapters are powered, unplugged and so on at the world; what befalls the daemon itself is here.
public actor VirtualBlueZ {
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

  /// A stack over a world, to be served on a bus.
  /// - Parameters:
  ///   - world: Run by the caller, on the same clock.
  ///   - bus: A bus on which nobody owns `org.bluez` and we may; `DBusDaemon` makes one.
  ///   - misconduct: How it misbehaves; nil: it does not.
  public init(world: World, bus: BusAddress, clock: any TimeSource, misconduct: Misconduct? = nil) {
    self.misconduct = misconduct
    self.world = world
    self.bus = bus
    self.clock = clock
    random = SeededGenerator(seed: world.scenario.seed).split("bluetoothd")
  }

  // MARK: Running

  /// Serves until it is cancelled, through as many lives of the daemon as are asked for.
  /// - Parameter needsBus: whether it ends with the bus. Otherwise the daemon is down then, as after `killDaemon`, until
  ///   `startDaemon`.
  /// - Throws: when the bus cannot be reached or is lost, or another connection owns `org.bluez`.
  public func run(needsBus: Bool = true) async throws(DBusError) {
    while !Task.isCancelled {
      if phase.isStarting {
        do throws(DBusError) {
          try await live()
        } catch {
          if needsBus { throw error }
          beginning = .afterKill
          enter(.down)
        }
      }
      await wait { $0.isStarting }
    }
  }

  /// Returns when the daemon does not run, or when the waiting task is cancelled.
  public func down() async { await wait { $0.isDown } }

  /// Returns when `org.bluez` can be called, or when the waiting task is cancelled.
  public func serving() async { await wait { $0.isServing } }

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
      // The name goes first: what ends after it is nobody's news.
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

  // MARK: The daemon's fate

  /// docs/bluez.md, "Names of failure", bluetoothd killed: the name loses its owner and nothing else is told. The kernel
  /// keeps the links until the daemon is back. Returns when it is down.
  public func killDaemon() async {
    guard case .serving(let life) = phase else { return }
    enter(.ending)
    beginning = .afterKill
    life.end.fulfill()
    await wait { $0.isDown }
  }

  /// docs/bluez.md, "Names of failure", bluetoothd stopped in order: links end, adapters go off, all objects are removed,
  /// then the name goes. Returns when it is down.
  public func stopDaemon() async {
    guard case .serving(let life) = phase else { return }
    enter(.ending)
    beginning = .afterStop
    await life.daemon.shutDown()
    life.end.fulfill()
    await wait { $0.isDown }
    await world.stopStack()
  }

  /// Starts the daemon again after `killDaemon` or `stopDaemon`; what the kernel still kept of the former one's links
  /// is dropped. Returns when it serves, or when the waiting task is cancelled.
  public func startDaemon() async {
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
  /// The bus went away under the daemon.
  fileprivate static let busLost = DBusError(
    kind: .disconnected, name: "org.freedesktop.DBus.Error.Disconnected", message: "the private bus is gone")
}
