import Application
@preconcurrency import Dispatch
import FoundationEssentials
import Synchronization

/// The input of `walk`: whole lines, single keys on an empty line, and Enter. A barcode scanner types faster
/// than a person, so a key counts only if no other byte follows within 120 ms.
final class WalkInput: Sendable {
  /// An entry, or a change of the line being typed.
  enum Event: Sendable {
    case entry(Walk.Entry)
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
    var keys: KeyReader?
    var lines: Task<Void, Never>?
    var timer: (any DispatchSourceTimer)?
  }

  /// Bytes within this time come from a scanner.
  private static let pause = DispatchTimeInterval.milliseconds(120)
  private static let pace = DispatchTimeInterval.milliseconds(500)

  init() {
    (events, continuation) = AsyncStream.makeStream(of: Event.self)
  }

  /// Starts to read entries: keys at a terminal, otherwise lines, in which a single letter is a key.
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
        for await line in Keyboard.lines() { continuation.yield(.entry(Self.entry(line))) }
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

  /// The entry for a line, if single keys cannot be read.
  private static func entry(_ line: String) -> Walk.Entry {
    let text = line.trimmed
    if text == "." { return .enter }
    if text.count == 1, let key = text.first { return .key(key) }
    return .line(text)
  }

  private func take(_ byte: UInt8) {
    var entry: Walk.Entry?
    let (typed, generation) = state.withLock { state in
      state.generation += 1
      if let line = state.typed.take(byte) { entry = line.isEmpty ? .enter : .line(line) }
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
      continuation.yield(.entry(.key(Character(Unicode.Scalar(first)))))
      continuation.yield(.typed(""))
    }
  }
}
