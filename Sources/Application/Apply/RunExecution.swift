package import Bluetooth
package import Engine
import Host
package import Journal
package import Model
package import Reporting
import Session
package import Waiting

/// Shows a run while it lasts.
package protocol RunDisplay: Sendable {
  /// Shows an event that is on record.
  func show(_ event: RunEvent)
  /// Shows that the run was asked to stop.
  func noteStop()
  /// Has the screen while `body` runs.
  func running<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result
}

/// A run, from the creation of its folder to its reports.
package struct RunExecution: Sendable {
  let prepared: PreparedRun
  let run: RunIdentity
  let stack: BluetoothStack
  let keeping: RecordKeeping
  /// Whether to make the building's report from this run and those before it.
  var reportsBuilding: Bool

  package init(
    prepared: PreparedRun, run: RunIdentity, stack: BluetoothStack, keeping: RecordKeeping,
    reportsBuilding: Bool = true
  ) {
    (self.prepared, self.run, self.stack, self.keeping, self.reportsBuilding) = (
      prepared, run, stack, keeping, reportsBuilding
    )
  }

  /// The questions of a run to the operator, and the operator's requests.
  package struct Operator: Sendable {
    /// Nil for a refusal.
    var confirm: @Sendable ([ProposedBinding]) async -> Consent?
    var judge: @Sendable ([RoomFinished]) async -> Bool
    var action: @Sendable (Room) async -> MonotonicInstant?
    var requests: AsyncStream<OperatorRequested.Request>

    package init(
      confirm: @escaping @Sendable ([ProposedBinding]) async -> Consent? = { _ in nil },
      judge: @escaping @Sendable ([RoomFinished]) async -> Bool = { _ in true },
      action: @escaping @Sendable (Room) async -> MonotonicInstant? = { _ in nil },
      requests: AsyncStream<OperatorRequested.Request>
    ) {
      (self.confirm, self.judge, self.action, self.requests) = (confirm, judge, action, requests)
    }
  }

  /// Creates the record, carries out the run and makes its reports.
  /// - Parameter show: Receives the report, the state of the building after the run, and the run's directory.
  /// - Throws: `CommandFailure` if the record cannot be written, or another program changed it.
  package func carryOut(
    _ request: ApplyRequest, asking person: Operator, on display: some RunDisplay, stopped: OneShot<Void>,
    show: (RunReport, BuildingReport?, RunDirectory) -> Void
  ) async throws -> ApplyResult {
    let claims = AdapterClaims(run, stack.hosts)
    if !stack.isSimulated {
      try prepared.archive.prepare(for: run, of: request.building.id, in: keeping)
    }
    // The record is created first: a failure to write it must come before the first write to a device.
    let record = try RunRecord(
      keeping, building: request.building.id, run: run, stack.isSimulated ? .rehearsal : .real)
    let coordinator = Coordinator(
      clock: stack.clock, wall: stack.wall, recorder: record.recorder, watch: { display.show($0) })
    let environment = ApplyEnvironment(
      central: stack.central, clock: stack.clock, drivers: request.building.drivers, chance: stack.chance,
      randomBytes: stack.randomBytes,
      confirm: person.confirm, judge: person.judge, action: person.action,
      // A rehearsal has virtual adapters, which need no lock.
      claim: { [stack] in stack.isSimulated ? .granted : await claims.take($0) },
      hardware: { [stack] in stack.isSimulated ? nil : ControllerFiles.system.hardware(of: $0) },
      requests: person.requests, pauses: stack.pauses)
    Interruptions.setLastWords(
      "Stopped immediately. The record is complete up to now; make its reports with:\n  roboprov report "
        + "\(request.building.id) \(run.id)\(keeping.reportsOption)")
    let result = await display.running {
      await withTaskGroup(of: ApplyResult?.self) { group in
        group.addTask {
          // Shown immediately, even if the record cannot take the event yet.
          if await stopped.value() != nil { display.noteStop() }
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
    if stack.isSimulated || !reportsBuilding { return nil }
    let subject = BuildingReports.Subject(
      building: prepared.source.building.id, operatedBy: keeping.operatedBy)
    // The run began without the stages of earlier attempts, which the report shows.
    return { BuildingReports.make(subject, from: prepared.archive.whole.adding($0)) }
  }
}

extension ApplyResult {
  /// The exit status of the run.
  /// - Throws: `CommandFailure` if the run was refused, or the radio failed.
  package func status(adapter: String?) throws -> ExitStatus {
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
