import EventLoop

/// Server-sent events (HTML Standard, 9.2) that tell any number of clients a state and its changes. A client that reads
/// slowly misses changes and then gets the whole state, so nothing is kept for it.
package final class HTTPEvents: Sendable {
  private struct State {
    var version = 0
    var beats = 0
    /// The step from the version before to this one; nil if there is none.
    var change: [UInt8]?
    var makeWhole: @Sendable () -> String = { "" }
  }

  /// How far the server is.
  struct Place {
    fileprivate var version = 0
    fileprivate var beats = 0
  }

  /// What the server tells its clients.
  enum News: Sendable {
    /// A new state, with the step from the state before.
    case change([UInt8]?)
    case beat
  }

  static let beat = event("beat", "1")

  private let state = Lock(State())

  package init() {}

  /// A new state. Call it on the loop's thread: the server looks for it after the present job.
  /// - Parameters:
  ///   - change: The difference to the state before, as one line; nil if there is none, or if it is no smaller.
  ///   - whole: Makes the state as one line, if a client needs it.
  package func publish(change: String?, whole: @escaping @Sendable () -> String) {
    state.withLock { state in
      state.version += 1
      state.change = change.map { Self.event("change", $0) }
      state.makeWhole = whole
    }
  }

  /// Tells the clients that the state is still the same.
  package func beat() { state.withLock { $0.beats += 1 } }

  /// What is new after a place, which moves to the end; nil if nothing is.
  func news(after place: inout Place) -> News? {
    let before = place
    let (now, change) = state.withLock { (Place(version: $0.version, beats: $0.beats), $0.change) }
    place = now
    if now.version != before.version { return .change(now.version == before.version + 1 ? change : nil) }
    return now.beats != before.beats ? .beat : nil
  }

  /// The present state.
  var whole: [UInt8] {
    let make = state.withLock { $0.makeWhole }
    return Self.event("state", make())
  }

  private static func event(_ name: String, _ line: String) -> [UInt8] {
    Array("event: \(name)\ndata: \(line)\n\n".utf8)
  }
}
