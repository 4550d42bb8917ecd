import Bluetooth
import Model

/// How an adapter has been doing over all its sessions of a run: when it may be used again after the stack refused to scan
/// with it, and when it is given up.
struct AdapterHealth: Hashable, Sendable {
  /// After so many refusals in a row an adapter is given up.
  static let tolerableRefusals = 10
  /// After so many requests in a row without an answer an adapter is given up, too, if they span `longestSilence`.
  static let tolerableSilences = 3
  /// From the first of these requests to the last.
  static let longestSilence = Duration.seconds(30)
  /// The first pause after a refusal; it doubles with each further one.
  static let firstPause = Duration.seconds(1)
  /// The longest.
  static let longestPause = Duration.seconds(5)

  /// Scan windows in a row that the stack refused, or that ended by themselves at once without a report.
  private(set) var refusals = 0
  /// Those of them, in a row, without an answer.
  private var silences = Silences()

  private struct Silences: Hashable {
    var count = 0
    /// When the first of them was, and the last.
    var first: MonotonicInstant?
    var last: MonotonicInstant?

    mutating func add(at now: MonotonicInstant) {
      count += 1
      first = first ?? now
      last = now
    }

    /// From the first to the last.
    var duration: Duration {
      guard let first, let last else { return .zero }
      return first.duration(to: last)
    }
  }

  /// Not used before then.
  private(set) var heldUntil: MonotonicInstant?
  /// Whether it was switched off and on because it heard nothing: that is done once.
  var wasPowerCycled = false

  /// Whether it is used no more in this run.
  var isGivenUp: Bool {
    refusals >= Self.tolerableRefusals
      || silences.count >= Self.tolerableSilences && silences.duration >= Self.longestSilence
  }

  /// Whether it is to be left alone for now.
  func isHeld(at now: MonotonicInstant) -> Bool { heldUntil.map { now < $0 } ?? false }

  /// The stack refused to scan. Returns when it may be asked again.
  /// - Parameter isSilent: whether it gave no answer.
  @discardableResult
  mutating func refused(at now: MonotonicInstant, isSilent: Bool = false) -> MonotonicInstant {
    refusals += 1
    if isSilent { silences.add(at: now) } else { silences = Silences() }
    let pause = min(Self.firstPause * (1 << min(refusals - 1, 8)), Self.longestPause)
    let end = now.advanced(by: pause)
    heldUntil = end
    return end
  }

  /// Its pause may be over.
  mutating func expire(at now: MonotonicInstant) {
    if !isHeld(at: now) { heldUntil = nil }
  }

  /// A scan window did what it was to.
  mutating func scanned() {
    refusals = 0
    silences = Silences()
    heldUntil = nil
  }
}
