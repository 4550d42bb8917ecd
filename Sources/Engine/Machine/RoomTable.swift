import Bluetooth
import Families
import Model
import Session
import HeapModule

/// The rooms that are worked on, each in its state, and what has to be found quickly among them.
struct RoomTable: Sendable {
  /// A room and where it stands.
  struct Entry: Sendable {
    let room: Room
    let family: any DeviceProfile
    /// What proves its device.
    let proof: Proof
    /// Changed by `RoomTable.move` and `RoomTable.update` alone.
    fileprivate(set) var state = RoomState.unmatched

    /// The identity that its device is heard with once it is done, if it has one on air.
    var identity: BeaconIdentity? {
      if case .beacon(let identity) = proof { identity } else { nil }
    }
  }

  private(set) var entries: [Entry]
  private let places: [RoomID: Int]
  /// How many rooms are in each state.
  private var counts: [RoomState.Kind: Int]
  /// By the device of a room, where it has or awaits one.
  private var owners: [BluetoothAddress: Int] = [:]
  /// By the identity that a room waits to hear.
  private var awaitedIdentities: [BeaconIdentity: Int] = [:]
  /// Rooms whose device is to be heard before anything else can be done.
  private(set) var unheard: Set<Int> = []
  /// All devices that rooms were given in this run.
  private(set) var given: Set<BluetoothAddress> = []

  init(_ rooms: [Room]) {
    entries = rooms.map { Entry(room: $0, family: profile(of: $0), proof: proof(of: $0)) }
    places = Dictionary(uniqueKeysWithValues: rooms.enumerated().map { ($1.id, $0) })
    counts = [.unmatched: rooms.count]
  }

  var indices: Range<Int> { entries.indices }

  /// A room. Read in place: a copy of all that is known of it, for each look at its state, would cost more than most decisions.
  subscript(place: Int) -> Entry {
    _read { yield entries[place] }
  }

  /// The place of a room.
  func place(of room: RoomID) -> Int {
    guard let place = places[room] else { preconditionFailure("a room that is not worked on: \(room)") }
    return place
  }

  /// The room that has or awaits this device.
  func owner(of device: BluetoothAddress) -> Int? { owners[device] }

  /// The room that waits to hear this identity.
  func awaiting(_ identity: BeaconIdentity) -> Int? { awaitedIdentities[identity] }

  /// Whether any room waits to hear an identity.
  var isAwaitingIdentities: Bool { !awaitedIdentities.isEmpty }

  /// The identities of all rooms.
  var identities: [BeaconIdentity] { entries.compactMap(\.identity) }

  /// How many rooms are in a state.
  func count(_ kind: RoomState.Kind) -> Int { counts[kind, default: 0] }

  /// How many rooms are to be connected to or heard.
  var dueCount: Int { count(.queued) + count(.awaited) }

  /// Whether the radio, or an instant to come, brings any room on.
  var isAnyActive: Bool { counts.contains { $0.key.isActive && $0.value > 0 } }

  /// Whether an adapter is at work for any room.
  var isAnyEngaged: Bool { counts.contains { $0.key.isEngaged && $0.value > 0 } }

  /// The rooms in these states, in order.
  func places(_ kinds: Set<RoomState.Kind>) -> [Int] {
    guard kinds.contains(where: { count($0) > 0 }) else { return [] }
    return indices.filter { kinds.contains(entries[$0].state.kind) }
  }

  // MARK: Changes

  /// Moves a room on, to a legal successor of its state.
  mutating func move(_ place: Int, to next: RoomState) {
    let (old, kind) = (entries[place].state, next.kind)
    precondition(
      old.mayBecome(kind), "room \(entries[place].room.id) goes from \(old.kind) to \(kind)")
    counts[old.kind, default: 0] -= 1
    counts[kind, default: 0] += 1
    unheard.remove(place)
    if old.kind == .proving || old.kind == .awaited, let identity = entries[place].identity,
      awaitedIdentities[identity] == place
    {
      awaitedIdentities[identity] = nil
    }
    switch next {
    case .awaited:
      unheard.insert(place)
      if let identity = entries[place].identity { awaitedIdentities[identity] = place }
    case .proving(let state):
      awaitedIdentities[state.identity] = place
    case .queued:
      if !entries[place].family.searchesItself { unheard.insert(place) }
    default:
      break
    }
    if let work = next.work { give(work.address, to: place) }
    entries[place].state = next
  }

  /// Changes what is true in a room's state without leaving it.
  mutating func update(_ place: Int, _ state: RoomState) {
    precondition(entries[place].state.kind == state.kind)
    entries[place].state = state
  }

  /// A room awaits this device, or has it.
  mutating func own(_ device: BluetoothAddress, by place: Int) { owners[device] = place }

  private mutating func give(_ device: BluetoothAddress, to place: Int) {
    guard owners[device] != place || !given.contains(device) else { return }
    owners[device] = place
    given.insert(device)
  }

  /// An adapter has a queued room among its candidates from now on. Returns false when it had it before.
  mutating func enlist(_ place: Int, on adapter: AdapterID) -> Bool {
    guard case .queued(var state) = entries[place].state, !state.candidacies.contains(adapter) else {
      return false
    }
    state.candidacies.insert(adapter)
    entries[place].state = .queued(state)
    unheard.remove(place)
    return true
  }

  /// An adapter has a queued room no longer among its candidates.
  mutating func leave(_ place: Int, _ adapter: AdapterID) {
    guard case .queued(var state) = entries[place].state, state.candidacies.remove(adapter) != nil else {
      return
    }
    entries[place].state = .queued(state)
    if state.candidacies.isEmpty, !entries[place].family.searchesItself { unheard.insert(place) }
  }
}

/// What falls due for rooms: at an instant, or when adapters have scanned for so long. Some of it is due no longer; what a
/// room's state does not confirm is passed over.
struct RoomTimers: Sendable {
  /// The ends of back-offs, of the time that a failure is judged after, and of proofs that what was heard settles.
  var instants = Heap<Due<MonotonicInstant>>()
  /// Rooms that are given up when every adapter has scanned so long.
  var silences = Heap<Due<Duration>>()
  /// Proofs of rooms whose adapter's session is over, by the scan time of every adapter.
  var orphans = Heap<Due<Duration>>()
}
