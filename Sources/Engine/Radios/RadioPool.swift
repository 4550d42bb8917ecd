import Bluetooth
import Model

/// The adapters in use, by identity, each in its session, and what the run knows of adapters over all sessions.
struct RadioPool: RandomAccessCollection, MutableCollection, Sendable {
  private var radios: [Radio] = []
  private var places: [AdapterID: Int] = [:]
  private var histories: [AdapterID: AdapterHistory] = [:]
  /// The scan windows that have not ended, including those of lost sessions.
  private var windows: [RadioSession: ScanPurpose] = [:]
  private var sessions = 0
  /// The scan time at which the survey began or restarted.
  private(set) var surveySince = Duration.zero
  /// The least scan time of all adapters when the last session ended: later sessions start with it.
  private var scanned = Duration.zero
  var presence = AdapterPresence()
  /// Devices that the stacks still remember from this run.
  var leftovers = Leftovers()
  /// Devices that did not answer an adapter which made a link afterwards. That adapter was able to connect, so later
  /// attempts at these devices put no adapter under suspicion.
  private var deadDevices: Set<BluetoothAddress> = []
  /// The adapter that completes the survey during the first connections, or did, and its scan time at the end of the survey.
  private var listening: (session: RadioSession, until: Duration)?

  var startIndex: Int { radios.startIndex }
  var endIndex: Int { radios.endIndex }

  // In place: a copy of a `Radio` would force a copy of its heap of candidates at each change.
  subscript(index: Int) -> Radio {
    _read { yield radios[index] }
    _modify { yield &radios[index] }
  }

  /// What is known of an adapter over all its sessions.
  // No `_read`: with `default:`, and each file optimised on its own, tests crashed now and then in the destruction of
  // the value (Swift 6.3.1); the cause in the compiler was not examined.
  subscript(history adapter: AdapterID) -> AdapterHistory {
    get { histories[adapter, default: AdapterHistory()] }
    _modify { yield &histories[adapter, default: AdapterHistory()] }
  }

  func index(of adapter: AdapterID) -> Int? { places[adapter] }

  /// The index of an adapter in its present session; nil when the session is over.
  func index(of session: RadioSession) -> Int? {
    guard let place = places[session.adapter], radios[place].session.number == session.number else {
      return nil
    }
    return place
  }

  private mutating func notePlaces() {
    places = Dictionary(uniqueKeysWithValues: radios.indices.map { (radios[$0].id, $0) })
  }

  // MARK: Sessions

  /// Takes an adapter into use. It starts with the least scan time of all adapters, so that no wait is extended by it.
  mutating func add(_ adapter: AdapterID, slots: LinkSlots, at now: MonotonicInstant) -> RadioSession {
    sessions += 1
    let session = RadioSession(adapter: adapter, number: sessions)
    let least = leastScanTime(at: now)
    // Sightings from before all adapters were lost do not count for the survey.
    if radios.isEmpty { surveySince = least }
    radios.append(
      Radio(
        session, slots: slots, scanTime: least,
        wasPowerCycled: self[history: adapter].health.wasPowerCycled))
    radios.sort { $0.id < $1.id }
    notePlaces()
    histories[adapter] = self[history: adapter]
    return session
  }

  /// Ends a session. Returns the adapter as it was.
  mutating func remove(_ index: Int, at now: MonotonicInstant) -> Radio {
    scanned = leastScanTime(at: now)
    let radio = radios.remove(at: index)
    notePlaces()
    self[history: radio.id].slots = radio.slots
    self[history: radio.id].slots?.endSuspicion()
    presence.mayHaveChanged = true
    return radio
  }

  // MARK: Links

  /// An adapter has made a link.
  mutating func linked(_ index: Int, to room: Int, at device: BluetoothAddress, at now: MonotonicInstant) {
    deadDevices.formUnion(radios[index].linked(to: room, at: now))
    deadDevices.remove(device)
  }

  /// An attempt has timed out.
  mutating func timedOut(_ index: Int, connectingTo room: Int, at device: BluetoothAddress) {
    if !deadDevices.contains(device) { radios[index].timedOut(connectingTo: room, at: device) }
  }

  // MARK: Scan windows

  mutating func open(_ window: RadioState.Window, _ index: Int) {
    radios[index].enter(.opening(window))
    windows[radios[index].session] = window.purpose
  }

  /// Notes the end of a scan window, also in a lost session. Returns its purpose; nil if it was not open.
  mutating func close(_ session: RadioSession) -> ScanPurpose? { windows.removeValue(forKey: session) }

  func isOpen(_ session: RadioSession) -> Bool { windows[session] != nil }

  /// The sessions with a scan window that has not ended, in order.
  var open: [RadioSession] { windows.keys.sorted { $0.number < $1.number } }

  // MARK: Scan time

  /// The least scan time of all adapters in use.
  func leastScanTime(at now: MonotonicInstant) -> Duration {
    radios.indices.lazy.map { radios[$0].scanTime.total(at: now) }.min() ?? scanned
  }

  /// When every adapter reaches this scan time; nil while one that has not reached it does not scan.
  func instant(ofLeastScanTime total: Duration, at now: MonotonicInstant) -> MonotonicInstant? {
    var latest: MonotonicInstant?
    for index in radios.indices {
      guard let instant = radios[index].scanTime.instant(of: total, at: now) else { return nil }
      latest = Swift.max(latest ?? instant, instant)
    }
    return latest
  }

  /// The least scan time since the survey began of all adapters that the stack lets scan.
  func surveyTime(at now: MonotonicInstant) -> Duration {
    let scanning = radios.indices.lazy.filter { !radios[$0].isCoolingDown(at: now) }
    return scanning.map { radios[$0].scanTime.total(at: now) - surveySince }.min() ?? .zero
  }

  // MARK: The end of the survey

  /// The adapter that has scanned longest, if several scan and receive: a stack may start their scans one after the other.
  func longestScanning(at now: MonotonicInstant) -> RadioSession? {
    let scanning = radios.indices.filter {
      radios[$0].state.kind == .scanning && radios[$0].receivedAt != nil
    }
    let longest = scanning.reversed().max {
      radios[$0].scanTime.total(at: now) < radios[$1].scanTime.total(at: now)
    }
    return scanning.count > 1 ? longest.map { radios[$0].session } : nil
  }

  /// Lets one adapter complete a survey of this length while the others connect.
  mutating func listen(_ session: RadioSession, for survey: Duration) {
    listening = (session, until: surveySince + survey)
  }

  /// The adapter that completes the survey, and the scan time at which the survey is complete; nil if none does.
  func listener(at now: MonotonicInstant) -> (index: Int, until: Duration)? {
    guard let (session, until) = listening, let index = self.index(of: session),
      radios[index].state.kind == .scanning, radios[index].scanTime.total(at: now) < until
    else { return nil }
    return (index, until)
  }

  // MARK: Health

  /// Whether no adapter receives anything, though each was switched off and on.
  func isDeaf(at now: MonotonicInstant) -> Bool {
    !isEmpty && allSatisfy { $0.isKnownDeaf(at: now) }
  }

  /// Whether an adapter that receives nothing has yet to be switched off and on.
  func isAnySuspected(at now: MonotonicInstant) -> Bool {
    contains { !$0.wasPowerCycled && $0.receivesNothing(at: now) }
  }

  mutating func powerCycle(_ index: Int, because fault: AdapterFault.Kind) {
    let adapter = radios[index].id
    radios[index].enter(.powerCycling)
    self[history: adapter].health.wasPowerCycled = true
    presence.powerCycling[adapter] = fault
  }

  mutating func endStuckness(ofAllExcept adapters: [AdapterID]) {
    for adapter in histories.keys where !adapters.contains(adapter) {
      histories[adapter]?.health.isStuck = false
      histories[adapter]?.health.wasPowerCycled = false
    }
  }

  mutating func expireCoolDowns(at now: MonotonicInstant) {
    for adapter in histories.keys { histories[adapter]?.health.expire(at: now) }
  }

  /// The first end of a cool-down of adapters without a session; nil when there is none.
  var dueAt: MonotonicInstant? {
    guard histories.count > radios.count else { return nil }
    return histories.lazy.compactMap { adapter, history in
      guard let end = history.health.coolDownEnd, !history.health.isGivenUp, index(of: adapter) == nil else {
        return nil
      }
      return end
    }.min()
  }

  /// Whether nothing but attempts is in flight.
  var isAtRest: Bool { windows.isEmpty && presence.powerCycling.isEmpty && presence.releasing.isEmpty }
}
