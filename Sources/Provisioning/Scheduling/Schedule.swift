import Bluetooth
import HeapModule

/// Which adapter listens, whom it dials, and who waits: a pure value. It is told what happened and says what to do; it
/// has no clock, no tasks and no IO.
///
/// An adapter either listens or dials: a connection that is made while the same adapter discovers costs 10 s instead of
/// 0.3 (docs/bluez.md). It makes one connection at a time and holds several. It dials only what it heard itself a short
/// while ago, since BlueZ's objects are each adapter's own. So adapters alternate, each in its own time: a window of
/// listening, then calls to everybody who was heard, one after the other, while the conversations with those who have
/// answered go on. What is heard in a window serves everybody: sightings, late arrivals, and proofs.
struct Schedule: Sendable {
  /// What is to be done for a room.
  struct Job: Hashable, Sendable {
    /// The room.
    var room: RoomID
    /// Its device; nil when any that proves the room will do, and none is ever dialled.
    var address: BluetoothAddress?
    /// How it is reached.
    var approach: Approach
    /// Attempts after the first.
    var retries = 0
    /// How long adapters listen for it, twice, before it is given up.
    var search: Duration
  }

  /// How a room's device is reached.
  enum Approach: Hashable, Sendable {
    /// It is dialled when it was heard a short while ago. A first call takes no longer than this, where there are
    /// further ones.
    case dialled(firstCall: Duration?)
    /// Its own session searches it.
    case searched
    /// It is only to be heard.
    case heard
  }

  /// A call to a device.
  struct Call: Hashable, Sendable {
    var room: RoomID
    var address: BluetoothAddress
    var session: RadioSession
    /// 1 for the first attempt.
    var attempt: Int
    /// How long connecting may take, where that is less than the room's own timeout.
    var patience: Duration?

    var adapter: AdapterID { session.adapter }
  }

  /// What is to be done now.
  enum Action: Hashable, Sendable {
    /// This adapter opens a scan window.
    case listen(RadioSession)
    /// It closes its scan window; the schedule is told when it has.
    case stopListening(RadioSession)
    /// This adapter hears nothing and is switched off and on. It is used in another session afterwards.
    case powerCycle(RadioSession)
    /// This adapter still hears nothing after it was switched off and on.
    case reportDeaf(RadioSession)
    /// A device is called.
    case call(Call)
    /// This room's proof was not heard in the time it had.
    case proofOver(RoomID)
    /// This room is given up.
    case giveUp(RoomID, FailureReason)
  }

  /// Limits; each with its reason.
  enum Limits {
    /// An adapter dials only what it heard this recently: BlueZ's objects die 30 s after discovery stops
    /// (BLUEZ.md), and 5 s are left for the attempt to begin.
    static let freshness = Duration.seconds(25)
    /// The shortest window: long enough for everybody who advertises every 100 ms, and most who do every second.
    static let window = Duration.milliseconds(1200)
    /// The longest: the kernel ends a discovery by itself after 10.24 s, and a bluetoothd that is busy misses it and is
    /// deaf from then on (docs/bluez.md).
    static let longestWindow = Duration.seconds(8)
    /// How long an adapter dials before it listens again, when somebody waits to be heard: a proof that is late by this
    /// much delays nobody. Whom it has heard is about to be no longer fresh by then.
    static let calling = Duration.seconds(23)
    /// How long an adapter that holds conversations does not listen after it did, or after its first call: what is
    /// heard takes air, and work of the stack, away from them.
    static let quiet = Duration.seconds(10)
    /// An adapter that has scanned this long without a single report, from any device, is suspected: a deaf adapter makes
    /// every sensor look dead (docs/bluez.md, trap 59).
    static let deafAfter = Duration.seconds(10)
    /// The connect times of an adapter that its limit for a first attempt follows from, and by how much the longest of them
    /// is exceeded: 2 of 122 healthy sensors took longer than 3 s under load.
    static let connectTimesKept = 8
    static let connectTimesNeeded = 3
    static let connectTimeFactor = 3
    /// The pause before the second attempt; it doubles with each further one.
    static let firstPause = Duration.seconds(2)
    /// The longest pause between attempts, jitter aside.
    static let longestPause = Duration.seconds(30)
    /// Attempts after the first at a device that refuses in its own words.
    static let refusalRetries = 1
    /// How often an attempt at one device may fail for the host's reasons: the adapter or the stack went away, or the
    /// controller held as many links as it can.
    static let hostFailures = 5
    /// How often the stack may have forgotten one device before it is connected to.
    static let forgotten = 20
    /// Conversations that an adapter holds at once, unless told otherwise: what common dongles can.
    static let slots = 5
    /// A device that rests, its budget spent, is clearly heard again when it is so many dB stronger than before,
    static let stronger = 10
    /// or when every adapter had listened so long without hearing it.
    static let absence = Duration.seconds(20)
    /// How much better, in dB, another adapter must hear a device to be left the call.
    static let better = 15
    /// How many candidates an adapter may leave to others before it takes one all the same.
    static let courtesies = 8
  }

  var entries: [RoomID: Entry] = [:]
  var rooms: [BluetoothAddress: RoomID] = [:]
  /// The adapters in use, in the order of their addresses.
  var radios: [Radio] = []
  /// How long every adapter had scanned when the last session ended: it goes on from there, also where none is left for a
  /// while.
  private var scanned = Duration.zero
  /// How long every adapter had scanned when the survey began, or began anew.
  private var surveySince = Duration.zero
  /// How long connecting took lately on each adapter, the oldest first.
  var connectTimes: [AdapterID: [Duration]] = [:]
  /// Counts the sessions of all adapters.
  private var sessions = 0
  /// Whether no further connection is to be made for now.
  var mayNotConnect = false
  /// How long a scan window lasts at most.
  var longestWindow = Limits.longestWindow
  var proving: [RoomID: Proving] = [:]
  /// When what was heard settles proofs; and how long everybody is to have listened for those whose adapter is gone.
  var settling = Heap<Due<MonotonicInstant>>()
  var orphans = Heap<Due<Duration>>()
  /// Rooms in phase `due` that no adapter has among its candidates: they are yet to be heard.
  var unheard: Set<RoomID> = []
  var pauses = Heap<Due<MonotonicInstant>>()
  var silences = Heap<Due<Duration>>()
  /// Rooms in phase `due`.
  var dueCount = 0
  /// Rooms in phase `resting`.
  var resting: Set<RoomID> = []
  /// Rooms whose budget was renewed since they were last asked for.
  private var renewed: [RoomID] = []
  /// Whether adapters listen for whoever may come, even if nobody who is known is to be heard.
  var awaitsNews = false
  /// Conversations at once, over all adapters.
  let parallel: Int
  /// Whether nobody is given up: who is not heard is waited for, and who failed rests until it is clearly heard again.
  let isWatching: Bool
  private var nextOrder = 0

  /// A schedule of nothing yet.
  /// - Parameters:
  ///   - parallel: how many conversations there may be at once, over all adapters; nil for as many as they can.
  ///   - isWatching: whether nobody is given up.
  init(parallel: Int? = nil, isWatching: Bool = false) {
    self.parallel = parallel ?? Int.max
    self.isWatching = isWatching
  }

  /// Whether nothing is left to do.
  var isFinished: Bool { entries.isEmpty }

  /// Conversations, calls under way included.
  var conversations: Int { radios.reduce(0) { $0 + $1.links } }

  /// Whether a device is being called or talked to.
  func isEngaged(_ device: BluetoothAddress) -> Bool {
    switch rooms[device].flatMap({ entries[$0]?.phase }) {
    case .calling?, .linked?: true
    case .due?, .pausing?, .resting?, .proving?, nil: false
    }
  }

  /// Whether a room's budget is spent, and its device is waited for to be clearly heard.
  func isResting(_ room: RoomID) -> Bool { resting.contains(room) }

  /// Rooms that nobody talks to and that wait for no proof, in order.
  var idleRooms: [RoomID] {
    entries.values.filter { entry in
      switch entry.phase {
      case .due, .pausing, .resting: true
      case .calling, .linked, .proving: false
      }
    }.sorted { $0.order < $1.order }.map(\.job.room)
  }

  // MARK: Rooms

  /// Adds a room; rooms are tried in the order in which they were added.
  mutating func add(_ job: Job, at now: MonotonicInstant) {
    let entry = Entry(job: job, order: nextOrder)
    nextOrder += 1
    entries[job.room] = entry
    if let address = job.address { rooms[address] = job.room }
    becomeDue(job.room, at: now)
  }

  /// A room has its outcome, or was given up.
  mutating func finish(_ room: RoomID) {
    released(room)
    guard let entry = entries.removeValue(forKey: room) else { return }
    if entry.phase == .due { dueCount -= 1 }
    unheard.remove(room)
    resting.remove(room)
    if let address = entry.job.address { rooms[address] = nil }
    proving[room] = nil
  }

  /// A device was heard. Returns whether that may change what is to be done.
  mutating func heard(
    _ address: BluetoothAddress, on adapter: AdapterID, rssi: Int?, at now: MonotonicInstant
  ) -> Bool {
    // In place: this is done for all that is heard.
    guard let room = rooms[address], let index = entries.index(forKey: room) else { return false }
    let rssi = rssi ?? entries.values[index].hearings[adapter]?.rssi
    if case .resting(let rest) = entries.values[index].phase {
      renew(room, from: rest, rssi, at: now)
      return entries[room]?.phase == .due
    }
    entries.values[index].hearings[adapter] = (now, rssi)
    if entries.values[index].job.approach == .searched { entries.values[index].reach[adapter] = rssi }
    guard entries.values[index].phase == .due, !entries.values[index].candidacies.contains(adapter)
    else { return false }
    enlist(room, on: adapter)
    return true
  }

  /// The rooms whose budget was renewed because their device was clearly heard again, in that order, once.
  mutating func takeRenewed() -> [RoomID] {
    defer { renewed = [] }
    return renewed
  }

  /// A device that rests was heard.
  private mutating func renew(_ room: RoomID, from rest: Rest, _ rssi: Int?, at now: MonotonicInstant) {
    let ears = leastEars(at: now)
    let isBack = ears - rest.ears >= Limits.absence
    let isStronger = rest.rssi.flatMap { before in rssi.map { $0 >= before + Limits.stronger } } ?? false
    guard isBack || isStronger, var entry = entries[room] else {
      entries[room]?.phase = .resting(Rest(rssi: rest.rssi ?? rssi, ears: ears))
      return
    }
    entry.charged = 0
    entry.failures = [:]
    entries[room] = entry
    resting.remove(room)
    renewed.append(room)
    becomeDue(room, at: now)
  }

  /// A device must be heard again before it is called: it was connected to, or forgotten by the stack.
  mutating func mustBeHeardAgain(_ address: BluetoothAddress) {
    guard let room = rooms[address] else { return }
    entries[room]?.hearings = [:]
  }

  /// Nobody remembers anybody.
  mutating func mustBeHeardAgain() {
    for room in entries.keys { entries[room]?.hearings = [:] }
  }

  // MARK: Attempts

  /// A link is up: its adapter may connect to the next device.
  mutating func answered(_ room: RoomID, at now: MonotonicInstant) {
    guard case .calling(let session)? = entries[room]?.phase else { return }
    entries[room]?.phase = .linked(session)
    guard let index = index(of: session), let calling = radios[index].calling, calling.room == room else {
      return
    }
    radios[index].calling = nil
    radios[index].lastReport = radios[index].ears.total(at: now)
    let times = connectTimes[session.adapter, default: []] + [calling.since.duration(to: now)]
    connectTimes[session.adapter] = times.suffix(Limits.connectTimesKept)
  }

  /// A link that its device did not end is being ended: its adapter makes no connection meanwhile.
  ///
  /// When the kernel (6.1) ends a link while it makes another on the same adapter, it loses track of that one: it can
  /// never be ended (docs/bluez.md).
  mutating func hangsUp(_ room: RoomID) {
    guard case .linked(let session)? = entries[room]?.phase, let index = index(of: session) else { return }
    radios[index].hangingUp.insert(room)
  }

  /// A room needs its adapter no longer, whatever became of it.
  mutating func released(_ room: RoomID) {
    guard var entry = entries[room] else { return }
    switch entry.phase {
    case .calling(let session), .linked(let session):
      // Where the adapter has come back in the meantime, the link was not one of its present session.
      if let index = index(of: session) {
        radios[index].links -= 1
        radios[index].hangingUp.remove(room)
        if radios[index].calling?.room == room { radios[index].calling = nil }
      }
    case .due, .pausing, .resting, .proving:
      return
    }
    entry.strongest = entry.hearings.values.compactMap(\.rssi).max()
    entry.phase = .proving
    entry.hearings = [:]
    entries[room] = entry
  }

  /// A room's proof is to be heard.
  /// - Parameter patience: how long the adapter that wrote it listens at most.
  mutating func awaitProof(
    of room: RoomID, on adapter: AdapterID, for patience: Duration, at now: MonotonicInstant
  ) {
    let order = entries[room]?.order ?? 0
    if let index = index(of: adapter) {
      let limit = radios[index].ears.total(at: now) + patience
      proving[room] = Proving(adapter: adapter, limit: limit)
      radios[index].proofs.insert(Due(at: limit, order: order, room: room))
    } else {
      orphan(room, limit: leastEars(at: now) + patience)
    }
  }

  /// A room's proof is awaited of whoever listens.
  private mutating func orphan(_ room: RoomID, limit: Duration) {
    proving[room] = Proving(adapter: nil, limit: limit, settles: proving[room]?.settles)
    orphans.insert(Due(at: limit, order: entries[room]?.order ?? 0, room: room))
  }

  /// What was heard of a room settles its proof by then.
  mutating func proofSettles(of room: RoomID, at instant: MonotonicInstant) {
    guard let proof = proving[room], proof.settles.map({ instant < $0 }) ?? true else { return }
    proving[room]?.settles = instant
    settling.insert(Due(at: instant, order: entries[room]?.order ?? 0, room: room))
  }

  /// A room's proof is no longer awaited.
  mutating func proofEnded(of room: RoomID) {
    proving[room] = nil
  }

  /// An attempt failed. Returns how long the room pauses when another attempt follows, at the back of the
  /// queue; nil when it has none left: then it is out, or rests, where nobody is given up.
  ///
  /// Each class of failure has a budget of its own (`FailureClass`): what is the host's doing is never charged to the
  /// device.
  /// - Parameters:
  ///   - failed: when it failed, which is when its pause begins.
  ///   - jitter: chance, 0…1, that keeps devices from coming back in step.
  mutating func attemptFailed(
    _ room: RoomID, _ failure: FailureClass, in session: RadioSession, at failed: MonotonicInstant,
    now: MonotonicInstant? = nil, jitter: Double
  ) -> Duration? {
    released(room)
    guard var entry = entries[room] else { return nil }
    let now = now ?? failed
    entry.attempts += 1
    switch failure {
    case .transient, .missing, .refused, .permanent, .cancelled:
      entry.charged += 1
      entry.failures[session.adapter, default: 0] += 1
    case .outOfSlots:
      entry.hostFailures += 1
      // The controller holds fewer links than it was taken to.
      if let index = index(of: session) { radios[index].slots = max(1, radios[index].links) }
    case .host: entry.hostFailures += 1
    case .forgotten: entry.timesForgotten += 1
    }
    let budget = entry.job.retries
    let hasMore =
      switch failure {
      case .transient, .missing: entry.charged <= budget
      case .refused: entry.charged <= min(budget, Limits.refusalRetries)
      case .host, .outOfSlots: entry.hostFailures <= Limits.hostFailures
      case .forgotten: entry.timesForgotten <= Limits.forgotten
      case .permanent, .cancelled: false
      }
    guard hasMore else {
      switch failure {
      case .permanent, .cancelled:
        finish(room)
      case .transient, .missing, .outOfSlots, .refused, .host, .forgotten:
        guard isWatching else {
          finish(room)
          break
        }
        entry.phase = .resting(Rest(rssi: entry.strongest, ears: leastEars(at: now)))
        resting.insert(room)
        entries[room] = entry
      }
      return nil
    }
    // Nothing was sent: it only has to be heard again.
    let pause = failure == .forgotten ? .zero : Self.pause(before: entry.charged, jitter)
    let end = max(failed.advanced(by: pause), now)
    entry.phase = .pausing(until: end)
    entries[room] = entry
    pauses.insert(Due(at: end, order: entry.order, room: room))
    return pause
  }

  /// The back-off after so many attempts that were charged to the device.
  private static func pause(before charged: Int, _ jitter: Double) -> Duration {
    let doubled = Limits.firstPause * (1 << min(max(charged - 1, 0), 8))
    return min(doubled, Limits.longestPause) * (1 + jitter / 2)
  }

  // MARK: Adapters

  /// An adapter can be used, in a session of its own until it is removed.
  /// - Parameters:
  ///   - slots: how many links it can hold at once.
  ///   - wasPowerCycled: whether it was switched off and on in this run because it heard nothing.
  mutating func add(
    _ adapter: AdapterID, slots: Int = Limits.slots, wasPowerCycled: Bool = false, at now: MonotonicInstant
  ) -> RadioSession {
    if let index = index(of: adapter) { return radios[index].session }
    sessions += 1
    // The stack remembers nobody: what was heard before counts for no survey.
    if radios.isEmpty { surveySince = leastEars(at: now) }
    let session = RadioSession(adapter: adapter, number: sessions)
    // It has scanned for nobody yet, and nobody is to wait for it to catch up.
    let ears = leastEars(at: now)
    var radio = Radio(session: session, slots: slots, ears: Ears(total: ears))
    radio.lastReport = ears
    radio.wasPowerCycled = wasPowerCycled
    radios.append(radio)
    radios.sort { $0.id < $1.id }
    for (room, entry) in entries where entry.job.approach == .searched && entry.phase == .due {
      enlist(room, on: adapter)
    }
    return session
  }

  /// Whether this is the present session of its adapter.
  func isCurrent(_ session: RadioSession) -> Bool { index(of: session) != nil }

  /// An adapter's session is over. Its links end by themselves.
  mutating func remove(_ session: RadioSession, at now: MonotonicInstant) {
    guard let index = index(of: session) else { return }
    let adapter = session.adapter
    scanned = leastEars(at: now)
    let ears = radios.remove(at: index).ears.total(at: now)
    let least = leastEars(at: now)
    for room in entries.keys {
      entries[room]?.hearings[adapter] = nil
      entries[room]?.reach[adapter] = nil
      leave(room, adapter)
    }
    for (room, proof) in proving where proof.adapter == adapter {
      orphan(room, limit: least + max(proof.limit - ears, .zero))
    }
  }

  /// An adapter scans from now on.
  mutating func listeningBegan(on session: RadioSession, at now: MonotonicInstant) {
    guard let index = index(of: session) else { return }
    radios[index].ears.open(at: now)
    // Until now it may have had to wait for the stack: a window lasts as long as it scans.
    if case .listening = radios[index].mode { radios[index].mode = .listening(since: now) }
  }

  /// An adapter reports an advertisement, of whatever device.
  mutating func reported(on session: RadioSession, at now: MonotonicInstant) {
    guard let index = index(of: session) else { return }
    radios[index].lastReport = radios[index].ears.total(at: now)
  }

  /// An adapter scans no longer, whether or not it was to.
  /// - Parameter held: until when it is not to be used: the stack refused to scan.
  mutating func listeningEnded(
    on session: RadioSession, at now: MonotonicInstant, heldUntil: MonotonicInstant? = nil
  ) {
    guard let index = index(of: session) else { return }
    radios[index].ears.close(at: now)
    radios[index].mode = .idle
    radios[index].callsSince = nil
    radios[index].heldUntil = heldUntil
    radios[index].listenedUntil = now
    radios[index].isInVain = radios[index].candidates.isEmpty
  }

  /// Whether links of an earlier run are being ended on an adapter: it makes no connection meanwhile.
  mutating func setReleasing(_ isReleasing: Bool, _ session: RadioSession) {
    guard let index = index(of: session) else { return }
    radios[index].isReleasing = isReleasing
  }

  /// Whether another program scans with an adapter, which makes connecting slow.
  mutating func setShared(_ isShared: Bool, _ session: RadioSession) {
    guard let index = index(of: session) else { return }
    radios[index].isShared = isShared
  }

  func index(of adapter: AdapterID) -> Int? { radios.firstIndex { $0.id == adapter } }

  func index(of session: RadioSession) -> Int? { radios.firstIndex { $0.session == session } }

  // MARK: Ears

  /// How long every adapter that the stack lets scan has scanned at least.
  func surveyTime(at now: MonotonicInstant) -> Duration {
    let usable = radios.filter { ($0.heldUntil ?? now) <= now }
    return usable.map { $0.ears.total(at: now) - surveySince }.min() ?? .zero
  }

  /// Whether an adapter that hears nothing is yet to be switched off and on.
  func isAnyoneSuspected(at now: MonotonicInstant) -> Bool {
    radios.contains { !$0.wasPowerCycled && $0.hearsNothing(at: now) }
  }

  /// Whether no adapter hears anything, though each was switched off and on.
  func isDeaf(at now: MonotonicInstant) -> Bool {
    !radios.isEmpty && radios.allSatisfy { $0.wasPowerCycled && $0.hearsNothing(at: now) }
  }

  /// How long every adapter has listened at least.
  func leastEars(at now: MonotonicInstant) -> Duration {
    radios.map { $0.ears.total(at: now) }.min() ?? scanned
  }

  // MARK: Being due

  /// A room is to be called, or heard, from now on.
  mutating func becomeDue(_ room: RoomID, at now: MonotonicInstant) {
    guard var entry = entries[room] else { return }
    entry.phase = .due
    entry.candidacies = []
    entry.silenceLimit = leastEars(at: now) + entry.job.search * 2
    dueCount += 1
    entries[room] = entry
    if entry.job.approach != .searched, !isWatching {
      silences.insert(Due(at: entry.silenceLimit, order: entry.order, room: room))
    }
    if entry.job.approach != .searched { unheard.insert(room) }
    for radio in radios
    where entry.job.approach == .searched || isFresh(entry.hearings[radio.id]?.at, at: now) {
      enlist(room, on: radio.id)
    }
  }

  /// An adapter has a room no longer among its candidates.
  mutating func leave(_ room: RoomID, _ adapter: AdapterID) {
    guard entries[room]?.candidacies.remove(adapter) != nil, let entry = entries[room] else { return }
    if entry.phase == .due, entry.candidacies.isEmpty, entry.job.approach != .searched {
      unheard.insert(room)
    }
  }

  func isFresh(_ heard: MonotonicInstant?, at now: MonotonicInstant) -> Bool {
    guard let heard else { return false }
    return heard.duration(to: now) <= Limits.freshness
  }

  private mutating func enlist(_ room: RoomID, on adapter: AdapterID) {
    guard let index = index(of: adapter), let entry = entries[room], entry.job.approach != .heard,
      !entry.candidacies.contains(adapter)
    else { return }
    entries[room]?.candidacies.insert(adapter)
    unheard.remove(room)
    radios[index].candidates.insert(
      Candidate(attempts: entry.attempts, order: entry.order, room: room))
  }
}
