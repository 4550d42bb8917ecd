import Bluetooth
import Engine
import Model
import Synchronization
import Waiting

/// The advertisements that an adapter receives, in consecutive scan windows. It continues after a loss of the
/// adapter, the stack or the bus.
///
/// Most chips report each device once per scan (docs/bluez.md), so a further report needs a new scan window.
struct Reception: Sendable {
  enum Event: Sendable {
    /// The adapter starts to scan: at the beginning, and after each loss.
    case scanning(Adapter)
    case received(Advertisement)
    /// The scan failed: nothing is received until `scanning`.
    case lost
  }

  /// A scan window ends after this time without a wanted advertisement.
  struct Window: Sendable {
    let silence: Duration
    /// Whether an advertisement extends the scan window.
    var isWanted: @Sendable (Advertisement) -> Bool = { _ in false }
  }

  let setup: Radio.Setup
  /// The adapters to use, and how long to wait for one at the beginning.
  let adapters: (wanted: [AdapterReference], wait: Duration)
  /// Whether the adapters are virtual, and belong to this command alone.
  let isSimulated: Bool
  let window: Window
  /// The time between a failed scan and the next one.
  private static let pause = Duration.seconds(1)

  /// Scans for a time that counts from the first scan, or until cancelled.
  /// - Parameters:
  ///   - bound: The time; nil to scan until cancelled.
  ///   - pace: The interval of `tick`.
  ///   - tick: Called at each interval; false ends the reception.
  ///   - handle: Receives each event.
  /// - Throws: `CommandFailure` if the scan cannot begin. A later loss is reported on stderr, and the scan
  ///   resumes when an adapter is ready.
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
    var timeout = adapters.wait
    var hasScanned = false
    while !Task.isCancelled {
      let adapter = try await adapter(within: timeout, claims)
      let end = await windows(on: adapter, handle)
      if Task.isCancelled { return }
      guard hasScanned || end.hasScanned else { throw failure(end.error) }
      hasScanned = true
      timeout = .seconds(365 * 86_400)
      if end.hasScanned {
        await handle(.lost)
        Console.say(
          "The scan on \(adapter.name) ended: \(failure(end.error).message). Waiting for an adapter.")
      }
      try? await setup.clock.sleep(for: Self.pause)
    }
  }

  private func adapter(within timeout: Duration, _ claims: AdapterClaims) async throws -> Adapter {
    let selection = AdapterSelection(
      central: setup.central, clock: setup.clock, wanted: adapters.wanted, timeout: timeout)
    let adapter: Adapter
    do throws(CentralError) {
      adapter = try await selection.adapter { Console.show(RadioMessages.waiting($0) + "\n") }
    } catch {
      throw error.code == .cancelled ? ExitStatus.interrupted.exit : failure(error)
    }
    if !isSimulated, case .refused(let holder) = await claims.take(adapter) {
      throw RefusalWords.failure(.adapterClaimed(adapter: adapter.name, by: holder))
    }
    return adapter
  }

  private func failure(_ error: CentralError) -> CommandFailure {
    RadioMessages.failure(error, adapter: adapters.wanted.first?.text)
  }

  // MARK: Windows

  /// Scans until the scan fails or the task is cancelled.
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

  /// - Returns: The error that ended the window, and whether the adapter scanned at all.
  private func oneWindow(
    on adapter: Adapter, isFirst: Bool, _ handle: @escaping @Sendable (Event) async -> Void
  ) async -> (CentralError?, began: Bool) {
    let (clock, central, window) = (setup.clock, setup.central, window)
    let began = OneShot<Void>()
    let wanted = LastWanted()
    let error = await withTaskGroup(of: CentralError?.self) { group in
      group.addTask {
        do throws(CentralError) {
          try await central.scan(on: adapter.id) { (advertisements) throws(CentralError) in
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
        // The time counts from the start of the scan, which the stack can delay.
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

/// The instant of the last wanted advertisement, or of the start of the window.
private final class LastWanted: Sendable {
  private let instant = Mutex<MonotonicInstant?>(nil)

  var at: MonotonicInstant? { instant.withLock { $0 } }

  func set(_ now: MonotonicInstant) { instant.withLock { $0 = now } }
}
