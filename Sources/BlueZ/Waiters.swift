import Waiting

/// The tasks that wait for a change of one object. Each checks its condition again, so an extra resumption
/// does no harm.
struct Waiters {
  private var waiting: [ObjectIdentifier: OneShot<Void>] = [:]

  mutating func add() -> OneShot<Void> {
    let changed = OneShot<Void>()
    waiting[ObjectIdentifier(changed)] = changed
    return changed
  }

  mutating func remove(_ changed: OneShot<Void>) {
    waiting[ObjectIdentifier(changed)] = nil
  }

  /// Ends all waits. Their order does not matter, because all of them check the same state.
  func endAll() {
    for changed in waiting.values { changed.fulfill() }
  }
}
