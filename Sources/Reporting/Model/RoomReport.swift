package import Bluetooth
import FoundationEssentials
package import Model

/// One room of a run, folded from the events so far. Encoded without its attempts.
package struct RoomReport: Hashable, Sendable {
  package let planned: PlannedRoom
  /// Bound in this run, or named by the manifest.
  package private(set) var address: BluetoothAddress?
  /// How the operator permitted its device in this run; nil if nobody had to.
  package private(set) var consent: Consent?
  package private(set) var adapter: AdapterID?
  /// Its attempts, in the order in which they began.
  package private(set) var attemptReports: [AttemptReport] = []
  /// The last RSSI of its device, in dBm.
  package private(set) var rssi: Int?
  /// The evidence for its outcome; it may be recorded before the outcome.
  package private(set) var evidence: Evidence?
  /// The state of each setting, in the profile's order.
  package private(set) var settings: [SettingResult]
  /// What its device reported of itself, the last value of each, by name.
  package private(set) var details: [DeviceDetail] = []
  package private(set) var stage: Stage?
  /// The setting in progress, in `write`.
  package private(set) var setting: SettingName?

  /// Its family as the run described it; nil in a record without it.
  package let family: RecordedFamily?
  /// The outcome on record, or nil while there is none.
  private var recorded: RoomFinished?
  private(set) var evidenceRecorded: Date?
  private(set) var firstAttempt: Duration?
  private var lastEvent: Duration?
  /// The reason why the room waits for the operator; nil while it does not.
  package private(set) var awaitedAction: FailureReason?
  /// Whether the device may have kept what a save of this run submitted.
  private var mayHaveKept = false
  private var refusal: FailureReason?

  init(_ planned: PlannedRoom, _ family: RecordedFamily?) {
    (self.planned, self.family) = (planned, family)
    address = planned.address
    settings = planned.settings
  }

  package var id: RoomID { planned.room }

  /// Whether the run excludes it.
  package var isExcluded: Bool { planned.exclusion != nil }

  /// Whether its device was configured elsewhere, and only looked for.
  package var isRegistered: Bool { planned.registered == true }

  /// Whether its outcome is on record.
  package var isFinished: Bool { recorded != nil }

  /// The outcome. While the record has none (the run is in progress, or was killed), the least that the record shows:
  /// `unconfirmed` after a save that the device may have kept, even with its proof on record, because only the run decides
  /// what proves a room; `cancelled` after an attempt; `pending` without one.
  package var outcome: Outcome {
    if let recorded { return recorded.outcome }
    if isExcluded { return .skipped }
    if refusal != nil { return .failed }
    if mayHaveKept { return .unconfirmed }
    if awaitedAction != nil { return .actionRequired }
    return wasTried ? .cancelled : .pending
  }

  /// Whether it is done by the evidence of an earlier run, and its device was not received in this run.
  package var isDoneOnRecordOnly: Bool { outcome.isSuccess && evidence?.run != nil }

  /// The reason why it is not done; nil for a success, and for a room that the run did not start.
  package var reason: FailureReason? {
    if let recorded { return recorded.reason }
    if let refusal { return refusal }
    if let awaitedAction, !mayHaveKept { return awaitedAction }
    guard wasTried else { return nil }
    return .interrupted(stage.map { FailureContext.during(FailedStep($0, setting: setting)) } ?? .idle())
  }

  /// Seconds from its first attempt to its outcome, or to its last event if it has none.
  package var seconds: Double {
    if let recorded { return recorded.seconds }
    guard let firstAttempt, let lastEvent else { return 0 }
    return (lastEvent - firstAttempt).inSeconds
  }

  package var identity: DeviceIdentity? { planned.identity }

  package var titles: SettingTitles { SettingTitles(family.map { [$0] } ?? []) }

  /// The number of attempts that count, the one in progress included.
  package var attempts: Int { recorded?.attempts ?? attemptReports.count { $0.notCounted == nil } }

  /// How many attempts that count failed in the same way in the same step, from the last one back.
  var equalFailures: Int {
    let failures = attemptReports.filter { $0.notCounted == nil }.map(\.failure).reversed()
    guard case let last?? = failures.first else { return 0 }
    return failures.prefix { failure in
      failure?.code == last.code && failure?.stage == last.stage && failure?.setting == last.setting
    }.count
  }

  /// How many attempts do not count for this cause.
  package func attempts(notCounted cause: AttemptExemption) -> Int {
    attemptReports.count { $0.notCounted == cause }
  }

  /// Whether its device was written, or has its outcome after an attempt.
  var isReached: Bool { isFinished ? attempts > 0 : mayHaveKept }

  /// Whether an attempt began, counted or not.
  package var wasTried: Bool { attempts > 0 || !attemptReports.isEmpty }

  package var log: String { "devices/\(id).log" }

  mutating func received(_ rssi: Int?) {
    if let rssi { self.rssi = rssi }
  }

  /// Applies a fact about this room.
  /// - Returns: The kind of its outcome before and after it, found in place: a copy of the room for each event would cost more
  ///   than all else.
  mutating func apply(
    _ fact: Fact, at elapsed: Duration, on time: Date
  ) -> (before: Outcome.Kind?, after: Outcome.Kind?) {
    let before = ending
    take(fact, at: elapsed, on: time)
    return (before, ending)
  }

  private mutating func take(_ fact: Fact, at elapsed: Duration, on time: Date) {
    lastEvent = elapsed
    switch fact {
    case .bindingCommitted(let fact):
      (address, consent) = (fact.address, fact.consent)
    case .operatorAwaited(let fact):
      awaitedAction = fact.reason
    case .attemptStarted(let fact):
      awaitedAction = nil
      firstAttempt = firstAttempt ?? elapsed
      address = fact.address
      adapter = fact.adapter
      (stage, setting, refusal) = (nil, nil, nil)
      received(fact.rssi)
      attemptReports.append(AttemptReport(fact, at: elapsed))
    case .stageStarted(let fact):
      stage = fact.stage
      setting = fact.setting
      attemptReports.change(fact.attempt) { $0.apply(fact, at: elapsed) }
    case .stageEnded(let fact):
      attemptReports.change(fact.attempt) { $0.apply(fact) }
    case .settingWritten(let fact):
      for index in settings.indices where settings[index].name == fact.setting {
        settings[index].state = .written
      }
    case .saveSubmitted(let fact):
      address = fact.address
      mayHaveKept = true
      awaitedAction = nil
      // Its writes follow, and it keeps each at once.
      guard family?.isRewritable == true else { break }
      for index in settings.indices where settings[index].state == .notWritten {
        settings[index].state = .submitted
      }
    case .statusReceived(let fact):
      take(fact)
    case .deviceDescribed(let fact):
      let names = fact.details.map(\.name)
      let all = details.filter { !names.contains($0.name) } + fact.details
      details = DeviceDetail.Name.allCases.flatMap { name in all.filter { $0.name == name } }
    case .proofReceived(let fact):
      evidence = fact.evidence
      evidenceRecorded = time
      received(fact.evidence.rssi)
    case .attemptEnded(let fact):
      attemptReports.change(fact.number) { $0.end(fact) }
      if fact.failure?.content?.deniesSave == true { mayHaveKept = false }
    case .roomFinished(let fact):
      finish(fact)
      if evidenceRecorded == nil { evidenceRecorded = time }
    case .bindingReleased, .roomRetired, .roomAccepted, .roomVerified, .settingsRead, .wifiChecked,
      .elapsedSent, .linkEnded,
      .retryScheduled:
      break
    case .runStarted, .adapterAwaited, .hostUnavailable, .adapterSelected, .adapterFaulted, .linksHeld,
      .foreignScanDetected,
      .linkReleased, .bondIntended, .bondRemoved,
      .scanStarted,
      .scanStopped,
      .deviceSighted, .hostPaused, .eventsOmitted, .operatorRequested, .canariesJudged, .deviceUnclaimed,
      .runInterrupted,
      .runFinished:
      break
    }
  }

  private mutating func take(_ status: StatusReceived) {
    switch status.meaning {
    case .saved:
      for index in settings.indices where settings[index].state == .written {
        settings[index].state = .acknowledged
      }
    case .refusal:
      refusal = .refused(stage: stage ?? .save, deviceText: status.text)
      mayHaveKept = false
    case .ready, .accepted, .notAccepted, .stale, .other: break
    }
  }

  private mutating func finish(_ fact: RoomFinished) {
    recorded = fact
    awaitedAction = nil
    address = fact.address ?? address
    adapter = fact.adapter ?? adapter
    evidence = fact.evidence
    settings = fact.settings
    received(fact.rssi)
  }
}
