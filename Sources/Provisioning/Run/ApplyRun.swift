public import Bluetooth

/// How a run ended.
public struct ApplyResult: Hashable, Sendable {
  /// As a whole.
  public var outcome: RunOutcome
  /// The outcome of every selected room, in the manifest's order. Empty only when the record failed before the first.
  public var rooms: [RoomFinished]
  /// What could not be recorded, if anything.
  public var recordFailure: RecordFailure?
  /// Why the radio could not be used (any more), if that ended the run.
  public var radioFailure: CentralError?
  /// Why nothing was begun, if a condition of the run was not met.
  public var refusal: RunRefusal?
}

/// Why a run was not begun.
public enum RunRefusal: Hashable, Sendable {
  /// What would be done is not what the plan says: room by room.
  case plan([PlanDifference])
  /// Another run works with the adapter; in words, who and since when.
  case adapterClaimed(adapter: String, by: String)
}

/// Carries out a run: waits for an adapter, listens, decides which device belongs to which room, provisions
/// as many at once as the adapters can, and gives every selected room exactly one outcome. Everything that happens goes through
/// `coordinator`, whose `run()` this function takes care of.
///
/// It is stopped through `ApplyEnvironment.interruptions`, not by cancelling its task: it then ends the
/// attempt in hand, takes its link down, and gives the rooms that are left their outcome.
public func apply(
  _ request: ApplyRequest, in environment: ApplyEnvironment, recording coordinator: Coordinator
) async -> ApplyResult {
  let run = ApplyRun(request: request, environment: environment, coordinator: coordinator)
  return await withTaskGroup(of: Void.self) { services in
    services.addTask { await coordinator.run() }
    services.addTask { await run.teardown.run() }
    let result = await run.carryOut()
    await run.teardown.finish()
    coordinator.finish()
    await services.waitForAll()
    return result
  }
}

/// Why a run stops before everything is tried.
enum Stop: Error, Hashable, Sendable {
  case interrupted
  case record(RecordFailure)
  case radio(CentralError)
  case refused(RunRefusal)
}

/// The thin shell around matching and schedule: runs their decisions on the radio.
actor ApplyRun {
  let request: ApplyRequest
  let environment: ApplyEnvironment
  let coordinator: Coordinator
  let teardown = Teardown()
  /// Of all rooms: a device may quote what an earlier run told it for another.
  let redactor: Redactor
  /// The rooms to be worked on, in the manifest's order.
  let rooms: [Room]
  private let roomsByID: [RoomID: Room]
  /// The devices that rooms have, by the manifest or the record.
  let devicesOfRooms: Set<BluetoothAddress>

  var clock: any TimeSource { environment.clock }
  var central: any Central { environment.central }

  /// The adapters in use, each with its present session.
  var radios: [AdapterID: RadioSession] = [:]
  /// How each adapter has been doing over its sessions.
  var health: [AdapterID: AdapterHealth] = [:]
  /// When the stack or the bus was last found to be gone.
  var stackLostAt: MonotonicInstant?
  /// The adapters that are being switched off and on by this run.
  var powerCycling: Set<AdapterID> = []
  /// Whether the run surveys: nothing is decided yet.
  var isSurveying = false
  /// Whether which adapters there are is to be found out again.
  var adaptersMayHaveChanged = false
  /// Everything heard so far.
  var air: AirLedger
  /// What is left to do.
  var schedule: Schedule
  /// Wakes the run when there may be something to do.
  let bell = Bell()
  /// Which rooms go first.
  var canaries: Canaries
  /// When the rooms without a device were last held against what is heard.
  var matchedAt: MonotonicInstant?
  /// Why the run is to stop early, once it is.
  var stop: Stop?
  /// The scan windows that are open.
  var windows: [RadioSession: ScanWindow] = [:]
  /// Judge the devices whose proof is awaited.
  var proofs = ProofsInHand()
  /// What is known of each room's work.
  var works: [RoomID: RoomWork] = [:]
  /// What adapters that went away remember of this run.
  var leftovers = Leftovers()
  /// The adapters that rooms are near.
  var nearby = NearbyAdapters()
  /// Rooms that wait for their device to be heard, as it is wanted.
  var waiting = WaitingRooms()
  /// Told when this host paused in the middle of a conversation.
  var conversationsPaused: [RoomID: AsyncStream<Void>.Continuation] = [:]
  /// How many failed attempts are being judged: whether they were the host's doing shows a little later.
  var judging = 0
  /// Adapters that another program was found to scan with.
  var foreignScans: Set<AdapterID> = []
  /// How many rooms were tried in vain.
  var failures = 0
  /// Outcomes so far.
  var outcomes: [RoomID: RoomFinished] = [:]

  init(request: ApplyRequest, environment: ApplyEnvironment, coordinator: Coordinator) {
    self.request = request
    self.environment = environment
    self.coordinator = coordinator
    redactor = Redactor(request.building.rooms.flatMap(\.secrets))
    let rooms = request.rooms
    self.rooms = rooms
    roomsByID = Dictionary(uniqueKeysWithValues: rooms.map { ($0.id, $0) })
    devicesOfRooms = Set(request.building.rooms.compactMap { request.known.device(of: $0)?.address })
    let identities = rooms.compactMap { room -> BeaconIdentity? in
      if case .beacon(let identity) = proof(of: room) { identity } else { nil }
    }
    air = AirLedger(profiles: DeviceProfiles.all, wanted: Set(identities))
    schedule = Schedule(parallel: request.parallel, isWatching: request.isWatching)
    canaries = Canaries(perNetwork: request.canaries)
  }

  /// A room that is to be worked on.
  func room(_ id: RoomID) -> Room {
    guard let room = roomsByID[id] else { preconditionFailure("a room that is not worked on: \(id)") }
    return room
  }

  /// The whole run, with the watch for interruptions beside it. The work itself says how it ended; an
  /// interruption only cancels it, so that a run that was done all the same is done.
  func carryOut() async -> ApplyResult {
    let stop = await withTaskGroup(of: Ended.self) { group in
      group.addTask { .work(await self.workUntilStopped()) }
      group.addTask { [interruptions = environment.interruptions] in
        for await _ in interruptions { return .interruptions(wantStop: true) }
        return .interruptions(wantStop: false)
      }
      group.addTask {
        await self.followPauses()
        return .pauses
      }
      for await ended in group {
        switch ended {
        case .pauses:
          break
        case .work(let stop):
          group.cancelAll()
          return stop
        case .interruptions(let wantStop):
          if wantStop { group.cancelAll() }
        }
      }
      preconditionFailure("a run without work")
    }
    return await conclude(stop)
  }

  private enum Ended: Sendable {
    case work(Stop?)
    case interruptions(wantStop: Bool)
    case pauses
  }

  private func workUntilStopped() async -> Stop? {
    do throws(Stop) {
      try await work()
      return nil
    } catch {
      return error
    }
  }

  private func work() async throws(Stop) {
    try await commit(.runStarted(request.started))
    try await selectAdapters()
    if let stop = await carryOut(.survey) { throw stop }
    try await bind()
    if let stop = await carryOut(.provisioning) { throw stop }
  }

  /// Takes a room's device up into the schedule. One that the record has advertising more rarely than the room wants
  /// it to is given the time for that, and afterwards, too, if the room does not say how often.
  func undertake(_ work: RoomWork) {
    var work = work
    let profile = profile(of: work.room)
    if let recorded = request.known.deed(for: work.room, at: work.address)?.values(profile) {
      let usual = profile.timeouts(for: work.room.settings)
      let now = profile.timeouts(for: recorded)
      let afterwards = profile.timeouts(for: recorded.merging(work.room.settings) { $1 })
      for (stage, needed) in [(Stage.search, now), (.connect, now), (.verify, afterwards)]
      where needed[stage] > usual[stage] {
        work.room.timeouts[stage] = max(work.room.timeouts[stage], needed[stage])
      }
    }
    works[work.room.id] = work
    let firstCall = profile.answersWithin
    schedule.add(
      Schedule.Job(
        room: work.room.id, address: work.address,
        approach: profile.searchesItself ? .searched : .dialled(firstCall: firstCall),
        retries: work.room.retries, search: work.room.timeouts.search), at: clock.now)
    for (adapter, hearing) in air[work.address]?.hearings ?? [:] {
      _ = schedule.heard(work.address, on: adapter, rssi: hearing.rssi, at: hearing.at)
    }
  }

  /// Puts a fact on record and waits for the disk.
  func commit(_ fact: Fact) async throws(Stop) {
    do throws(RecordFailure) {
      try await coordinator.commit(fact)
    } catch {
      throw .record(error)
    }
  }

  /// Which device belongs to which of these rooms, by all that is known now.
  func matches(of rooms: [Room]) -> [RoomID: Match] {
    match(
      rooms, of: request.building, with: air, request.known, nearby: nearby,
      taken: Set(works.values.map(\.address)).union(canaries.held.map(\.address)), now: clock.now)
  }

  /// Joins rooms and devices by what was heard and what is on record, holds that against the plan, asks where a
  /// person must agree, and fills the schedule.
  private func bind() async throws(Stop) {
    let matches = matches(of: rooms)
    if let plan = request.plan {
      let differences = plan.differences(from: ApplyPlan(request, matches))
      if !differences.isEmpty { throw .refused(.plan(differences)) }
    }
    try await settle(rooms, matches)
  }

  /// Does what follows from matches: asks where a person must agree, fills the schedule, and ends rooms for which
  /// nothing can be done.
  func settle(_ rooms: [Room], _ matches: [RoomID: Match]) async throws(Stop) {
    matchedAt = clock.now
    let proposals = rooms.compactMap { room -> ProposedBinding? in
      guard case .device(let address, .any)? = matches[room.id] else { return nil }
      return ProposedBinding(room: room, address: address, rssi: air[address]?.rssi)
    }
    let isConfirmed = proposals.isEmpty ? true : await environment.confirm(proposals)
    if Task.isCancelled { throw .interrupted }
    var begun: [RoomWork] = []
    for room in rooms {
      if case .stopped(let outcome, let reason)? = matches[room.id], request.isWatching,
        reason.code.endsWithNews
      {
        waiting.leaveOpen(room.id, outcome, reason)
        continue
      }
      waiting.end(room.id)
      switch matches[room.id] {
      case .device(_, .any)? where !isConfirmed:
        try await finish(room, .pending, reason: FailureReason(.notConfirmed))
      case .device(let address, let basis)?:
        var work = RoomWork(room: room, address: address, basis: basis)
        work.mayBeDone = request.known.deed(for: room, at: address)?.state == .submitted
        begun.append(work)
      case .done(let evidence, let settings)?:
        // Also of a device that this run does not write: it is the room's from now on.
        if let device = request.known.device(of: room) {
          try await commitBinding(of: room.id, to: device.address, device.basis)
        }
        try await finish(room, .alreadyProvisioned, evidence: evidence, settings: settings)
      case .awaited?:
        expect(room)
      case .stopped(.needsHands, let reason)? where reason.code.endsWithTheButton && !room.isRegistered:
        // Somebody may see to it while the run goes on.
        park(room, reason)
      case .stopped(let outcome, let reason)?:
        try await finish(room, outcome, reason: reason)
      case nil:
        preconditionFailure("matching left out a room: \(room.id)")
      }
    }
    try await begin(begun)
  }
}

extension FailureReason.Code {
  /// Whether a device that is put into provisioning mode is no longer kept by this.
  var endsWithTheButton: Bool { self == .settingsChanged || self == .configuredOtherwise }

  /// Whether a room without a device may get one by what is yet to be heard.
  var endsWithNews: Bool {
    switch self {
    case .noCandidate, .tooManyCandidates, .notClearlyNearest, .notNear, .heardTooBriefly, .adapterMissing:
      true
    default: false
    }
  }
}

/// What is known of a room's work.
struct RoomWork: Sendable {
  var room: Room
  let address: BluetoothAddress
  let basis: BindingBasis
  /// Whether the binding is on record.
  var isBound = false
  /// Whether an earlier run submitted a save to it of which nobody knows what came.
  var mayBeDone = false
  /// When its first attempt began.
  var began: MonotonicInstant?
  /// Attempts begun.
  var attempts = 0
  /// Attempts that failed, but for those in which nothing was sent.
  var failedAttempts = 0
  /// The adapter last used.
  var adapter: AdapterID?
  /// Settings confirmed in the last attempt.
  var written: Set<SettingName> = []
  /// Settings that the device was read to hold in the last attempt.
  var readBack: Set<SettingName> = []
  /// Whether the device held everything already when it was read, and was left alone.
  var isUnchanged = false
  /// Whether an attempt of this run began to change the device.
  var wasTouched = false
  /// When the last save was submitted, if one was.
  var submittedAt: MonotonicInstant?
  /// What the device itself said to its last save.
  var acknowledgement: Evidence?
  /// Why the last attempt failed.
  var lastFailure: FailureReason?
}
