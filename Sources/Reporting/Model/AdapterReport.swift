package import Bluetooth
package import Model

/// The work of one adapter in a run, folded from the events so far. Its connections are in the attempts of
/// the rooms.
package struct AdapterReport: Hashable, Sendable {
  package let adapter: AdapterID
  /// Its scan windows, in the order in which they began.
  package private(set) var windows: [ScanWindow] = []

  init(_ adapter: AdapterID) {
    self.adapter = adapter
  }

  mutating func begin(_ fact: ScanPeriod, at elapsed: Duration) {
    windows.append(ScanWindow(purpose: fact.purpose, begin: ShortDuration(elapsed)))
  }

  mutating func end(_ fact: ScanPeriod, at elapsed: Duration) {
    let place = windows.lastIndex { $0.purpose == fact.purpose && $0.end == nil }
    if let place { windows[place].end = ShortDuration(elapsed) }
  }
}

/// A time in which an adapter scanned.
package struct ScanWindow: Hashable, Sendable {
  package let purpose: ScanPurpose
  /// When it began, since the run began.
  package let begin: ShortDuration
  /// When it ended, since the run began; nil where that is not on record.
  package internal(set) var end: ShortDuration?
}
