public import Bluetooth

/// Finds out what `apply` would do with this request: waits for an adapter, listens, matches, and writes nothing.
/// Links that a killed run left behind are released, as they would be: a connected sensor is not heard.
/// - Throws: `PlanFailure`: why nothing can be said.
public func plan(
  _ request: ApplyRequest, in environment: ApplyEnvironment, recording coordinator: Coordinator
) async throws(PlanFailure) -> ApplyPlan {
  let run = ApplyRun(request: request, environment: environment, coordinator: coordinator)
  let result = await withTaskGroup(of: Void.self) { services in
    services.addTask { await coordinator.run() }
    services.addTask { await run.teardown.run() }
    let result = await run.look()
    await run.teardown.finish()
    coordinator.finish()
    await services.waitForAll()
    return result
  }
  return try result.get()
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

extension ApplyRun {
  /// What would be done, with the watch for interruptions beside it.
  fileprivate func look() async -> Result<ApplyPlan, PlanFailure> {
    await withTaskGroup(of: Result<ApplyPlan, PlanFailure>?.self) { group in
      group.addTask { await self.lookUntilStopped() }
      group.addTask { [interruptions = environment.interruptions] in
        for await _ in interruptions { return .failure(.interrupted) }
        return nil
      }
      for await ended in group {
        guard let ended else { continue }
        group.cancelAll()
        return ended
      }
      return .failure(.interrupted)
    }
  }

  private func lookUntilStopped() async -> Result<ApplyPlan, PlanFailure> {
    do throws(Stop) {
      try await selectAdapters()
      if let stop = await carryOut(.survey) { throw stop }
      let matches = matches(of: rooms)
      return .success(ApplyPlan(request, matches, heardIn: air))
    } catch {
      switch error {
      case .interrupted: return .failure(.interrupted)
      case .radio(let error): return .failure(.radio(error))
      case .refused(let refusal): return .failure(.refused(refusal))
      case .record: return .failure(.interrupted)
      }
    }
  }
}
