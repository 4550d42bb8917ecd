import Bluetooth
import Model

extension RoomState {
  /// The states without their values, for the diagram and for counting.
  enum Kind: String, CaseIterable, Sendable {
    case unmatched
    case open
    case awaitingOperator
    case awaited
    case deferred
    case queued
    case preparing
    case connecting
    case connected
    case disconnecting
    case proving
    case diagnosing
    case backingOff
    case exhausted
    case stopped
    case finished
  }

  var kind: Kind {
    switch self {
    case .unmatched: .unmatched
    case .open: .open
    case .awaitingOperator: .awaitingOperator
    case .awaited: .awaited
    case .deferred: .deferred
    case .queued: .queued
    case .preparing: .preparing
    case .connecting: .connecting
    case .connected: .connected
    case .disconnecting: .disconnecting
    case .proving: .proving
    case .diagnosing: .diagnosing
    case .backingOff: .backingOff
    case .exhausted: .exhausted
    case .stopped: .stopped
    case .finished: .finished
    }
  }

  /// The states that may follow each state; no other transition happens. The end of the run moves every room
  /// to `finished` from whatever state it is in; the table does not repeat that transition.
  static let transitions: [Kind: Set<Kind>] = [
    .unmatched: [.open, .awaitingOperator, .awaited, .deferred, .queued],
    .open: [.open, .awaitingOperator, .awaited, .deferred, .queued],
    .awaitingOperator: [.deferred, .queued],
    .awaited: [],
    .deferred: [.queued],
    .queued: [.preparing, .connecting],
    .preparing: [.connecting],
    .connecting: [.connected, .disconnecting],
    .connected: [.disconnecting],
    .disconnecting: [.proving, .diagnosing],
    .proving: [.diagnosing],
    .diagnosing: [.backingOff, .exhausted, .stopped],
    .backingOff: [.queued],
    .exhausted: [.queued],
    .stopped: [],
    .finished: [],
  ]

  func mayBecome(_ next: Kind) -> Bool {
    next == .finished ? kind != .finished : Self.transitions[kind, default: []].contains(next)
  }

  /// The work of the room, in the states in which it has a device to write.
  var work: RoomWork? {
    switch self {
    case .unmatched, .open, .awaitingOperator, .awaited, .finished: nil
    case .deferred(let state): state.work
    case .queued(let state): state.work
    case .preparing(let state), .connecting(let state), .connected(let state): state.work
    case .disconnecting(let state): state.work
    case .proving(let state): state.work
    case .diagnosing(let state): state.work
    case .backingOff(let state): state.work
    case .exhausted(let state): state.work
    case .stopped(let work): work
    }
  }

  // MARK: Values that are read for each advertisement

  // Each reads only its values: a copy of the whole state takes many times as long.

  /// The device of a queued room, its attempts so far, and the adapters that have it among their candidates; nil in other states.
  var queue: (device: BluetoothAddress, attempts: Int, candidacies: Set<AdapterID>)? {
    if case .queued(let state) = self {
      (state.work.address, state.work.attempts, state.candidacies)
    } else {
      nil
    }
  }

  /// The beacon that proved the device of a finished room; nil without one.
  var beaconProof: BeaconProof? { if case .finished(let state) = self { state.proof } else { nil } }

  /// The adapter whose scan time counts for a pending proof, or nil for the least of all adapters, and the scan time at which
  /// the wait ends; nil in other states.
  var awaitedProof: (adapter: AdapterID?, limit: Duration)? {
    if case .proving(let state) = self { (state.adapter, state.limit) } else { nil }
  }
}

extension RoomState.Kind {
  /// Whether the radio, or a future instant, moves the room on.
  var isActive: Bool { isEngaged || Self.waiting.contains(self) }

  /// Whether its adapter is reserved for it, connects to its device or holds the link.
  var isEngaged: Bool { Self.engaged.contains(self) }

  private static let waiting: Set = [awaited, queued, proving, diagnosing, backingOff, exhausted]
  private static let engaged: Set = [preparing, connecting, connected, disconnecting]
}
