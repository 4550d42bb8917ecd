import Bluetooth
import Engine
import Model
import Synchronization
import Waiting

/// What an adapter receives, scan window after scan window, also when the adapter, the stack or the bus goes away and returns.
///
/// Most chips report each device once in a scan (docs/bluez.md): a device that is to be seen again needs a new window.
struct Reception: Sendable {
  /// What happens, in its order.
  enum Event: Sendable {
    /// The adapter scans: at the beginning, and after each loss.
    case scanning(Adapter)
    /// An advertisement.
    case received(Advertisement)
    /// The scan has ended by itself: nothing is received until `scanning`.
    case lost
  }

  /// How long a window lasts: until nothing wanted was received for this long.
  struct Window: Sendable {
    let silence: Duration
    /// What makes the window last.
    var isWanted: @Sendable (Advertisement) -> Bool = { _ in false }
  }

  let setup: Radio.Setup
  /// The adapters that may be used, and how long to wait for one at the beginning.
  let adapters: (wanted: [AdapterReference], wait: Duration)
  /// Whether the adapters are virtual ones, of this command alone.
  let isSimulated: Bool
  let window: Window
  /// The time after a scan that ended by itself, until the next is tried.
  private static let pause = Duration.seconds(1)

  /// Scans for a time, which counts from the first scan, or until it is cancelled.
  /// - Parameters:
  ///   - bound: How long; nil: until cancelled.
  ///   - pace: The interval of `tick`.
  ///   - tick: Called again and again meanwhile; ends the reception by `false`.
  ///   - handle: Told of each event.
  /// - Throws: `CommandFailure` when it cannot begin. A later loss is told of on stderr, and waited out.
  func run(
    for bound: Duration?, every pace: Duration, _ tick: @escaping @Sendable () async -> Bool,
    _ handle: @escaping @Sendable (Event) async -> Void
  ) async throws {
    let (beginning, begun) = AsyncStream.makeStream(of: Void.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await scan { event in
          if case .scanning = event { begun.finish() }
          await handle(event)
        }
      }
      group.addTask {
        while (try? await setup.clock.sleep(for: pace)) != nil {
          guard await tick() else { return }
        }
      }
      if let bound {
        group.addTask {
          for await _ in beginning {}
          try? await setup.clock.sleep(for: bound)
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func scan(_ handle: @escaping @Sendable (Event) async -> Void) async throws {
    let claims = AdapterClaims(RunIdentity())
    defer { withExtendedLifetime(claims) {} }
    var patience = adapters.wait
    var hasScanned = false
    while !Task.isCancelled {
      let adapter = try await adapter(within: patience, claims)
      let end = await windows(on: adapter, handle)
      if Task.isCancelled { return }
      guard hasScanned || end.hasScanned else { throw failure(end.error) }
      hasScanned = true
      patience = .seconds(365 * 86_400)
      if end.hasScanned {
        await handle(.lost)
        Console.say(
          "The scan on \(adapter.name) ended: \(failure(end.error).message). Waiting for an adapter.")
      }
      try? await setup.clock.sleep(for: Self.pause)
    }
  }

  private func adapter(within patience: Duration, _ claims: AdapterClaims) async throws -> Adapter {
    let selection = AdapterSelection(
      central: setup.central, clock: setup.clock, wanted: adapters.wanted, patience: patience)
    let adapter: Adapter
    do throws(CentralError) {
      adapter = try await selection.adapter { Console.show(RadioTrouble.waiting($0) + "\n") }
    } catch {
      throw error.code == .cancelled ? ExitStatus.interrupted.exit : failure(error)
    }
    if !isSimulated, case .refused(let holder) = await claims.take(adapter) {
      throw RefusalWords.failure(.adapterClaimed(adapter: adapter.name, by: holder))
    }
    return adapter
  }

  private func failure(_ error: CentralError) -> CommandFailure {
    RadioTrouble.failure(error, adapter: adapters.wanted.first?.text)
  }

  // MARK: Windows

  /// Scans until that ends by itself, or is cancelled.
  private func windows(
    on adapter: Adapter, _ handle: @escaping @Sendable (Event) async -> Void
  ) async -> (error: CentralError, hasScanned: Bool) {
    var hasScanned = false
    while !Task.isCancelled {
      let (error, began) = await oneWindow(on: adapter, isFirst: !hasScanned, handle)
      hasScanned = hasScanned || began
      if let error { return (error, hasScanned) }
    }
    return (CentralError(.cancelled), hasScanned)
  }

  /// - Returns: why the window ended by itself, and whether the adapter scanned at all.
  private func oneWindow(
    on adapter: Adapter, isFirst: Bool, _ handle: @escaping @Sendable (Event) async -> Void
  ) async -> (CentralError?, began: Bool) {
    let (clock, central, window) = (setup.clock, setup.central, window)
    let began = OneShot<Void>()
    let wanted = LastWanted()
    let error = await withTaskGroup(of: CentralError?.self) { group in
      group.addTask {
        do throws(CentralError) {
          try await central.listen(on: adapter.id) { (advertisements) throws(CentralError) in
            wanted.set(clock.now)
            began.fulfill()
            if isFirst { await handle(.scanning(adapter)) }
            for try await advertisement in advertisements {
              if window.isWanted(advertisement) { wanted.set(advertisement.receivedAt) }
              await handle(.received(advertisement))
            }
          }
          return nil
        } catch {
          return error.code == .cancelled ? nil : error
        }
      }
      group.addTask {
        // The time counts from when the adapter scans: the stack may take a while until then.
        await began.value()
        while let end = wanted.at?.advanced(by: window.silence), end > clock.now {
          guard (try? await clock.sleep(until: end, tolerance: nil)) != nil else { break }
        }
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    return (error, began.peeked != nil)
  }
}

/// When something wanted was received last, or the window began.
private final class LastWanted: Sendable {
  private let instant = Mutex<MonotonicInstant?>(nil)

  var at: MonotonicInstant? { instant.withLock { $0 } }

  func set(_ now: MonotonicInstant) { instant.withLock { $0 = now } }
}
