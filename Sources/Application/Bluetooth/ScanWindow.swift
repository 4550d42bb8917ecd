package import Bluetooth
import Engine
import Synchronization
import Waiting

/// A scan on one adapter that ends by itself, before the kernel ends it.
package struct ScanWindow: Sendable {
  /// It ends after this time without a wanted advertisement, and after `RadioLimits.longestWindow` at the latest.
  let silence: Duration?
  /// Whether an advertisement extends it.
  let isWanted: @Sendable (Advertisement) -> Bool

  package init(silence: Duration?, isWanted: @escaping @Sendable (Advertisement) -> Bool = { _ in false }) {
    (self.silence, self.isWanted) = (silence, isWanted)
  }
}

extension BluetoothStack {
  /// Scans until the window ends, the scan fails, or the task is cancelled.
  /// - Returns: How long the adapter scanned, nil if it did not; and the error that prevented or ended the scan.
  func scan(
    on adapter: Adapter, until window: ScanWindow, begun: @escaping @Sendable () async -> Void = {},
    _ handle: @escaping @Sendable (Advertisement) async -> Void
  ) async -> (scanned: Duration?, error: CentralError?) {
    let (clock, central) = (clock, central)
    let began = OneShot<MonotonicInstant>()
    let wanted = LastWanted()
    let (end, error) = await withTaskGroup(of: CentralError?.self) { group in
      group.addTask {
        do throws(CentralError) {
          try await central.scan(on: adapter.id) { (advertisements) throws(CentralError) in
            wanted.set(clock.now)
            began.fulfill(clock.now)
            await begun()
            for try await advertisement in advertisements {
              if window.isWanted(advertisement) { wanted.set(advertisement.receivedAt) }
              await handle(advertisement)
            }
          }
          return nil
        } catch {
          return error.code == .cancelled ? nil : error
        }
      }
      group.addTask {
        // The time counts from the start of the scan, which the stack can delay.
        guard let latest = await began.value()?.advanced(by: RadioLimits.longestWindow) else { return nil }
        while let start = wanted.at, clock.now < latest {
          let end = window.silence.map { min(latest, start.advanced(by: $0)) } ?? latest
          guard end > clock.now, (try? await clock.sleep(until: end, tolerance: nil)) != nil else { break }
        }
        return nil
      }
      let first = await group.next() ?? nil
      let end = clock.now
      group.cancelAll()
      return (end, first)
    }
    return (began.peeked?.duration(to: end), error)
  }
}

/// The instant of the last wanted advertisement, or of the start of the window.
private final class LastWanted: Sendable {
  private let instant = Mutex<MonotonicInstant?>(nil)

  var at: MonotonicInstant? { instant.withLock { $0 } }

  func set(_ now: MonotonicInstant) { instant.withLock { $0 = now } }
}
