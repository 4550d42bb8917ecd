@preconcurrency import Dispatch
import Foundation
import Labels
import Synchronization

/// What the installer types, scans and presses: whole lines, single keys on an empty line, and Enter. A barcode scanner types
/// faster than any person, so a key counts only when nothing follows it at once.
final class WalkInput: Sendable {
  /// An entry, or what changes the line that is being typed.
  enum Event: Sendable {
    case entry(Walk.Entry)
    case typed(String)
    /// Time has passed: look again at what is received.
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
    var typed: [UInt8] = []
    var generation = 0
    var keys: KeyReader?
    var lines: Task<Void, Never>?
    var timer: (any DispatchSourceTimer)?
  }

  /// Bytes that follow each other sooner than this come from a scanner.
  private static let pause = DispatchTimeInterval.milliseconds(120)
  private static let pace = DispatchTimeInterval.milliseconds(500)
  /// Nobody types as much.
  private static let longest = 4296

  init() {
    (events, continuation) = AsyncStream.makeStream(of: Event.self)
  }

  /// Takes entries from now on: keys where there is a terminal, else lines, of which a single letter is a key.
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

  /// Takes none any more.
  func end() {
    state.withLock { state in
      state.keys?.end()
      state.lines?.cancel()
      state.timer?.cancel()
    }
    continuation.finish()
  }

  /// The installer wants the walk to stop.
  func interrupt() { continuation.yield(.interrupted) }

  /// What a line means where keys cannot be read one by one.
  private static func entry(_ line: String) -> Walk.Entry {
    let text = line.trimmingCharacters(in: .whitespaces)
    if text == "." { return .enter }
    if text.count == 1, let key = text.first { return .key(key) }
    return .line(text)
  }

  private func take(_ byte: UInt8) {
    var entry: Walk.Entry?
    let (typed, generation) = state.withLock { state in
      state.generation += 1
      switch byte {
      case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
        entry = state.typed.isEmpty ? .enter : .line(String(decoding: state.typed, as: UTF8.self))
        state.typed = []
      case 0x7F, 0x08: _ = state.typed.popLast()
      case 0x20...: if state.typed.count < Self.longest { state.typed.append(byte) }
      default: break
      }
      return (state.typed, state.generation)
    }
    if let entry { continuation.yield(.entry(entry)) }
    continuation.yield(.typed(String(decoding: typed, as: UTF8.self)))
    guard typed.count == 1, let first = typed.first, Walk.keys.contains(Character(Unicode.Scalar(first)))
    else { return }
    queue.asyncAfter(deadline: .now() + Self.pause) { [self] in
      let isKey = state.withLock { state -> Bool in
        guard state.generation == generation else { return false }
        state.typed = []
        return true
      }
      guard isKey else { return }
      continuation.yield(.entry(.key(Character(Unicode.Scalar(first)))))
      continuation.yield(.typed(""))
    }
  }
}
