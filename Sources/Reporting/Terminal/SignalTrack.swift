package import Bluetooth
import Glibc

/// The strength of one device's signal over time: a fold over its advertisements, with the time passed in. Of several
/// adapters, the one with the strongest level counts.
///
/// The RSSI of a device that does not move varies by some dB from one advertisement to the next
/// (docs/internals/radio-model.md). The level is their exponentially weighted mean, so it follows a walking person and does
/// not jump.
package struct SignalTrack: Hashable, Sendable {
  /// The time in which the level follows a change by two thirds.
  package static let smoothing = Duration.seconds(1)
  /// A device is silent when nothing was received for this time.
  package static let silentAfter = Duration.seconds(5)
  /// The strengths at the ends of the bar and of the bell's rate, in dBm: too weak to connect, and beside the device.
  package static let range = -95.0 ... -45.0

  /// The start of the search.
  private let began: MonotonicInstant
  /// The signal on one adapter.
  private struct Level: Hashable {
    var lastAt: MonotonicInstant
    var lastRSSI: Int?
    var level: Double?
    var levelAt: MonotonicInstant?
  }
  private var levels: [AdapterID: Level] = [:]
  private var nextTone: MonotonicInstant?
  /// The strongest level so far, in dBm.
  package private(set) var strongest: Int?

  /// A track without any advertisement.
  package init(from began: MonotonicInstant) { self.began = began }

  /// The state of the signal.
  package enum State: Hashable, Sendable {
    /// Nothing was received yet, for this long.
    case nothing(Duration)
    /// It is received with this level in dBm; nil where the stack does not report RSSI.
    case received(Double?)
    /// Nothing was received for this long; the RSSI of the last advertisement in dBm.
    case silent(Duration, last: Int?)
  }

  /// Applies an advertisement of the device.
  package mutating func receive(rssi: Int?, on adapter: AdapterID, at now: MonotonicInstant) {
    var new = levels[adapter] ?? Level(lastAt: now)
    let wasSilent = new.lastAt.duration(to: now) >= Self.silentAfter
    new.lastAt = now
    defer { levels[adapter] = new }
    guard let rssi else { return }
    new.lastRSSI = rssi
    let level: Double
    if let old = new.level, let levelAt = new.levelAt, !wasSilent {
      let elapsed = max(0, levelAt.duration(to: now) / Self.smoothing)
      level = old + (Double(rssi) - old) * (1 - exp(-elapsed))
    } else {
      level = Double(rssi)
    }
    (new.level, new.levelAt) = (level, now)
    strongest = max(strongest ?? Int.min, Int(level.rounded()))
  }

  /// The state of the signal now.
  package func state(at now: MonotonicInstant) -> State {
    guard let best = best(at: now)?.value else { return .nothing(began.duration(to: now)) }
    let age = best.lastAt.duration(to: now)
    return age < Self.silentAfter ? .received(best.level) : .silent(age, last: best.lastRSSI)
  }

  /// The adapter that receives the device most strongly, or that received it last; nil while none did.
  package func adapter(at now: MonotonicInstant) -> AdapterID? { best(at: now)?.key }

  private func best(at now: MonotonicInstant) -> (key: AdapterID, value: Level)? {
    let audible = levels.filter { $0.value.lastAt.duration(to: now) < Self.silentAfter }
    return audible.isEmpty
      ? levels.max { ($0.value.lastAt, $1.key) < ($1.value.lastAt, $0.key) }
      : audible.max { ($0.value.level ?? -.infinity, $1.key) < ($1.value.level ?? -.infinity, $0.key) }
  }

  /// The time from one tone of the bell to the next: 2 s at the weak end, 0.2 s at the strong one; nil while nothing is received.
  package func bellInterval(at now: MonotonicInstant) -> Duration? {
    guard case .received(let level?) = state(at: now) else { return nil }
    return .seconds(2 * pow(0.1, Self.fraction(level)))
  }

  /// Whether the bell sounds now. It sounds again after `bellInterval`.
  package mutating func rings(at now: MonotonicInstant) -> Bool {
    guard let interval = bellInterval(at: now), now >= nextTone ?? now else { return false }
    nextTone = now.advanced(by: interval)
    return true
  }

  /// The position of a level between the ends of `range`: 0…1.
  package static func fraction(_ level: Double) -> Double {
    let clamped = min(max(level, range.lowerBound), range.upperBound)
    return (clamped - range.lowerBound) / (range.upperBound - range.lowerBound)
  }
}
