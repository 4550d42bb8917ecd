public import FoundationEssentials

/// One thing that happened in a run: numbered, stamped, self-sufficient. Whatever a person or program ever
/// sees of a run is made from these. None can carry a secret.
public struct RunEvent: Hashable, Sendable {
  /// Version of the encoded form.
  public static let version = 1

  /// Its number in the run, from 1 without gaps.
  public var sequence: Int
  /// Wall-clock time, to the millisecond.
  public var at: Date
  /// Time since the run began, by the monotonic clock, to the microsecond.
  public var elapsed: Duration
  /// What happened.
  public var fact: Fact

  /// An event; `at` is rounded to the millisecond and `elapsed` cut to the microsecond, so that an event read
  /// back equals the one written.
  public init(sequence: Int, at: Date, elapsed: Duration, fact: Fact) {
    self.sequence = sequence
    self.at = Date(timeIntervalSince1970: (at.timeIntervalSince1970 * 1000).rounded() / 1000)
    self.elapsed = .microseconds(elapsed.inMicroseconds)
    self.fact = fact
  }
}

/// What can happen in a run, in the past tense. Adding a case makes the compiler name every projection that
/// must learn it.
public enum Fact: Hashable, Sendable {
  /// The run began.
  case runStarted(RunStarted)
  /// No adapter could be used; the run waits for one.
  case adapterAwaited(AdapterAwaited)
  /// An adapter was taken into use.
  case adapterSelected(AdapterSelected)
  /// An adapter hears nothing, or the stack refuses to scan with it.
  case adapterFaulted(AdapterFault)
  /// A link was ended that an earlier run had left behind.
  case linkReleased(LinkReleased)
  /// Another program was found to scan with an adapter in use.
  case foreignScanDetected(ForeignScanDetected)
  /// An adapter began to listen.
  case listeningStarted(Listening)
  /// An adapter stopped listening.
  case listeningStopped(Listening)
  /// A device was heard for the first time, or in another life than before.
  case deviceSighted(DeviceSighted)
  /// **Intent.** A room and a device were joined; on record before the first byte is written.
  case bindingCommitted(BindingCommitted)
  /// A room and a device are no longer joined.
  case bindingReleased(BindingReleased)
  /// A room was taken out of service.
  case roomRetired(RoomRetired)
  /// Somebody accepted a room as it is.
  case roomAccepted(RoomAccepted)
  /// The host did nothing for a while, or its clock was set.
  case hostPaused(HostPause)
  /// An attempt began.
  case attemptStarted(AttemptStarted)
  /// A stage of an attempt began.
  case stageStarted(StageStarted)
  /// A stage of an attempt ended.
  case stageEnded(StageEnded)
  /// The device said something about its status.
  case statusReceived(StatusReceived)
  /// What the device holds was read.
  case settingsRead(SettingsRead)
  /// The device is told how long ago an action was.
  case elapsedSent(ElapsedSent)
  /// The device confirmed a setting.
  case settingWritten(SettingWritten)
  /// **Intent.** The device is about to be asked to keep what was written.
  case saveSubmitted(SaveSubmitted)
  /// The link ended.
  case linkEnded(LinkEnded)
  /// The proof was heard on air.
  case proofHeard(ProofHeard)
  /// An attempt ended.
  case attemptEnded(AttemptEnded)
  /// Another attempt will follow.
  case retryScheduled(RetryScheduled)
  /// The first rooms of each network were shown to somebody, who said whether the rest is to follow.
  case canariesJudged(CanariesJudged)
  /// A device that could be provisioned was heard, and no room claims it.
  case deviceUnclaimed(DeviceUnclaimed)
  /// A room got its outcome.
  case roomFinished(RoomFinished)
  /// Somebody or something asked the run to stop.
  case runInterrupted(RunInterrupted)
  /// The run ended.
  case runFinished(RunFinished)
}

/// How surely an event must be on disk before the run goes on.
public enum Durability: Hashable, Sendable {
  /// Synced before anything else happens.
  case synced
  /// Written soon, in order.
  case written
}

extension Fact {
  /// Intents, outcomes, and the frame of the run wait for the disk; the rest does not.
  public var durability: Durability {
    switch self {
    case .runStarted, .bindingCommitted, .bindingReleased, .roomRetired, .roomAccepted, .saveSubmitted,
      .canariesJudged, .roomFinished, .runInterrupted, .runFinished:
      .synced
    case .adapterAwaited, .adapterSelected, .adapterFaulted, .foreignScanDetected, .linkReleased,
      .listeningStarted,
      .listeningStopped, .deviceSighted, .hostPaused, .attemptStarted, .stageStarted, .stageEnded,
      .statusReceived,
      .settingsRead, .elapsedSent, .settingWritten, .linkEnded, .proofHeard, .attemptEnded, .retryScheduled,
      .deviceUnclaimed:
      .written
    }
  }

  /// The room it is about, or nil when it is about the run.
  public var room: RoomID? {
    switch self {
    case .runStarted, .adapterAwaited, .adapterSelected, .adapterFaulted, .foreignScanDetected, .linkReleased,
      .listeningStarted,
      .listeningStopped,
      .deviceSighted, .hostPaused, .canariesJudged, .deviceUnclaimed, .runInterrupted, .runFinished:
      nil
    case .bindingCommitted(let fact): fact.room
    case .bindingReleased(let fact): fact.room
    case .roomRetired(let fact): fact.room
    case .roomAccepted(let fact): fact.room
    case .attemptStarted(let fact): fact.room
    case .stageStarted(let fact): fact.room
    case .stageEnded(let fact): fact.room
    case .statusReceived(let fact): fact.room
    case .settingsRead(let fact): fact.room
    case .elapsedSent(let fact): fact.room
    case .settingWritten(let fact): fact.room
    case .saveSubmitted(let fact): fact.room
    case .linkEnded(let fact): fact.room
    case .proofHeard(let fact): fact.room
    case .attemptEnded(let fact): fact.room
    case .retryScheduled(let fact): fact.room
    case .roomFinished(let fact): fact.room
    }
  }
}
