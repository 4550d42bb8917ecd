import Bluetooth
import Engine
import Journal
import Model
import Reporting
import Session
import Waiting

/// A run, from the creation of its folder to its reports.
struct RunExecution: Sendable {
  let undertaking: Undertaking
  let run: RunIdentity
  let setup: Radio.Setup
  let places: RecordOptions
  let isSimulated: Bool
  /// Whether to make the building's report from this run and those before it.
  var reportsBuilding = true

  /// The questions of a run to the operator, and the operator's requests.
  struct Operator: Sendable {
    /// Nil for a refusal.
    var confirm: @Sendable ([ProposedBinding]) async -> Consent? = { _ in nil }
    var judge: @Sendable ([RoomFinished]) async -> Bool = { _ in true }
    var action: @Sendable (Room) async -> MonotonicInstant? = { _ in nil }
    var requests: AsyncStream<OperatorRequested.Request>
  }

  /// Creates the record, carries out the run and makes its reports.
  /// - Parameters:
  ///   - watch: Receives each event after it is on record.
  ///   - show: Receives the report, the state of the building after the run, and the run's directory.
  /// - Throws: `CommandFailure` if the record cannot be written, or another program changed it.
  func carryOut(
    _ request: ApplyRequest, asking person: Operator, _ progress: LiveProgress,
    watch: @escaping @Sendable (RunEvent) -> Void = { _ in }, stopped: OneShot<Void>,
    show: (RunReport, BuildingReport?, RunDirectory) -> Void
  ) async throws -> ApplyResult {
    let claims = AdapterClaims(run)
    if !isSimulated {
      try SiteRecord(archive: undertaking.archive).prepare(for: run, of: request.building.id, in: places)
    }
    // The record is created first: a failure to write it must come before the first write to a device.
    let record = try RunRecord(
      places, building: request.building.id, run: run, isSimulated ? .rehearsal : .real)
    let coordinator = Coordinator(
      clock: setup.clock, wall: setup.wall, recorder: record.recorder,
      watch: { event in
        progress.show(event)
        watch(event)
      })
    let environment = ApplyEnvironment(
      central: setup.central, clock: setup.clock, drivers: Application.drivers, chance: setup.chance,
      confirm: person.confirm, judge: person.judge, action: person.action,
      // A rehearsal has virtual adapters, which need no lock.
      claim: { [isSimulated] in isSimulated ? .granted : await claims.take($0) },
      hardware: { [isSimulated] in isSimulated ? nil : ControllerFiles.system.hardware(of: $0) },
      requests: person.requests, pauses: setup.pauses)
    Interruptions.setLastWords(
      "Stopped immediately. The record is complete up to now; make its reports with:\n  roboprov report "
        + "\(request.building.id) \(run.id)\(Preferences.argument(naming: places.reports))")
    let result = await progress.running {
      await withTaskGroup(of: ApplyResult?.self) { group in
        group.addTask {
          // Shown immediately, even if the record cannot take the event yet.
          if await stopped.value() != nil { progress.noteStop() }
          return nil
        }
        group.addTask { await Engine.apply(request, in: environment, recording: coordinator) }
        defer { group.cancelAll() }
        while let ended = await group.next() { if let ended { return ended } }
        preconditionFailure("the run ended without a result")
      }
    }
    do {
      try await record.finish(building: building) { show($0, $1, record.directory) }
    } catch  where result.recordFailure != nil {
      // The record failed for the same reason during the run; that failure is thrown below.
    }
    if let failure = result.recordFailure {
      throw await record.failure ?? CommandFailure(.record, failure.text)
    }
    return result
  }

  /// Makes the building's report from this run and all before it; nil for a rehearsal, which changes no
  /// building.
  private var building: ((BuildingArchive.Run) -> BuildingReport)? {
    if isSimulated || !reportsBuilding { return nil }
    let subject = BuildingReports.Subject(
      building: undertaking.source.building.id, operatedBy: places.operatedBy)
    return { BuildingReports.make(subject, from: undertaking.archive.adding($0)) }
  }
}

extension ApplyResult {
  /// The exit status of the run.
  /// - Throws: `CommandFailure` if the run was refused, or the radio failed.
  func status(adapter: String?) throws -> ExitStatus {
    if let refusal { throw RefusalWords.failure(refusal) }
    if let radioFailure { throw RadioMessages.failure(radioFailure, adapter: adapter) }
    return switch outcome {
    case .complete: .done
    case .incomplete: .incomplete
    case .interrupted: .interrupted
    case .aborted: .unexpected
    }
  }
}
