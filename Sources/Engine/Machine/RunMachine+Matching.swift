import Bluetooth
import Model
import HeapModule

/// What matching leaves for later inputs.
struct MatchingState: Sendable {
  var nearby = NearbyAdapters()
  var matchedAt: MonotonicInstant?
  /// The rooms that the operator is asked about, with their matches; nil without a pending question.
  var question: (places: [Int], matches: [RoomID: Match])?
  /// The result of a run that only plans.
  var plan: ApplyPlan?
}

/// Matching: from advertisements and the record to the next step of each room.
extension RunMachine {
  /// How often a watching run matches rooms without a device.
  private static let matchInterval = Duration.seconds(2)

  /// Which device belongs to which of these rooms, by everything known now.
  func matches(of places: [Int]) -> [RoomID: Match] {
    match(
      places.map { rooms[$0].room }, of: request.building, with: air, request.known, nearby: matching.nearby,
      taken: rooms.given, now: now)
  }

  /// Matches all rooms, and compares the result with the plan. A run that only plans ends here.
  mutating func bind() {
    let matches = matches(of: Array(rooms.indices))
    if goal == .plan {
      matching.plan = ApplyPlan(request, matches, receivedIn: air)
      return endWhatIsUnderWay()
    }
    if let plan = request.plan {
      let differences = plan.differences(from: ApplyPlan(request, matches))
      if !differences.isEmpty { return stop(.refused(.plan(differences))) }
    }
    course.phase = .provisioning
    settle(Array(rooms.indices), matches)
  }

  /// When rooms without a device are matched next; nil when there are none.
  var matchesAgainAt: MonotonicInstant? {
    guard rooms.count(.open) > 0, matching.question == nil else { return nil }
    return (matching.matchedAt ?? now).advanced(by: Self.matchInterval)
  }

  /// Matches the rooms without a device again.
  mutating func matchAgain() {
    guard let due = matchesAgainAt, due <= now else { return }
    let open = rooms.places([.open])
    settle(open, matches(of: open))
  }

  /// Applies matches. Those that are suggested by what was received need the operator's consent first.
  private mutating func settle(_ places: [Int], _ matches: [RoomID: Match]) {
    matching.matchedAt = now
    isDirty = true
    let proposals = places.compactMap { place -> ProposedBinding? in
      let room = rooms[place].room
      guard case .device(let address, let basis)? = matches[room.id], basis.needsConsent else { return nil }
      return ProposedBinding(room: room, address: address, rssi: air[address]?.rssi)
    }
    guard !proposals.isEmpty else { return settle(places, matches, nil) }
    matching.question = (places, matches)
    perform(.confirm(proposals))
  }

  /// Takes the operator's consent; nil for a refusal.
  mutating func confirmed(_ consent: Consent?) {
    guard let pending = matching.question, !course.isEnding else { return }
    matching.question = nil
    settle(pending.places, pending.matches, consent)
  }

  private mutating func settle(_ places: [Int], _ matches: [RoomID: Match], _ consent: Consent?) {
    var begun: [(place: Int, work: RoomWork)] = []
    // A room may have ended while the question was pending.
    for place in places where rooms[place].state.kind == .unmatched || rooms[place].state.kind == .open {
      let room = rooms[place].room
      switch matches[room.id] {
      case .stopped(let outcome, let reason)? where request.isWatching && reason.trait == .mayGetADevice:
        rooms.move(place, to: .leftOpen(outcome, reason))
      case .device(_, let basis)? where basis.needsConsent && consent == nil:
        finish(place, .pending, reason: .notConfirmed)
      case .device(let address, let basis)?:
        let work = RoomWork(
          room: room, address: address, basis: basis, consent: basis.needsConsent ? consent : nil)
        begun.append((place, work))
      case .done(let evidence, let settings)?:
        finishDone(place, evidence, settings)
      case .awaited?:
        expect(place)
      case .stopped(let outcome, let reason)?
      where reason.trait == .endsInProvisioningMode && !room.isRegistered:
        // The operator may resolve it during the run.
        rooms.move(place, to: .awaitingOperator(outcome, reason))
        record(.operatorAwaited(OperatorAwaited(room: room.id, reason: reason)))
        if let device = request.known.device(of: room) { rooms.own(device.address, by: place) }
      case .stopped(let outcome, let reason)?:
        finish(place, outcome, reason: reason)
      case nil:
        preconditionFailure("matching returned no result for room \(room.id)")
      }
    }
    begin(begun)
  }

  /// Ends a room whose device is already provisioned. The record gets the binding, also for a device that
  /// this run does not write.
  private mutating func finishDone(_ place: Int, _ evidence: Evidence, _ settings: [SettingResult]) {
    let room = rooms[place].room
    if let device = request.known.device(of: room) {
      recordBinding(of: room.id, to: device.address, device.basis)
    }
    finish(place, .alreadyProvisioned, evidence: evidence, settings: settings)
  }

  // MARK: Rooms that wait for a sighting of their device

  /// Waits for the device of a room that was configured elsewhere and not received yet.
  private mutating func expect(_ place: Int) {
    let room = rooms[place].room
    if let device = request.known.device(of: room) { rooms.own(device.address, by: place) }
    // Half the scan time that a device gets before its first connection.
    let limit = leastScanTime + room.timeouts.search
    rooms.move(place, to: .awaited)
    if !request.isWatching { rooms.timers.silences.insert(Due(at: limit, room: place)) }
  }

  /// Ends a room whose device was configured elsewhere, if the advertisements decide.
  mutating func finishRegistered(_ place: Int) {
    switch registration(of: rooms[place].room, air, request.known) {
    case .done(let evidence, let settings): finishDone(place, evidence, settings)
    case .stopped(let outcome, let reason): finish(place, outcome, reason: reason)
    case .awaited, .device: break
    }
  }

  /// Begins a parked room whose device is now received in provisioning mode.
  mutating func takeUp(_ place: Int) {
    let room = rooms[place].room
    guard let device = request.known.device(of: room), air[device.address]?.isWaiting == true,
      blocker(to: room, at: device.address, air, request.known) == nil
    else { return }
    begin([(place, RoomWork(room: room, address: device.address, basis: device.basis))])
  }

  // MARK: Bindings

  /// Records that this room has this device, unless the record has that already. Bindings that contradict it
  /// are released first: the check of the request permitted that.
  mutating func recordBinding(
    of room: RoomID, to address: BluetoothAddress, _ basis: BindingBasis, _ consent: Consent? = nil
  ) {
    let lastKnown = request.known.lastKnown
    let bound = lastKnown.rooms[room]?.bindings.map(\.address) ?? []
    for old in bound.sorted() where old != address {
      record(.bindingReleased(.init(room: room, address: old, cause: .rebound)))
    }
    let owners = request.known.owners[address] ?? []
    for other in owners where other != room {
      record(.bindingReleased(.init(room: other, address: address, cause: .rebound)))
    }
    if bound != [address] || owners != [room] || lastKnown.retired[address] != nil {
      record(.bindingCommitted(.init(room: room, address: address, basis: basis, consent: consent)))
    }
  }
}
