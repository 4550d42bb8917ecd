import Bluetooth
import Engine
import Journal
import Model
import Reporting
import Session
import Waiting

/// One run, from its folder in the record to its reports.
struct RunExecution: Sendable {
  let undertaking: Undertaking
  let run: RunIdentity
  let setup: Radio.Setup
  let places: RecordOptions
  let isSimulated: Bool
  /// Whether the building's report is made from it and the runs before it.
  var reportsBuilding = true

  /// Whom the run asks, and what it is asked.
  struct Operator: Sendable {
    var confirm: @Sendable ([ProposedBinding]) async -> Bool = { _ in true }
    var judge: @Sendable ([RoomFinished]) async -> Bool = { _ in true }
    var action: @Sendable (Room) async -> MonotonicInstant? = { _ in nil }
    /// What the operator asks for.
    var requests: AsyncStream<OperatorRequested.Request>
  }

  /// Makes the record, carries the run out and makes its reports.
  /// - Parameters:
  ///   - watch: Told of each event that is on record.
  ///   - show: Told of the report, how the building stands after it, and where the run's files are.
  /// - Throws: `CommandFailure`: the record cannot be written, or was changed meanwhile.
  func carryOut(
    _ request: ApplyRequest, asking person: Operator, _ progress: LiveProgress,
    watch: @escaping @Sendable (RunEvent) -> Void = { _ in }, stopped: OneShot<Void>,
    show: (RunReport, BuildingReport?, RunDirectory) -> Void
  ) async throws -> ApplyResult {
    let claims = AdapterClaims(run)
    // Whether the record can be kept is found out before any device is touched.
    let record = try RunRecord(
      places, building: request.building.id, run: run, isSimulated ? .rehearsal : .real)
    let coordinator = Coordinator(
      clock: setup.clock, wall: setup.wall, recorder: record.recorder,
      watch: { event in
        progress.show(event)
        watch(event)
      })
    let environment = ApplyEnvironment(
      central: setup.central, clock: setup.clock, chance: { Double.random(in: 0...1) },
      confirm: person.confirm, judge: person.judge, action: person.action,
      // A rehearsal has adapters of its own.
      claim: { [isSimulated] in isSimulated ? .granted : await claims.take($0) },
      hardware: { [isSimulated] in isSimulated ? nil : ControllerFiles.system.hardware(of: $0) },
      requests: person.requests, pauses: setup.pauses)
    Interruptions.setLastWords(
      "Stopped immediately. The record is complete up to now; make its reports with:\n  roboprov report "
        + "\(request.building.id) \(run.id)\(Preferences.argument(naming: places.reports))")
    let result = await progress.running {
      await withTaskGroup(of: ApplyResult?.self) { group in
        group.addTask {
          // Said at once, whether or not the record can take it yet.
          if await stopped.value() != nil { progress.noteStop() }
          return nil
        }
        group.addTask { await Engine.apply(request, in: environment, recording: coordinator) }
        defer { group.cancelAll() }
        while let ended = await group.next() { if let ended { return ended } }
        preconditionFailure("a run without a result")
      }
    }
    do {
      try await record.finish(building: building) { show($0, $1, record.directory) }
    } catch  where result.recordFailure != nil {
      // For the same reason as the record before, which is told below.
    }
    if let failure = result.recordFailure {
      throw await record.failure ?? CommandFailure(.record, failure.text)
    }
    return result
  }

  /// Makes the building's report from this run and all before it; nil in a rehearsal, which changes no building.
  private var building: ((BuildingArchive.Run) -> BuildingReport)? {
    if isSimulated || !reportsBuilding { return nil }
    let subject = BuildingReports.Subject(
      building: undertaking.source.building.id, operatedBy: places.operatedBy)
    return { BuildingReports.make(subject, from: BuildingArchive(runs: undertaking.archive.runs + [$0])) }
  }
}

extension ApplyResult {
  /// The exit status that says how the run ended.
  /// - Throws: `CommandFailure`: why it was not begun, or why the radio could not be used.
  func status(adapter: String?) throws -> ExitStatus {
    if let refusal { throw RefusalWords.failure(refusal) }
    if let radioFailure { throw RadioTrouble.failure(radioFailure, adapter: adapter) }
    return switch outcome {
    case .complete: .done
    case .incomplete: .incomplete
    case .interrupted: .interrupted
    case .aborted: .unexpected
    }
  }
}
