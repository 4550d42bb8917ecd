public import Bluetooth
public import Model
public import Session

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
  /// Another run works with the adapter; in words, which and since when.
  case adapterClaimed(adapter: String, by: String)
}

/// Why there is no plan.
public enum PlanFailure: Error, Hashable, Sendable {
  /// A person stopped it.
  case interrupted
  /// The radio cannot be used.
  case radio(CentralError)
  /// A condition of the run is not met.
  case refused(RunRefusal)
}

/// Carries out a run: waits for an adapter, scans, decides which device belongs to which room, provisions as many at once
/// as the adapters can, and gives every selected room exactly one outcome. Everything that happens goes through
/// `coordinator`, whose `run()` this function takes care of. Whoever calls it has resolved the secrets of the selected rooms.
///
/// It is stopped through `ApplyEnvironment.requests`, not by cancelling its task: no new attempt starts then, those in flight
/// end within `RadioLimits.draining`, and the rooms that are left get their outcome.
public func apply(
  _ request: ApplyRequest, in environment: ApplyEnvironment, recording coordinator: Coordinator
) async -> ApplyResult {
  precondition(
    request.rooms.allSatisfy { $0.secrets.allSatisfy(\.isResolved) },
    "a run begins with secrets that nobody resolved")
  // A device may quote what an earlier run told it for another room.
  coordinator.hide(request.building.rooms.flatMap(\.secrets))
  let shell = RunShell(environment: environment, coordinator: coordinator)
  let end = await shell.run(RunMachine(request, chance: environment.chance))
  guard case .applied(var result) = end else { preconditionFailure("a run that only planned") }
  if let failure = coordinator.failure {
    result.recordFailure = result.recordFailure ?? failure
    result.outcome = .aborted
  }
  for index in result.rooms.indices {
    result.rooms[index].reason = result.rooms[index].reason?.redacted(coordinator.redacted)
  }
  result.radioFailure = result.radioFailure.map { $0.redacted(coordinator.redacted) }
  return result
}

/// Finds out what `apply` would do with this request: waits for an adapter, scans, matches, and writes nothing.
/// Links that a killed run left behind are released, as they would be: a connected sensor does not advertise.
/// - Throws: `PlanFailure`: why nothing can be said.
public func plan(
  _ request: ApplyRequest, in environment: ApplyEnvironment, recording coordinator: Coordinator
) async throws(PlanFailure) -> ApplyPlan {
  // A device may quote what an earlier run told it for another room.
  coordinator.hide(request.building.rooms.flatMap(\.secrets))
  let shell = RunShell(environment: environment, coordinator: coordinator)
  let end = await shell.run(RunMachine(request, goal: .plan, chance: environment.chance))
  guard case .planned(let result) = end else { preconditionFailure("a plan that became a run") }
  do throws(PlanFailure) {
    return try result.get()
  } catch .radio(let error) {
    throw .radio(error.redacted(coordinator.redacted))
  }
}

extension CentralError {
  fileprivate func redacted(_ redact: (String) -> String) -> CentralError {
    CentralError(code, stackText: stackText.map(redact))
  }
}
