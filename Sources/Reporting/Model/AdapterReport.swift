public import Bluetooth
public import Model

/// What one adapter did in a run, folded from the events so far. Its connections are in the attempts of the rooms.
public struct AdapterReport: Hashable, Sendable {
  /// The adapter.
  public let adapter: AdapterID
  /// Its scan windows, in the order in which they began.
  public private(set) var windows: [ScanWindow] = []

  init(_ adapter: AdapterID) {
    self.adapter = adapter
  }

  mutating func begin(_ fact: Listening, at elapsed: Duration) {
    windows.append(ScanWindow(purpose: fact.purpose, begin: ShortDuration(elapsed)))
  }

  mutating func end(_ fact: Listening, at elapsed: Duration) {
    let place = windows.lastIndex { $0.purpose == fact.purpose && $0.end == nil }
    if let place { windows[place].end = ShortDuration(elapsed) }
  }
}

/// A time in which an adapter scanned.
public struct ScanWindow: Hashable, Sendable {
  /// What for.
  public let purpose: ListeningPurpose
  /// When it began, since the run began.
  public let begin: ShortDuration
  /// When it ended, since the run began; nil where that is not on record.
  public internal(set) var end: ShortDuration?
}
