import Application
@preconcurrency import Dispatch
import FoundationEssentials
import Synchronization

/// The input of a walk: whole lines, single keys on an empty line, and Enter. A barcode scanner types faster than a person, so a
/// key counts only if no other byte follows within 120 ms, and Enter only that long after a line.
final class WalkInput: Sendable {
  /// An entry as `Walk.read` takes it, or a change of the line being typed.
  enum Event: Sendable {
    case entry(String)
    case typed(String)
    /// A timer event: check the received devices again.
    case tick
    case interrupted
    /// The input has ended.
    case end
  }

  let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "walk input")

  private struct State {
    var typed = TypedLine()
    var generation = 0
    /// When the last line ended.
    var lineEnd: DispatchTime?
    var keys: KeyReader?
    var lines: Task<Void, Never>?
    var timer: (any DispatchSourceTimer)?
  }

  /// Bytes within this time come from a scanner.
  private static let pause = DispatchTimeInterval.milliseconds(120)
  private static let pace = DispatchTimeInterval.milliseconds(500)
  /// Ctrl-D.
  private static let endOfInput: UInt8 = 4

  init() {
    (events, continuation) = AsyncStream.makeStream(of: Event.self)
  }

  /// Starts to read entries: keys at a terminal, otherwise lines.
  func begin() {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + Self.pace, repeating: Self.pace)
    timer.setEventHandler { @Sendable [continuation] in continuation.yield(.tick) }
    timer.resume()
    if KeyReader.isPossible {
      let keys = KeyReader { [weak self] byte in self?.take(byte) }
      keys.begin()
      state.withLock { ($0.keys, $0.timer) = (keys, timer) }
    } else {
      let lines = Task { [continuation] in
        for await line in Keyboard.lines() { continuation.yield(.entry(line)) }
        continuation.yield(.end)
      }
      state.withLock { ($0.lines, $0.timer) = (lines, timer) }
    }
  }

  /// Stops reading.
  func end() {
    state.withLock { state in
      state.keys?.end()
      state.lines?.cancel()
      state.timer?.cancel()
    }
    continuation.finish()
  }

  /// Requests the end of the walk.
  func interrupt() { continuation.yield(.interrupted) }

  private func take(_ byte: UInt8) {
    var entry: String?
    let (typed, generation) = state.withLock { state in
      state.generation += 1
      if byte == Self.endOfInput, state.typed.bytes.isEmpty { continuation.yield(.end) }
      if let line = state.typed.take(byte) {
        let now = DispatchTime.now()
        // Some scanners end a line with CR LF.
        let isPartOfEnd = state.lineEnd.map { now < $0 + Self.pause } ?? false
        if !line.isEmpty { entry = line } else if !isPartOfEnd { entry = "." }
        state.lineEnd = now
      }
      return (state.typed, state.generation)
    }
    if let entry { continuation.yield(.entry(entry)) }
    continuation.yield(.typed(typed.shown))
    guard typed.bytes.count == 1, let first = typed.bytes.first,
      Walk.keys.contains(Character(Unicode.Scalar(first)))
    else { return }
    queue.asyncAfter(deadline: .now() + Self.pause) { [self] in
      let isKey = state.withLock { state -> Bool in
        guard state.generation == generation else { return false }
        state.typed = TypedLine()
        return true
      }
      guard isKey else { return }
      continuation.yield(.entry(String(Character(Unicode.Scalar(first)))))
      continuation.yield(.typed(""))
    }
  }
}
