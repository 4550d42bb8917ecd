import Bluetooth
import Model

/// All decisions of a run: what is scanned, connected to, written, retried and given up, and how each room
/// ends. A pure value: it takes inputs and returns effects; it has no clock, no tasks and no IO. The shell
/// around it (`RunShell`) performs the effects and decides nothing.
///
/// Each room is in one `RoomState`, each adapter in use in one `RadioState`. An input of an earlier session
/// of an adapter, or of an earlier attempt, is recognised by its id and dropped.
struct RunMachine: Sendable {
  enum Goal: Hashable, Sendable {
    case apply
    /// Determines what `apply` would do: the run ends after matching.
    case plan
  }

  let request: ApplyRequest
  let goal: Goal
  /// A random number in 0…1, for jitter.
  let chance: @Sendable () -> Double

  private(set) var now = MonotonicInstant(sinceZero: .zero)
  /// The effects of the current input so far.
  private var effects: [RunEffect] = []
  var course = RunCourse()

  /// The selected rooms, in the manifest's order. Other values refer to a room by its index in this table.
  var rooms: RoomTable
  var air: AirLedger
  var radios = RadioPool()
  var matching = MatchingState()
  /// Attempts that wait for the permission to write.
  var writers: [AttemptID] = []
  var admission: Admission
  var hidden = HiddenContents()
  /// Whether a decision was made that may cause others.
  var isDirty = false
  /// The next instant at which the machine needs the input `timePassed`; nil when only other inputs can
  /// change anything.
  private(set) var wake: MonotonicInstant?

  init(_ request: ApplyRequest, goal: Goal = .apply, chance: @escaping @Sendable () -> Double) {
    self.request = request
    self.goal = goal
    self.chance = chance
    rooms = RoomTable(request.rooms, of: request.building)
    air = AirLedger(
      families: request.building.families.expecting(request.building.rooms), wanted: Set(rooms.identities),
      named: request.devices)
    admission = Admission(perNetwork: request.canaries, failureLimit: request.failureLimit)
  }

  /// Takes an input and returns its effects. Inputs come in the order of their instants. One that comes after `wake`
  /// also takes the place of `timePassed`: on a busy machine there may always be another advertisement first.
  mutating func handle(_ input: RunInput, at now: MonotonicInstant) -> [RunEffect] {
    guard !course.isEnded else { return [] }
    let isDue = wake.map { $0 <= now } ?? false
    self.now = now
    if take(input) || isDue { advance() }
    wake = nextWake
    defer { effects = [] }
    return effects
  }

  mutating func perform(_ effect: RunEffect) { effects.append(effect) }

  mutating func record(_ fact: Fact) { effects.append(.record(fact)) }

  // MARK: Inputs

  /// Takes an input. Returns whether decisions may follow.
  private mutating func take(_ input: RunInput) -> Bool {
    switch input {
    case .started: begin()
    case .adaptersChanged: radios.presence.mayHaveChanged = true
    case .adapterChangesEnded: radios.presence.isWatchEnded = true
    case .hosts(let hosts): take(hosts)
    case .claimed(let adapter, let claim, let stack, let hardware):
      take(claim, of: adapter, stack: stack, hardware)
    case .connectedPeripherals(let peripherals, let session): release(peripherals, in: session)
    case .linkReleased(let address, let session):
      record(.linkReleased(.init(address: address, adapter: session.adapter)))
    case .linksReleased(let session): radios.presence.releasing.remove(session)
    case .scanningClients(let clients, let session): noteForeignScan(by: clients, in: session)
    case .scanBegan(let session):
      if let index = radios.index(of: session) { radios[index].scanBegan(at: now) }
    case .received(let advertisement, let session): return receive(advertisement, in: session)
    case .scanEnded(let failure, let session): scanEnded(in: session, failure)
    case .powerCycled(let failure, let session): powerCycled(session, failure)
    case .action(let instant, let attempt): begin(attempt, action: instant)
    case .linked(let attempt): linked(attempt)
    case .connected(let attempt): connected(attempt)
    case .asksToWrite(let attempt): writers.append(attempt)
    case .sessionEnded(let report, let attempt): sessionEnded(attempt, report)
    case .linkEnded(let cause, let attempt): linkEnded(attempt, cause)
    case .takenDown(let isForgotten, let attempt): takenDown(attempt, isForgotten: isForgotten)
    case .forgotten(let address, let adapter): radios.leftovers.remove(address, on: adapter)
    case .leftoversForgotten: conclude()
    case .confirmed(let consent): confirmed(consent)
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
    radios.presence.mayHaveChanged = true
  }

  // MARK: Decisions

  /// Makes decisions until none causes another.
  private mutating func advance() {
    repeat {
      isDirty = false
      endWhatIsDue()
      lookAfterAdapters()
      answerWriters()
      switch course.phase {
      case .surveying(let survey): proceed(with: survey)
      case .closingSurvey: matchIfSurveyIsClosed()
      case .provisioning: provision()
      case .draining(let end): drain(until: end)
      case .stopping: concludeIfNothingIsUnderWay()
      case .concluding, .ended: return
      }
      if !course.isStopping { useRadios() }
    } while isDirty
  }

  private var nextWake: MonotonicInstant? {
    guard !course.isStopping else { return nil }
    return [radioWake, presenceWake, phaseWake].compactMap(\.self).filter { $0 > now }.min()
  }
}
