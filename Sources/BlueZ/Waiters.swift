import Waiting

/// Those who wait for a change of one thing. Each looks again at what it waits for, so going on once too often costs
/// nothing.
struct Waiters {
  private var waiting: [ObjectIdentifier: OneShot<Void>] = [:]

  /// Whether nobody waits.
  var isEmpty: Bool { waiting.isEmpty }

  /// A new wait.
  mutating func add() -> OneShot<Void> {
    let changed = OneShot<Void>()
    waiting[ObjectIdentifier(changed)] = changed
    return changed
  }

  /// Forgets a wait that is over.
  mutating func remove(_ changed: OneShot<Void>) {
    waiting[ObjectIdentifier(changed)] = nil
  }

  /// Ends all waits. Their order does not matter: each looks at the same state.
  mutating func endAll() {
    let all = waiting.values
    waiting = [:]
    for changed in all { changed.fulfill() }
  }
}
