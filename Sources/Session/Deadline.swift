package import Bluetooth

/// How a race against the clock ended.
package enum Raced<Value: Sendable>: Sendable {
  case value(Value)
  case failed(CentralError)
  case timedOut
}

/// Runs `body` against the clock. When the time is up, `body` is cancelled and *waited for*: it must end what
/// it began. Should it have succeeded in that very instant, the success counts, so that nothing it holds is
/// lost and there is one result only.
package func race<Value: Sendable>(
  _ timeout: Duration, on clock: any TimeSource,
  _ body: @escaping @Sendable () async throws(CentralError) -> Value
) async -> Raced<Value> {
  await withTaskGroup(of: Raced<Value>?.self) { group in
    group.addTask {
      do throws(CentralError) {
        return .value(try await body())
      } catch {
        return .failed(error)
      }
    }
    group.addTask {
      do {
        try await clock.sleep(for: timeout)
        return .timedOut
      } catch {
        return nil
      }
    }
    var timedOut = false
    for await result in group {
      switch result {
      case .timedOut:
        timedOut = true
        group.cancelAll()
      case .value(let value):
        group.cancelAll()
        return .value(value)
      case .failed(let error):
        group.cancelAll()
        return timedOut ? .timedOut : .failed(error)
      case nil:
        continue
      }
    }
    preconditionFailure("the body of a race has neither a value nor an error")
  }
}
