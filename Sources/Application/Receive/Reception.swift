package import Bluetooth
package import Model
import Synchronization
import Waiting

/// The advertisements that an adapter receives, in consecutive scan windows. It continues after a loss of the
/// adapter, the stack or the bus.
///
/// Most chips report each device once per scan (docs/bluez.md), so a further report needs a new scan window.
package struct Reception: Sendable {
  package enum Event: Sendable {
    /// The adapter starts to scan: at the beginning, and after each loss.
    case scanning(Adapter)
    case received(Advertisement)
    /// The scan failed: nothing is received until `scanning`.
    case lost
  }

  /// A scan window ends after this time without a wanted advertisement.
  package struct Window: Sendable {
    let silence: Duration
    /// Whether an advertisement extends the scan window.
    var isWanted: @Sendable (Advertisement) -> Bool

    package init(silence: Duration, isWanted: @escaping @Sendable (Advertisement) -> Bool = { _ in false }) {
      (self.silence, self.isWanted) = (silence, isWanted)
    }
  }

  let stack: BluetoothStack
  /// The adapters to use. Only the wait at the beginning has a limit.
  let adapters: AdapterChoice
  /// The building whose names for adapters apply.
  let building: Building?
  let window: Window

  package init(stack: BluetoothStack, adapters: AdapterChoice, building: Building?, window: Window) {
    (self.stack, self.adapters, self.building, self.window) = (stack, adapters, building, window)
  }

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
  package func run(
    for bound: Duration?, every pace: Duration, _ tick: @escaping @Sendable () async -> Bool,
    _ handle: @escaping @Sendable (Event) async -> Void
  ) async throws {
    let (beginning, begun) = AsyncStream.makeStream(of: Void.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await AdapterUse.with(stack, adapters, of: building) { use in
          try await scan(use) { event in
            if case .scanning = event { begun.finish() }
            await handle(event)
          }
        }
      }
      group.addTask {
        while (try? await stack.clock.sleep(for: pace)) != nil {
          guard await tick() else { return }
        }
      }
      if let bound {
        group.addTask {
          for await _ in beginning {}
          try? await stack.clock.sleep(for: bound)
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func scan(
    _ use: AdapterUse, _ handle: @escaping @Sendable (Event) async -> Void
  ) async throws {
    var timeout = adapters.wait
    var hasScanned = false
    while !Task.isCancelled {
      let adapter = try await use.adapter(within: timeout)
      let end = await windows(on: adapter, handle)
      if Task.isCancelled { return }
      guard hasScanned || end.hasScanned else { throw adapters.failure(end.error) }
      hasScanned = true
      timeout = .seconds(365 * 86_400)
      if end.hasScanned {
        await handle(.lost)
        Messages.say(
          "The scan on \(adapter.name) ended: \(adapters.failure(end.error).message). Waiting for an adapter."
        )
      }
      try? await stack.clock.sleep(for: Self.pause)
    }
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
    let (clock, central, window) = (stack.clock, stack.central, window)
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
