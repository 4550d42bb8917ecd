import Bluetooth
package import Model
package import Session

/// Performs a run: waits for an adapter, scans, decides which device belongs to which room, provisions as
/// many devices at once as the adapters can, and gives every selected room exactly one outcome. Every event
/// goes through `coordinator`; this function calls its `run()`. The caller has resolved the secrets of the
/// selected rooms.
///
/// It is stopped through `ApplyEnvironment.requests`, not by cancellation of its task: then no new attempt
/// starts, those in flight end within `RadioLimits.draining`, and the remaining rooms get their outcome.
package func apply(
  _ request: ApplyRequest, in environment: ApplyEnvironment, recording coordinator: Coordinator
) async -> ApplyResult {
  // Not a `precondition`, whose sentence optimised code does not print.
  guard request.rooms.allSatisfy({ $0.awaitsLabel || $0.secrets.allSatisfy(\.isResolved) }) else {
    fatalError("the secrets of the selected rooms must be resolved before a run")
  }
  // A device may quote a secret that an earlier run wrote to it for another room.
  coordinator.hide(request.building.rooms.flatMap(\.secrets))
  let shell = RunShell(environment: environment, coordinator: coordinator)
  let end = await shell.run(RunMachine(request, chance: environment.chance))
  guard case .applied(var result) = end else { preconditionFailure("an apply run ended with a plan") }
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

/// Determines what `apply` would do with this request: waits for an adapter, scans, matches, and writes
/// nothing. It releases links that a killed run left behind, as `apply` does: a connected sensor does not
/// advertise.
/// - Throws: `PlanFailure` when there is no plan.
package func plan(
  _ request: ApplyRequest, in environment: ApplyEnvironment, recording coordinator: Coordinator
) async throws(PlanFailure) -> ApplyPlan {
  // A device may quote a secret that an earlier run wrote to it for another room.
  coordinator.hide(request.building.rooms.flatMap(\.secrets))
  let shell = RunShell(environment: environment, coordinator: coordinator)
  let end = await shell.run(RunMachine(request, goal: .plan, chance: environment.chance))
  guard case .planned(let result) = end else { preconditionFailure("a plan run ended with outcomes") }
  do throws(PlanFailure) {
    return try result.get()
  } catch .radio(let error) {
    throw .radio(error.redacted(coordinator.redacted))
  }
}

extension CentralError {
  fileprivate func redacted(_ redact: (String) -> String) -> CentralError {
    CentralError(code, stackText: stackText.map(redact), on: host)
  }
}
