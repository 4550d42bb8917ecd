import Bluetooth
import Model

/// A room that has a device to write: its binding and the results of its attempts.
struct RoomWork: Hashable, Sendable {
  /// What the attempts of this run asked the device to keep, and how it answered.
  enum Save: Hashable, Sendable {
    case none
    /// A read showed that the device held everything, so that it was not written.
    case unneeded(at: MonotonicInstant, Evidence?)
    /// The device has not answered. The instant is nil if the session failed after the submission.
    case submitted(at: MonotonicInstant?)
    /// The device acknowledged these settings. Later evidence may show that it kept none of them.
    case acknowledged(at: MonotonicInstant, Evidence, Set<SettingName>)
    /// The device refused, and has acknowledged no later save: what it sends meanwhile is no success.
    case refused(FailureReason, at: MonotonicInstant?, isSubmittedSince: Bool)
  }

  /// The room. Its timeouts may exceed those of the manifest if the device still advertises more rarely than
  /// it should; an attempt may have shown that its device must be paired.
  var room: Room {
    _read { yield sharedRoom.value }
    set { sharedRoom = Shared(newValue) }
  }
  private var sharedRoom: Shared<Room>
  let address: BluetoothAddress
  let basis: BindingBasis
  /// How the operator permitted the binding; nil if nobody had to.
  let consent: Consent?
  var began: MonotonicInstant?
  var attempts = 0
  /// Those that were not charged to the device: they do not count.
  var uncountedAttempts = 0
  /// Failed attempts that count.
  var failedAttempts = 0
  /// What the failed attempts have used up.
  var budget = RetryBudget()
  var adapter: AdapterID?
  /// Failed attempts that were charged to the device, by adapter.
  var failures: [AdapterID: Int] = [:]
  /// The best RSSI of the device on any adapter before the last attempt, in dBm.
  var strongest: Int?
  /// Settings that any attempt of this run sent to the device.
  var sent: Set<SettingName> = []
  /// Settings that the device confirmed in the last attempt that submitted a save, and since.
  var written: Set<SettingName> = []
  /// Settings that a read showed the device to hold in the last attempt.
  var readBack: Set<SettingName> = []
  private(set) var save = Save.none
  /// Whether the device accepted a connection of this run.
  private(set) var wasLinked = false
  /// How long the last failed attempt lasted.
  var failedAfter = Duration.zero
  /// Whether it failed, and the device accepted no connection of this run: each attempt may take its whole timeout. One whose
  /// connection failed within 2 s blocks an adapter no longer than others do.
  var isSilent: Bool { budget.charged > 0 && !wasLinked && failedAfter > Self.answersWithin }

  /// A connection that fails later than this failed because nothing was received.
  static let answersWithin = Duration.seconds(2)
  /// Whether an attempt of this run may have changed the device.
  private(set) var wasTouched = false
  /// Whether the device accepted the command of an attempt.
  private(set) var isAccepted = false
  /// The highest security of the sessions of this run.
  private(set) var security: Int?
  /// Whether the device may have had the room's identity before this run wrote anything, with other settings.
  var hadIdentity = false
  var lastFailure: FailureReason?
  /// The failure that had a device paired which is paired only if it demands that.
  private var demand: FailureReason?

  init(room: Room, address: BluetoothAddress, basis: BindingBasis, consent: Consent? = nil) {
    sharedRoom = Shared(room)
    self.address = address
    self.basis = basis
    self.consent = consent
  }

  /// The number on record of the attempt in progress, or of the next one.
  var number: Int { failedAttempts + 1 }

  // MARK: The save

  /// When the last save was submitted; nil without one.
  var submittedAt: MonotonicInstant? {
    switch save {
    case .none: nil
    case .submitted(let at), .refused(_, let at, _): at
    case .unneeded(let at, _), .acknowledged(let at, _, _): at
    }
  }

  /// The device's own acknowledgement of its last save.
  var acknowledgement: Evidence? {
    switch save {
    case .unneeded(_, let evidence): evidence
    case .acknowledged(_, let evidence, _): evidence
    case .none, .submitted, .refused: nil
    }
  }

  /// Settings whose save the device acknowledged.
  var acknowledged: Set<SettingName> {
    if case .acknowledged(_, _, let settings) = save { settings } else { [] }
  }

  var refusal: FailureReason? { if case .refused(let reason, _, _) = save { reason } else { nil } }

  /// The refusal, unless a save was submitted since.
  var lastRefusal: FailureReason? { if case .refused(let reason, _, false) = save { reason } else { nil } }

  var isUnchanged: Bool { if case .unneeded = save { true } else { false } }

  /// The device refused, or shows that it kept nothing of what it acknowledged.
  mutating func contradict(by reason: FailureReason) {
    if reason.trait == .refusal, refusal == nil {
      save = .refused(reason, at: submittedAt, isSubmittedSince: false)
    }
    contradictAcknowledgement()
  }

  private mutating func contradictAcknowledgement() {
    if case .acknowledged(let at, let evidence, _) = save { save = .acknowledged(at: at, evidence, []) }
  }

  /// Takes the failure of a device that is paired only if it demands that: if this may be its demand, the next attempt
  /// pairs. If it then refuses to pair, and the demand was uncertain, it was none: the next attempt does not pair.
  /// - Returns: the failure that counts.
  mutating func heed(_ reason: FailureReason) -> FailureReason {
    if room.pairsIfAsked, reason.mayDemandPairing, written.isEmpty || reason.code == .pairingRequired {
      demand = reason
      room.pairingDemand = .justWorks
    } else if let demand, demand.code != .pairingRequired, reason.code == .pairingRefused {
      self.demand = nil
      room.pairingDemand = .ifAsked
      return demand
    }
    return reason
  }

  /// Takes over the results of an attempt.
  mutating func take(_ report: AttemptResult) {
    sent.formUnion(report.sent)
    // Until the next submission, the earlier writes count as well: their proof may still arrive.
    written = report.wasSubmitted ? report.written : written.union(report.written)
    readBack = report.readBack
    switch report.result {
    case .failure(let failure) where failure.reason.trait == .refusal:
      save = .refused(failure.reason, at: submittedAt, isSubmittedSince: false)
    case .failure where report.wasSubmitted:
      switch save {
      case .none, .unneeded: save = .submitted(at: submittedAt)
      case .submitted, .refused: break
      case .acknowledged: contradictAcknowledgement()
      }
    case .failure: break
    case .success(let submission): take(submission)
    }
    if report.hasLink { wasLinked = true }
    if report.wasSubmitted { wasTouched = true }
    if report.isAccepted { isAccepted = true }
    security = [security, report.security].compactMap(\.self).max()
  }

  private mutating func take(_ submission: Submission) {
    let evidence = submission.acknowledgement.map { Evidence(grade: $0, address: address) }
    if submission.isUnchanged, !wasTouched {
      save = .unneeded(at: submission.at, evidence)
    } else if let evidence {
      save = .acknowledged(at: submission.at, evidence, written)
    } else if let problem = submission.problem, problem.trait == .refusal {
      save = .refused(problem, at: submission.at, isSubmittedSince: false)
    } else if let refusal {
      save = .refused(refusal, at: submission.at, isSubmittedSince: true)
    } else {
      save = .submitted(at: submission.at)
    }
  }

  /// What the device's own beacon with the written identity shows after a save.
  /// - Parameter contradiction: what shows that another device may have sent it.
  func judge(_ beacon: Evidence, _ contradiction: Contradiction?) -> Result<Evidence, AttemptFailure> {
    if let refusal { return .failure(AttemptFailure(refusal)) }
    if let contradiction {
      return .failure(
        AttemptFailure(.contradictorySightings(contradiction, SaveResponse(of: lastFailure))))
    }
    var evidence = beacon
    if isUnchanged {
      (evidence.grade, evidence.secondsAfterSave) = (.beaconOnAir, nil)
    } else if acknowledgement == nil {
      if hadIdentity, let identity = beacon.identity {
        return .failure(AttemptFailure(.beaconAsBefore(identity, SaveResponse(of: lastFailure))))
      }
      if beacon.identity != nil { evidence.grade = .freshBeaconUnacknowledged }
    }
    return .success(evidence)
  }
}
