import Bluetooth
import Model

extension RoomState {
  /// The states without their values, for the diagram and for counting.
  enum Kind: String, CaseIterable, Sendable {
    case unmatched
    case open
    case parked
    case awaited
    case held
    case queued
    case preparing
    case connecting
    case connected
    case disconnecting
    case proving
    case judging
    case backingOff
    case resting
    case stopped
    case finished
  }

  var kind: Kind {
    switch self {
    case .unmatched: .unmatched
    case .open: .open
    case .parked: .parked
    case .awaited: .awaited
    case .held: .held
    case .queued: .queued
    case .preparing: .preparing
    case .connecting: .connecting
    case .connected: .connected
    case .disconnecting: .disconnecting
    case .proving: .proving
    case .judging: .judging
    case .backingOff: .backingOff
    case .resting: .resting
    case .stopped: .stopped
    case .finished: .finished
    }
  }

  /// The states that may follow each state; no other transition happens. The end of the run moves every room
  /// to `finished` from whatever state it is in; the table does not repeat that transition.
  static let transitions: [Kind: Set<Kind>] = [
    .unmatched: [.open, .parked, .awaited, .held, .queued],
    .open: [.open, .parked, .awaited, .held, .queued],
    .parked: [.held, .queued],
    .awaited: [],
    .held: [.queued],
    .queued: [.preparing, .connecting],
    .preparing: [.connecting],
    .connecting: [.connected, .disconnecting],
    .connected: [.disconnecting],
    .disconnecting: [.proving, .judging],
    .proving: [.judging],
    .judging: [.backingOff, .resting, .stopped],
    .backingOff: [.queued],
    .resting: [.queued],
    .stopped: [],
    .finished: [],
  ]

  func mayBecome(_ next: Kind) -> Bool {
    next == .finished ? kind != .finished : Self.transitions[kind, default: []].contains(next)
  }

  /// The work of the room, in the states in which it has a device to write.
  var work: RoomWork? {
    switch self {
    case .unmatched, .open, .parked, .awaited, .finished: nil
    case .held(let state): state.work
    case .queued(let state): state.work
    case .preparing(let state), .connecting(let state), .connected(let state): state.work
    case .disconnecting(let state): state.work
    case .proving(let state): state.work
    case .judging(let state): state.work
    case .backingOff(let state): state.work
    case .resting(let state): state.work
    case .stopped(let state): state.work
    }
  }
}

extension RoomState.Kind {
  /// Whether the radio, or a future instant, moves the room on.
  var isActive: Bool {
    switch self {
    case .awaited, .queued, .preparing, .connecting, .connected, .disconnecting, .proving, .judging,
      .backingOff, .resting:
      true
    case .unmatched, .open, .parked, .held, .stopped, .finished: false
    }
  }

  /// Whether its adapter is reserved for it, connects to its device or holds the link.
  var isEngaged: Bool {
    switch self {
    case .preparing, .connecting, .connected, .disconnecting: true
    case .unmatched, .open, .parked, .awaited, .held, .queued, .proving, .judging, .backingOff, .resting,
      .stopped, .finished:
      false
    }
  }
}
