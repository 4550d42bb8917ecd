package import Bluetooth
package import Model

/// An attempt at a room's device, folded from the events so far.
package struct AttemptReport: Hashable, Sendable {
  /// 1 more than the attempts before it that count.
  package let number: Int
  package let address: BluetoothAddress
  package let adapter: AdapterID
  /// When it began, since the run began.
  package let begin: ShortDuration
  /// Its stages, in the order in which they began.
  package private(set) var stages: [StageReport] = []

  /// Why it does not count; nil if it does.
  package private(set) var notCounted: AttemptExemption?
  private let received: Int8?
  private var took: ShortDuration?
  private var boxedFailure: Boxed<FailureReason>?

  init(_ fact: AttemptStarted, at elapsed: Duration) {
    number = fact.number
    address = fact.address
    adapter = fact.adapter
    begin = ShortDuration(elapsed)
    received = fact.rssi.map { Int8(clamping: $0) }
  }

  /// RSSI when the device was last received before it, in dBm.
  package var rssi: Int? { received.map(Int.init) }
  /// Its length in seconds; nil if its end is not on record.
  package var seconds: Double? { took?.seconds }
  /// The reason of its failure; nil if it did not fail or its end is not on record.
  package var failure: FailureReason? { boxedFailure?.value }

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
    notCounted = fact.notCounted
  }
}

extension [AttemptReport] {
  /// Changes the newest attempt with this number.
  mutating func change(_ number: Int, _ change: (inout AttemptReport) -> Void) {
    if let place = lastIndex(where: { $0.number == number }) { change(&self[place]) }
  }
}
