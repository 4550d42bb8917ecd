import Bluetooth
import Families
import Model
import Session
import HeapModule

/// What is known of an adapter over all its sessions of a run.
struct AdapterHistory: Hashable, Sendable {
  var health = AdapterHealth()
  /// How long connecting took lately, the oldest first.
  var connectTimes: [Duration] = []
  /// How many links it can hold at once, as far as that is known.
  var slots: LinkSlots?
  /// Whether it was put on record that another program scans with it.
  var isForeignScanNoted = false
}

/// Which adapters there are, and what is being found out about them.
struct AdapterPresence: Sendable {
  /// The wait for an adapter that can be used.
  struct Wait: Sendable {
    let until: MonotonicInstant
    /// What was last recorded of it.
    var recorded: AdapterAwaited?
    /// Why there is none.
    var failure: CentralError
    /// Whether its time is up, and the adapters are listed a last time: the stack may have gone after them.
    var isOver = false
  }

  /// Whether the adapters are to be listed anew.
  var mayHaveChanged = false
  /// Whether they are being listed.
  var isListing = false
  /// Whether changes are no longer reported.
  var isWatchEnded = false
  /// Adapters that are being claimed.
  var claiming: [AdapterID: Adapter] = [:]
  /// Who has an adapter that could not be claimed: the first since one was waited for.
  var refusal: RunRefusal?
  /// Sessions on whose adapters links of an earlier run are looked for or being ended: they make no connection meanwhile.
  var releasing: Set<RadioSession> = []
  /// Adapters that this run is switching off and on.
  var powerCycling: Set<AdapterID> = []
  /// The wait, while no adapter can be used.
  var wait: Wait?
}

/// The adapters: which are used, in which sessions, and what becomes of a session that is lost.
extension RunMachine {
  /// Waits for an adapter, for a bounded time.
  mutating func awaitAdapter() {
    for radio in radios.sorted(by: { $0.session.number < $1.session.number }) { lose(radio.session) }
    // The stack remembers nothing: adapters that are back, or their stack, have heard no device yet.
    air.mustBeHeardAgain()
    presence.refusal = nil
    presence.wait = .init(
      until: now.advanced(by: request.adapterPatience),
      failure: CentralError(.adapterUnavailable(.absent)))
    presence.mayHaveChanged = true
  }

  /// Asks which adapters there are when that may have changed, and ends the wait for one when its time is up.
  mutating func lookAfterAdapters() {
    guard !isStopping else { return }
    if let wait = presence.wait {
      if presence.isWatchEnded { return stop(.radio(CentralError(.busUnavailable))) }
      if wait.until <= now, !presence.isListing {
        if wait.isOver { return stop(.radio(wait.failure)) }
        presence.wait?.isOver = true
        presence.mayHaveChanged = true
      }
    }
    let isDue = adapterDueAt.map { $0 <= now } ?? false
    guard presence.mayHaveChanged || isDue, !presence.isListing else { return }
    (presence.isListing, presence.mayHaveChanged) = (true, false)
    perform(.listAdapters)
  }

  /// Takes adapters that have come, and does without those that have gone.
  mutating func take(adapters result: Result<[Adapter], CentralError>) {
    presence.isListing = false
    guard !isStopping else { return }
    var failure: CentralError?
    if case .failure(let error) = result {
      switch error.code {
      case .cancelled: return
      case .permissionDenied: return stop(.radio(error))
      case .stackUnavailable, .busUnavailable: stackLostAt = now
      default: break
      }
      failure = error
    }
    let present = (try? result.get()) ?? []
    let usable = present.filter(isUsable).sorted { $0.name < $1.name }
    for radio in radios where !usable.contains(where: { $0.id == radio.id }) { lose(radio.session) }
    // What was lost just now is known to be, and what can be used again is taken below.
    presence.mayHaveChanged = false
    presence.claiming = presence.claiming.filter { claimed in usable.contains { $0.id == claimed.key } }
    for adapter in histories.keys { histories[adapter]?.health.expire(at: now) }
    for adapter in usable {
      if let index = index(of: adapter.id) {
        noteForeignScan(on: adapter, radios[index].session)
      } else if presence.claiming[adapter.id] == nil, !isHeld(adapter.id) {
        presence.claiming[adapter.id] = adapter
        perform(.claim(adapter))
      }
    }
    if !usable.isEmpty {
      presence.wait = nil
    } else if presence.powerCycling.isEmpty {
      // One that the run itself has just switched off comes back by itself.
      if presence.wait == nil {
        awaitAdapter()
        presence.mayHaveChanged = false
      }
      recordWait(present, failure)
    }
  }

  private mutating func recordWait(_ present: [Adapter], _ failure: CentralError?) {
    let eligible = present.filter(request.wants).sorted { $0.name < $1.name }
    presence.wait?.failure = failure ?? CentralError(.adapterUnavailable(eligible.trouble))
    let awaited = AdapterAwaited(
      trouble: failure == nil ? eligible.trouble : nil,
      adapter: eligible.first?.name ?? request.adapters.first?.text,
      seconds: request.adapterPatience.inSeconds)
    if awaited != presence.wait?.recorded { record(.adapterAwaited(awaited)) }
    presence.wait?.recorded = awaited
  }

  /// An adapter may be used, or is another run's.
  mutating func take(_ claim: AdapterClaim, of id: AdapterID, stack: String?, _ hardware: AdapterHardware?) {
    guard let adapter = presence.claiming.removeValue(forKey: id), !isStopping, index(of: id) == nil else {
      return
    }
    switch claim {
    case .granted:
      use(adapter, stack: stack, hardware)
    case .refused(let holder):
      presence.refusal = presence.refusal ?? .adapterClaimed(adapter: adapter.name, by: holder)
    }
    if let refusal = presence.refusal, radios.isEmpty, presence.claiming.isEmpty, adapterDueAt == nil,
      presence.powerCycling.isEmpty
    {
      stop(.refused(refusal))
    }
  }

  private mutating func use(_ adapter: Adapter, stack: String?, _ hardware: AdapterHardware?) {
    let description = request.building.description(of: adapter)
    let slots = slots(of: adapter)
    record(
      .adapterSelected(
        .init(
          adapter: adapter.id, name: adapter.name, alias: description?.alias, place: description?.place,
          stack: stack, hardware: hardware, slots: slots.limit)))
    nearby.take(adapter, namedBy: request.building.rooms)
    let session = addRadio(adapter)
    presence.releasing.insert(session)
    perform(.findLeftLinks(session))
    noteForeignScan(on: adapter, session)
  }

  /// How many links an adapter may hold, as far as is known.
  private func slots(of adapter: Adapter) -> LinkSlots {
    histories[adapter.id]?.slots ?? LinkSlots(stated: request.building.slots(of: adapter))
  }

  private mutating func addRadio(_ adapter: Adapter) -> RadioSession {
    sessions += 1
    let session = RadioSession(adapter: adapter.id, number: sessions)
    let history = histories[adapter.id, default: AdapterHistory()]
    // What was heard before by adapters that the stack has taken back counts for no survey.
    if radios.isEmpty { surveySince = leastScanTime }
    // It has scanned for nothing yet, and nothing is to wait for it to catch up.
    let radio = Radio(
      session, limits: limits,
      slots: slots(of: adapter), scanTime: leastScanTime,
      wasPowerCycled: history.health.wasPowerCycled)
    histories[adapter.id] = history
    radios.append(radio)
    radios.sort { $0.id < $1.id }
    for place in rooms.places([.queued]) where rooms[place].family.searchesItself {
      enlist(place, on: adapter.id)
    }
    return session
  }

  /// A session of an adapter is over, as far as is known now. Its links end by themselves.
  mutating func lose(_ session: RadioSession) {
    guard let index = index(of: session) else { return }
    if windows[session] != nil { perform(.endScan(session)) }
    scanned = leastScanTime
    let radio = radios.remove(at: index)
    histories[session.adapter]?.slots = radio.slots
    air.mustBeHeardAgain(on: session.adapter)
    let (least, total) = (leastScanTime, radio.scanTime.total(at: now))
    for place in rooms.places([.queued]) { rooms.leave(place, session.adapter) }
    for place in reach.keys { reach[place]?[session.adapter] = nil }
    for place in rooms.places([.proving]) {
      guard case .proving(var state) = rooms[place].state, state.adapter == session.adapter else { continue }
      (state.adapter, state.limit) = (nil, least + max(state.limit - total, .zero))
      rooms.update(place, .proving(state))
      timers.orphans.insert(Due(at: state.limit, room: place))
    }
    presence.mayHaveChanged = true
    isDirty = true
  }

  // MARK: Other programs

  /// Notes whether another program scans with an adapter in use, and finds out once which one that is.
  private mutating func noteForeignScan(on adapter: Adapter, _ session: RadioSession) {
    guard let index = index(of: session) else { return }
    radios[index].isShared = adapter.isScannedByOthers
    guard adapter.isScannedByOthers, histories[adapter.id]?.isForeignScanNoted == false else { return }
    histories[adapter.id]?.isForeignScanNoted = true
    perform(.askScanningClients(session))
  }

  // MARK: Links of an earlier run

  /// Ends links that a killed run left behind: a connected sensor does not advertise. Only devices that a room names or has
  /// on record, or that have the service of one of our families, may be let go.
  mutating func release(_ peripherals: [ConnectedPeripheral]?, in session: RadioSession) {
    let isCurrent = !isStopping && index(of: session) != nil
    let left = isCurrent ? (peripherals ?? []).filter(isLeftBehind).map(\.address) : []
    if left.isEmpty {
      presence.releasing.remove(session)
    } else {
      perform(.releaseLinks(left, session))
    }
  }

  private func isLeftBehind(_ peripheral: ConnectedPeripheral) -> Bool {
    // A link of this run may be there still when its adapter comes back.
    if let place = rooms.owner(of: peripheral.address), rooms[place].state.kind.isEngaged { return false }
    let known = request.known
    let isElsewhere = request.building.rooms.contains {
      $0.isRegistered && known.device(of: $0)?.address == peripheral.address
    }
    guard !isElsewhere else { return false }
    let isNamed =
      known.standing.claimed.contains(peripheral.address)
      || request.building.rooms.contains { $0.address == peripheral.address }
    let services = DeviceProfiles.all.filter { !$0.isServiceShared }.map(\.service)
    return isNamed || !Set(services).isDisjoint(with: peripheral.serviceUUIDs)
  }

  // MARK: Which adapters

  func index(of adapter: AdapterID) -> Int? { radios.firstIndex { $0.id == adapter } }

  /// The place of an adapter in its present session; nil when the session is over.
  func index(of session: RadioSession) -> Int? { radios.firstIndex { $0.session == session } }

  private func isUsable(_ adapter: Adapter) -> Bool {
    adapter.state == .ready && request.wants(adapter) && histories[adapter.id]?.health.isGivenUp != true
  }

  private func isHeld(_ adapter: AdapterID) -> Bool { histories[adapter]?.health.isHeld(at: now) == true }

  /// When an adapter that refused to scan may next be used; nil when there is none.
  private var adapterDueAt: MonotonicInstant? {
    histories.filter { index(of: $0.key) == nil && !$0.value.health.isGivenUp }
      .compactMap(\.value.health.heldUntil).min()
  }

  /// When something is to be done about adapters at the latest.
  var presenceWake: MonotonicInstant? {
    [adapterDueAt, presence.wait?.until].compactMap(\.self).min()
  }

  /// How long every adapter has scanned at least.
  var leastScanTime: Duration { radios.map { $0.scanTime.total(at: now) }.min() ?? scanned }
}
