import Bluetooth
import Families
import Model
import HeapModule

/// Every decision of a run: what is scanned, connected to, written, tried again and given up, and how each room ends. A
/// pure value: it takes inputs and returns effects; it has no clock, no tasks and no IO. The shell around it
/// (`RunShell`) carries out what it says and decides nothing.
///
/// Each room is in one `RoomState`, each adapter in use in one `RadioState`. An input that belongs to an earlier session of
/// an adapter, or to an earlier attempt, is dropped by comparison.
struct RunMachine: Sendable {
  /// What a run is for.
  enum Goal: Hashable, Sendable {
    /// To provision.
    case apply
    /// To say what `apply` would do: the run ends after matching.
    case plan
  }

  /// What the run does as a whole.
  enum Phase: Sendable {
    /// It finds out which devices there are.
    case surveying(Survey)
    /// It waits until its scan windows are closed, to match then.
    case closingSurvey
    /// It works on the rooms.
    case provisioning
    /// It was asked to stop: no new attempt starts, attempts in flight go on until then at most.
    case draining(until: MonotonicInstant)
    /// It ends what it has begun.
    case stopping
    /// The stack is forgetting what it could not before.
    case concluding
    /// Nothing is left to be done.
    case ended
  }

  let request: ApplyRequest
  let goal: Goal
  let retryPolicy = RetryPolicy()
  let connectPolicy = ConnectPolicy()
  /// A number in 0…1 by chance, for jitter.
  let chance: @Sendable () -> Double

  /// The instant of the current input.
  private(set) var now = MonotonicInstant(sinceZero: .zero)
  /// The effects of the current input so far.
  private var effects: [RunEffect] = []
  var phase = Phase.surveying(Survey())
  /// Why the run is to stop early, once it is.
  var stop: Stop?
  /// Whether the operator paused the run: no new attempt starts.
  var isPaused = false

  /// The devices that rooms of the building have, by the manifest or the record.
  let devicesOfRooms: Set<BluetoothAddress>
  /// The rooms to be worked on, in the manifest's order. Elsewhere a room is its place in here.
  var rooms: RoomTable
  /// Everything heard so far.
  var air: AirLedger
  /// The adapters in use, by identity.
  var radios: [Radio] = []
  /// What is known of each adapter over all its sessions.
  var histories: [AdapterID: AdapterHistory] = [:]
  /// The scan windows that have not ended yet, also of sessions that are over.
  var windows: [RadioSession: ListeningPurpose] = [:]
  /// Counts the sessions of all adapters.
  var sessions = 0
  /// The scan time at which the survey began, or began anew.
  var surveySince = Duration.zero
  /// The limits that adapters are used within.
  let limits: RadioLimits
  /// Which adapters there are, and what is being found out about them.
  var presence = AdapterPresence()
  /// The adapters that rooms are near.
  var nearby = NearbyAdapters()
  /// RSSI in dBm on each adapter, in its present session, that ever heard the device of a room whose own session searches it.
  var reach: [Int: [AdapterID: Int]] = [:]
  /// What adapters that went away remember of this run.
  var leftovers = Leftovers()
  /// Which rooms may begin.
  var admission: Admission
  /// What the run would do, where it only plans.
  var plan: ApplyPlan?
  /// Rooms that a person is asked about.
  var confirmation: PendingConfirmation?
  /// When the rooms without a device were last matched.
  var matchedAt: MonotonicInstant?
  /// What falls due at an instant, and by scan time.
  var timers = RoomTimers()
  /// The scan time that all later ones go on from: every adapter had scanned this long when the last session ended.
  var scanned = Duration.zero
  /// When the stack or the bus was last found to be gone.
  var stackLostAt: MonotonicInstant?
  /// Whether it is on record that more devices were heard than are kept.
  var isOverflowNoted = false
  /// Whether a decision was made that others may follow from.
  var isDirty = false

  init(
    _ request: ApplyRequest, goal: Goal = .apply, limits: RadioLimits = .standard,
    chance: @escaping @Sendable () -> Double
  ) {
    self.limits = limits
    self.request = request
    self.goal = goal
    self.chance = chance
    devicesOfRooms = Set(request.building.rooms.compactMap { request.known.device(of: $0)?.address })
    rooms = RoomTable(request.rooms)
    air = AirLedger(
      profiles: DeviceProfiles.expecting(request.building.rooms), wanted: Set(rooms.identities),
      named: devicesOfRooms)
    admission = Admission(perNetwork: request.canaries, failureLimit: request.failureLimit)
  }

  /// Takes in what happened, and says what is to be done. Inputs come in the order of their instants.
  mutating func handle(_ input: RunInput, at now: MonotonicInstant) -> [RunEffect] {
    guard !isEnded else { return [] }
    self.now = now
    if take(input) { advance() }
    defer { effects = [] }
    return effects
  }

  /// Has something done.
  mutating func perform(_ effect: RunEffect) { effects.append(effect) }

  /// Puts a fact on record.
  mutating func record(_ fact: Fact) { effects.append(.record(fact)) }

  /// Whether the run is over.
  var isEnded: Bool { if case .ended = phase { true } else { false } }

  /// Whether the run only ends what it has begun.
  var isStopping: Bool {
    switch phase {
    case .stopping, .concluding, .ended: true
    case .surveying, .closingSurvey, .provisioning, .draining: false
    }
  }

  /// Whether the run surveys.
  var isSurveying: Bool { if case .surveying = phase { true } else { false } }

  // MARK: Inputs

  /// Takes in what happened. Returns whether decisions may follow.
  private mutating func take(_ input: RunInput) -> Bool {
    switch input {
    case .started: begin()
    case .adaptersChanged: presence.mayHaveChanged = true
    case .adapterChangesEnded: presence.isWatchEnded = true
    case .adapters(let result): take(adapters: result)
    case .claimed(let adapter, let claim, let stack, let hardware):
      take(claim, of: adapter, stack: stack, hardware)
    case .connectedPeripherals(let peripherals, let session): release(peripherals, in: session)
    case .linkReleased(let address, let session):
      record(.linkReleased(.init(address: address, adapter: session.adapter)))
      return false
    case .linksReleased(let session): presence.releasing.remove(session)
    case .scanningClients(let clients, let session):
      record(.foreignScanDetected(.init(adapter: session.adapter, clients: clients)))
      return false
    case .scanBegan(let session): scanBegan(in: session)
    case .heard(let advertisement, let session): return hear(advertisement, in: session)
    case .scanEnded(let failure, let session): scanEnded(in: session, failure)
    case .powerCycled(let fault, let session): powerCycled(session, fault)
    case .action(let instant, let attempt): begin(attempt, action: instant)
    case .connected(let attempt): connected(attempt)
    case .sessionEnded(let report, let attempt): sessionEnded(attempt, report)
    case .linkEnded(let attempt): linkEnded(attempt)
    case .takenDown(let isForgotten, let attempt): takenDown(attempt, isForgotten: isForgotten)
    case .forgotten(let address, let adapter):
      leftovers.remove(address, on: adapter)
      return false
    case .leftoversForgotten: conclude()
    case .confirmed(let isConfirmed): confirmed(isConfirmed)
    case .judged(let isApproved): judged(isApproved)
    case .hostPaused(let pause): hostPaused(pause)
    case .requested(let request): take(request)
    case .recordFailed(let failure): stop(.record(failure))
    case .timePassed: break
    }
    return true
  }

  private mutating func begin() {
    if goal == .apply { record(.runStarted(request.started)) }
    beginSurvey()
    awaitAdapter()
  }

  // MARK: Decisions

  /// Decides what follows from the state of things, until nothing more does.
  private mutating func advance() {
    repeat {
      isDirty = false
      endWhatIsDue()
      lookAfterAdapters()
      switch phase {
      case .surveying(let survey): proceed(with: survey)
      case .closingSurvey: matchIfSurveyIsClosed()
      case .provisioning: provision()
      case .draining(let end): drain(until: end)
      case .stopping: concludeIfNothingIsUnderWay()
      case .concluding, .ended: return
      }
      if !isStopping { useRadios() }
    } while isDirty
  }

  /// When the machine is to be told that time has passed, if nothing happens before; nil when only inputs can tell.
  var wake: MonotonicInstant? {
    guard !isStopping else { return nil }
    return [radioWake, presenceWake, phaseWake].compactMap(\.self).filter { $0 > now }.min()
  }
}

/// Why a run stops before everything is tried.
enum Stop: Error, Hashable, Sendable {
  case interrupted
  case record(RecordFailure)
  case radio(CentralError)
  case refused(RunRefusal)
}
