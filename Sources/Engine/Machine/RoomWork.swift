import Bluetooth
import Model

/// A room that has a device to write: its binding and the results of its attempts.
struct RoomWork: Hashable, Sendable {
  /// The room. Its timeouts may exceed those of the manifest if the device still advertises more rarely than
  /// it should.
  var room: Room
  let address: BluetoothAddress
  /// The basis of the binding.
  let basis: BindingBasis
  /// How the operator permitted the binding; nil if nobody had to.
  let consent: Consent?
  /// Whether the binding is on record.
  var isBound = false
  /// Whether an earlier run submitted a save whose result is unknown.
  var mayBeDone = false
  var began: MonotonicInstant?
  /// The attempts that began.
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
  /// Whether a read showed that the device already held everything, so that it was not written.
  var isUnchanged = false
  /// Whether an attempt of this run may have changed the device.
  var wasTouched = false
  /// Settings whose save the device acknowledged.
  var acknowledged: Set<SettingName> = []
  /// When the last save was submitted; nil without one.
  var submittedAt: MonotonicInstant?
  /// The device's own acknowledgement of its last save.
  var acknowledgement: Evidence?
  /// The device's refusal, until it acknowledges a later save: what it sends meanwhile is no success.
  var refusal: FailureReason?
  /// Whether a save was submitted since that refusal.
  var isSubmittedSinceRefusal = false
  /// Whether the device may have had the room's identity before this run wrote anything, with other settings.
  var hadIdentity = false
  var lastFailure: FailureReason?

  init(room: Room, address: BluetoothAddress, basis: BindingBasis, consent: Consent? = nil) {
    self.room = room
    self.address = address
    self.basis = basis
    self.consent = consent
  }

  /// The number on record of the attempt in progress, or of the next one.
  var number: Int { failedAttempts + 1 }

  /// Takes over the results of an attempt.
  mutating func take(_ report: AttemptReport) {
    sent.formUnion(report.sent)
    // Until the next submission, the earlier writes count as well: their proof may still arrive.
    written = report.wasSubmitted ? report.written : written.union(report.written)
    readBack = report.readBack
    if report.wasSubmitted { acknowledged = [] }
    defer { if report.wasSubmitted { wasTouched = true } }
    switch report.result {
    case .failure(let failure):
      if failure.reason.code == .refused { take(refusal: failure.reason) }
    case .success(let submission):
      isUnchanged = submission.isUnchanged && !wasTouched
      acknowledgement = submission.acknowledgement.map { Evidence(grade: $0, address: address) }
      submittedAt = submission.at
      if acknowledgement != nil {
        (acknowledged, refusal) = (written, nil)
      } else if let problem = submission.problem, problem.code == .refused {
        take(refusal: problem)
      } else {
        isSubmittedSinceRefusal = true
      }
    }
  }

  private mutating func take(refusal: FailureReason) {
    (self.refusal, isSubmittedSinceRefusal) = (refusal, false)
  }

  /// The reason to end with: the device's own refusal is better than a later failure to reach it.
  func finalReason(_ reason: FailureReason) -> FailureReason {
    isSubmittedSinceRefusal ? reason : refusal ?? reason
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
      evidence.grade = .freshBeaconUnacknowledged
    }
    return .success(evidence)
  }
}
