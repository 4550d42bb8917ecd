import Bluetooth
import Model
import HeapModule

/// The rooms of the run, each in its state, with indices for fast look-ups.
struct RoomTable: Sendable {
  struct Entry: Sendable {
    let room: Room
    /// Whether each attempt begins with an action at its device, so that the attempt needs no earlier sighting. Stored: it
    /// is read for each advertisement.
    let isPerAction: Bool
    /// The hosts on its floor; nil without any.
    let hosts: Set<HostName>?
    /// Only `RoomTable.move` and `RoomTable.update` change it.
    fileprivate(set) var state = RoomState.unmatched

    fileprivate init(_ room: Room, hosts: Set<HostName>?) {
      (self.room, self.hosts) = (room, hosts)
      isPerAction = room.family.lifecycle.isPerAction
    }
  }

  private(set) var entries: [Entry]
  private let places: [RoomID: Int]
  /// Whether `Entry.isPerAction` holds for any room.
  let isAnyPerAction: Bool
  /// Whether any device may have to be paired.
  let isAnyPaired: Bool
  private var members: [RoomState.Kind: Set<Int>]
  /// The room that has or awaits each device.
  private var owners: [BluetoothAddress: Int] = [:]
  private var awaitedIdentities: [DeviceIdentity: Int] = [:]
  /// Rooms that cannot proceed without a sighting of their device.
  private(set) var unreceived: Set<Int> = []
  /// The rooms whose last attempt failed to connect, until its cause is found.
  private(set) var failedToConnect: [Int: FailedConnection] = [:]
  /// All devices that rooms got in this run.
  private(set) var given: Set<BluetoothAddress> = []
  /// The RSSI in dBm of each adapter, in its present session, that ever received the device of a room whose
  /// own session searches it.
  private(set) var reach: [Int: [AdapterID: Int]] = [:]
  /// How many queued rooms have each adapter among those that may connect to their device.
  private(set) var listed: [AdapterID: Int] = [:]
  var timers = RoomTimers()

  init(_ rooms: [Room], of building: Building) {
    var hosts: [String: Set<HostName>] = [:]
    for host in building.hosts {
      for floor in host.floors { hosts[floor, default: []].insert(host.name) }
    }
    entries = rooms.map { room in Entry(room, hosts: room.floor.flatMap { hosts[$0] }) }
    isAnyPerAction = entries.contains(where: \.isPerAction)
    isAnyPaired = rooms.contains { $0.pairingDemand != .unneeded }
    places = Dictionary(uniqueKeysWithValues: rooms.enumerated().map { ($1.id, $0) })
    members = [.unmatched: Set(rooms.indices)]
  }

  var indices: Range<Int> { entries.indices }

  /// A room. Read in place: a copy of the entry for each look at its state would cost more than most
  /// decisions.
  subscript(place: Int) -> Entry {
    _read { yield entries[place] }
  }

  func place(of room: RoomID) -> Int {
    guard let place = places[room] else { preconditionFailure("room \(room) is not part of this run") }
    return place
  }

  func outcome(of place: Int) -> RoomFinished? {
    if case .finished(let finished) = entries[place].state { finished.outcome } else { nil }
  }

  /// The room that has or awaits this device.
  func owner(of device: BluetoothAddress) -> Int? { owners[device] }

  func awaiting(_ identity: DeviceIdentity) -> Int? { awaitedIdentities[identity] }

  var isAwaitingIdentities: Bool { !awaitedIdentities.isEmpty }

  var identities: [DeviceIdentity] { entries.compactMap(\.room.identity) }

  func count(_ kind: RoomState.Kind) -> Int { members[kind]?.count ?? 0 }

  /// How many rooms wait for a connection or for a sighting.
  var dueCount: Int { count(.queued) + count(.awaited) }

  /// Whether the radio, or a future instant, moves any room on.
  var isAnyActive: Bool { members.contains { $0.key.isActive && !$0.value.isEmpty } }

  /// The rooms in these states, in order.
  func places(_ kinds: Set<RoomState.Kind>) -> [Int] {
    guard kinds.contains(where: { count($0) > 0 }) else { return [] }
    return kinds.flatMap { members[$0] ?? [] }.sorted()
  }

  /// Whether a room in this state fulfils a condition.
  func contains(_ kind: RoomState.Kind, where isMet: (RoomState) -> Bool) -> Bool {
    members[kind]?.contains { isMet(entries[$0].state) } ?? false
  }

  // MARK: Changes

  /// Moves a room to a legal successor of its state.
  mutating func move(_ place: Int, to next: RoomState) {
    let (old, kind) = (entries[place].state, next.kind)
    precondition(
      old.mayBecome(kind), "illegal transition of room \(entries[place].room.id) from \(old.kind) to \(kind)")
    members[old.kind]?.remove(place)
    members[kind, default: []].insert(place)
    failedToConnect[place] = nil
    unreceived.remove(place)
    if let identity = entries[place].room.identity, awaitedIdentities[identity] == place {
      awaitedIdentities[identity] = nil
    }
    switch next {
    case .awaited:
      unreceived.insert(place)
      if let identity = entries[place].room.identity { awaitedIdentities[identity] = place }
    case .proving(let state):
      if let identity = state.identity { awaitedIdentities[identity] = place }
    case .queued:
      if !entries[place].isPerAction { unreceived.insert(place) }
    case .disconnecting(let state):
      failedToConnect[place] = FailedConnection(state)
    case .diagnosing(let state):
      failedToConnect[place] = FailedConnection(state.past, at: state.failedAt)
      if state.awaitsSighting { unreceived.insert(place) }
    default:
      break
    }
    if let device = next.work?.address {
      owners[device] = place
      given.insert(device)
    }
    set(place, next)
  }

  /// Changes the values of a room's state without leaving the state.
  mutating func update(_ place: Int, _ state: RoomState) {
    precondition(entries[place].state.kind == state.kind)
    set(place, state)
  }

  /// Notes that a room awaits this device, or has it.
  mutating func own(_ device: BluetoothAddress, by place: Int) { owners[device] = place }

  /// Adds a queued room to the candidates of an adapter. Returns false when it was among them already.
  mutating func enlist(_ place: Int, on adapter: AdapterID) -> Bool {
    guard case .queued(var state) = entries[place].state, !state.candidacies.contains(adapter) else {
      return false
    }
    state.candidacies.insert(adapter)
    set(place, .queued(state))
    unreceived.remove(place)
    return true
  }

  private mutating func set(_ place: Int, _ state: RoomState) {
    let (old, new) = (entries[place].state.queue?.candidacies ?? [], state.queue?.candidacies ?? [])
    for adapter in old where !new.contains(adapter) { listed[adapter, default: 0] -= 1 }
    for adapter in new where !old.contains(adapter) { listed[adapter, default: 0] += 1 }
    entries[place].state = state
  }

  /// Notes that an adapter received the device of a room, if the room's own session searches it.
  mutating func reached(_ place: Int, by adapter: AdapterID, rssi: Int?) {
    guard entries[place].isPerAction else { return }
    reach[place, default: [:]][adapter] = rssi ?? reach[place]?[adapter]
  }

  /// The session of an adapter is over.
  mutating func lose(_ adapter: AdapterID) {
    for place in members[.queued] ?? [] { leave(place, adapter) }
    for place in reach.keys { reach[place]?[adapter] = nil }
  }

  /// Removes a queued room from the candidates of an adapter.
  mutating func leave(_ place: Int, _ adapter: AdapterID) {
    guard case .queued(var state) = entries[place].state else { return }
    state.candidacies.remove(adapter)
    set(place, .queued(state))
    if state.candidacies.isEmpty, !entries[place].isPerAction {
      unreceived.insert(place)
    }
  }
}

struct FailedConnection: Sendable {
  let session: RadioSession
  private let began: MonotonicInstant
  /// Nil until it is diagnosed.
  private let end: MonotonicInstant?

  /// Nil for an attempt that did not fail to connect.
  init?(_ attempt: RoomState.Disconnecting, at end: MonotonicInstant? = nil) {
    guard attempt.failedToConnect else { return nil }
    (session, began, self.end) = (attempt.session, attempt.began, end)
  }

  /// Whether it took longer than a device needs that is received.
  func wasSlow(at now: MonotonicInstant) -> Bool {
    began.duration(to: end ?? now) > RoomWork.answersWithin
  }

  /// What the adapter received from then on shows that it was not deaf when the connection failed.
  func silenceBegan(at now: MonotonicInstant) -> MonotonicInstant {
    wasSlow(at: now) ? (end ?? now).advanced(by: .zero - RoomWork.answersWithin) : began
  }
}

/// What falls due for rooms, at an instant or at a scan time. Some entries are outdated; entries that the
/// state of the room does not confirm are skipped.
struct RoomTimers: Sendable {
  /// The ends of back-offs, of the delays before a failure is classified, and of the waits for a proof that
  /// advertisements settle.
  var instants = Heap<Due<MonotonicInstant>>()
  /// The scan time of every adapter at which each room is given up.
  var silences = Heap<Due<Duration>>()
  /// Proofs of rooms whose adapter's session is over, by the scan time of every adapter.
  var orphans = Heap<Due<Duration>>()
}
