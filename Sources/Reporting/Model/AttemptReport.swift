public import Bluetooth
public import Model

/// An attempt at a room's device, folded from the events so far.
public struct AttemptReport: Hashable, Sendable {
  /// 1 for the first.
  public let number: Int
  /// The device.
  public let address: BluetoothAddress
  /// The adapter used.
  public let adapter: AdapterID
  /// When it began, since the run began.
  public let begin: ShortDuration
  /// Its stages, in the order in which they began.
  public private(set) var stages: [StageReport] = []

  private let heard: Int8?
  private var took: ShortDuration?
  private var boxedFailure: Boxed<FailureReason>?

  init(_ fact: AttemptStarted, at elapsed: Duration) {
    number = fact.number
    address = fact.address
    adapter = fact.adapter
    begin = ShortDuration(elapsed)
    heard = fact.rssi.map { Int8(clamping: $0) }
  }

  /// RSSI when the device was last heard before it, in dBm.
  public var rssi: Int? { heard.map(Int.init) }
  /// How long it took, in seconds; nil where its end is not on record.
  public var seconds: Double? { took?.seconds }
  /// Why it failed; nil where it did not, or its end is not on record.
  public var failure: FailureReason? { boxedFailure?.value }
  /// Whether its end is on record.
  public var isEnded: Bool { took != nil }

  mutating func apply(_ fact: StageStarted, at elapsed: Duration) {
    stages.append(StageReport(fact, at: elapsed))
  }

  mutating func apply(_ fact: StageEnded) {
    let place = stages.lastIndex { $0.stage == fact.stage && $0.setting == fact.setting && !$0.isEnded }
    if let place { stages[place].end(fact) }
  }

  mutating func end(_ fact: AttemptEnded) {
    took = ShortDuration(seconds: fact.seconds)
    boxedFailure = fact.failure.map { Boxed($0) }
  }
}

extension [AttemptReport] {
  /// The attempt with this number; the newest, where a record of an earlier version does not say.
  mutating func change(_ number: Int?, _ change: (inout AttemptReport) -> Void) {
    let place = number.map { number in lastIndex { $0.number == number } } ?? indices.last
    if let place { change(&self[place]) }
  }
}
