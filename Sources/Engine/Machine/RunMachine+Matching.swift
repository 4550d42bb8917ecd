import Bluetooth
import Model
import HeapModule

/// Rooms that a person is asked about, and what matching said of them and of those matched with them.
struct PendingConfirmation: Sendable {
  let places: [Int]
  let matches: [RoomID: Match]
}

/// From what was heard and what is on record to what is done for each room.
extension RunMachine {
  /// How often a run that watches matches rooms without a device.
  private static let matchInterval = Duration.seconds(2)

  /// Which device belongs to which of these rooms, by all that is known now.
  func matches(of places: [Int]) -> [RoomID: Match] {
    match(
      places.map { rooms[$0].room }, of: request.building, with: air, request.known, nearby: nearby,
      taken: rooms.given, now: now)
  }

  /// Joins rooms and devices by what was heard and what is on record, and holds that against the plan. Where the run only
  /// plans, this is its end.
  mutating func bind() {
    let matches = matches(of: Array(rooms.indices))
    if goal == .plan {
      plan = ApplyPlan(request, matches, heardIn: air)
      return endWhatIsUnderWay()
    }
    if let plan = request.plan {
      let differences = plan.differences(from: ApplyPlan(request, matches))
      if !differences.isEmpty { return stop(.refused(.plan(differences))) }
    }
    phase = .provisioning
    settle(Array(rooms.indices), matches)
  }

  /// When rooms without a device are matched next; nil when there are none.
  var matchesAgainAt: MonotonicInstant? {
    guard rooms.count(.open) > 0, confirmation == nil else { return nil }
    return (matchedAt ?? now).advanced(by: Self.matchInterval)
  }

  /// Joins rooms that had no device with those that came since.
  mutating func matchAgain() {
    guard let due = matchesAgainAt, due <= now else { return }
    let open = rooms.places([.open])
    settle(open, matches(of: open))
  }

  /// Does what follows from matches, after a person agreed where one must.
  private mutating func settle(_ places: [Int], _ matches: [RoomID: Match]) {
    matchedAt = now
    isDirty = true
    let proposals = places.compactMap { place -> ProposedBinding? in
      let room = rooms[place].room
      guard case .device(let address, .any)? = matches[room.id] else { return nil }
      return ProposedBinding(room: room, address: address, rssi: air[address]?.rssi)
    }
    guard !proposals.isEmpty else { return settle(places, matches, isConfirmed: true) }
    confirmation = PendingConfirmation(places: places, matches: matches)
    perform(.confirm(proposals))
  }

  /// A person has answered.
  mutating func confirmed(_ isConfirmed: Bool) {
    guard let pending = confirmation, !isEnding else { return }
    confirmation = nil
    matchedAt = now
    settle(pending.places, pending.matches, isConfirmed: isConfirmed)
  }

  private mutating func settle(_ places: [Int], _ matches: [RoomID: Match], isConfirmed: Bool) {
    var begun: [(place: Int, work: RoomWork)] = []
    // A room may have been ended while a person was asked.
    for place in places where rooms[place].state.kind == .unmatched || rooms[place].state.kind == .open {
      let room = rooms[place].room
      switch matches[room.id] {
      case .stopped(let outcome, let reason)? where request.isWatching && reason.code.mayGetADevice:
        rooms.move(place, to: .leftOpen(outcome, reason))
      case .device(_, .any)? where !isConfirmed:
        finish(place, .pending, reason: .notConfirmed)
      case .device(let address, let basis)?:
        var work = RoomWork(room: room, address: address, basis: basis)
        work.mayBeDone = request.known.deed(for: room, at: address)?.state == .submitted
        begun.append((place, work))
      case .done(let evidence, let settings)?:
        finishDone(place, evidence, settings)
      case .awaited?:
        expect(place)
      case .stopped(.needsHands, let reason)? where reason.code.endsInProvisioningMode && !room.isRegistered:
        // Somebody may see to it while the run goes on.
        rooms.move(place, to: .parked(reason))
        record(.actionRequired(ActionRequired(room: room.id, reason: reason)))
        if let device = request.known.device(of: room) { rooms.own(device.address, by: place) }
      case .stopped(let outcome, let reason)?:
        finish(place, outcome, reason: reason)
      case nil:
        preconditionFailure("matching left out a room: \(room.id)")
      }
    }
    begin(begun)
  }

  /// Ends a room whose device is at work as wanted. The device is the room's from now on, also one that this run does not
  /// write.
  private mutating func finishDone(_ place: Int, _ evidence: Evidence, _ settings: [SettingResult]) {
    let room = rooms[place].room
    if let device = request.known.device(of: room) {
      recordBinding(of: room.id, to: device.address, device.basis)
    }
    finish(place, .alreadyProvisioned, evidence: evidence, settings: settings)
  }

  // MARK: Rooms that wait for their device to be heard

  /// A room whose device was configured elsewhere, and was not heard yet.
  private mutating func expect(_ place: Int) {
    let room = rooms[place].room
    if let device = request.known.device(of: room) { rooms.own(device.address, by: place) }
    // Half the scan time of devices that have yet to be connected to.
    let limit = leastScanTime + room.timeouts.search
    rooms.move(place, to: .awaiting(silenceLimit: limit))
    if !request.isWatching { timers.silences.insert(Due(at: limit, room: place)) }
  }

  /// Ends a room whose device was configured elsewhere, if what was heard decides.
  mutating func finishRegistered(_ place: Int) {
    switch registration(of: rooms[place].room, air, request.known) {
    case .done(let evidence, let settings): finishDone(place, evidence, settings)
    case .stopped(let outcome, let reason): finish(place, outcome, reason: reason)
    case .awaited, .device: break
    }
  }

  /// Begins a parked room whose device is heard in provisioning mode now.
  mutating func takeUp(_ place: Int) {
    let room = rooms[place].room
    guard let device = request.known.device(of: room), air[device.address]?.isWaiting == true,
      obstacle(to: room, at: device.address, air, request.known) == nil
    else { return }
    begin([(place, RoomWork(room: room, address: device.address, basis: device.basis))])
  }

  // MARK: Bindings

  /// Puts on record that this room has this device, unless that is there already, and before it that whatever
  /// contradicts it does so no longer: the request was checked to allow that.
  mutating func recordBinding(of room: RoomID, to address: BluetoothAddress, _ basis: BindingBasis) {
    let standing = request.known.standing
    let bound = standing.rooms[room]?.bindings.map(\.address) ?? []
    for old in bound.sorted() where old != address {
      record(.bindingReleased(.init(room: room, address: old, cause: .rebound)))
    }
    for other in standing.owners(of: address) where other != room {
      record(.bindingReleased(.init(room: other, address: address, cause: .rebound)))
    }
    if bound != [address] || standing.owners(of: address) != [room] || standing.retired[address] != nil {
      record(.bindingCommitted(.init(room: room, address: address, basis: basis)))
    }
  }
}

extension FailureReason.Code {
  /// Whether a device that is put into provisioning mode is no longer kept by this.
  fileprivate var endsInProvisioningMode: Bool { self == .settingsChanged || self == .configuredOtherwise }

  /// Whether a room without a device may get one by what is yet to be heard.
  fileprivate var mayGetADevice: Bool {
    switch self {
    case .noCandidate, .tooManyCandidates, .notClearlyNearest, .notNear, .heardTooBriefly, .adapterMissing:
      true
    default: false
    }
  }
}
