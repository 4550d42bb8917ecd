/// How a race against the clock ended.
public enum Raced<Value: Sendable, Failure: Error>: Sendable {
  /// With the body's value.
  case value(Value)
  /// With the body's error.
  case failed(Failure)
  /// The time was up first.
  case timedOut

  /// The body's value, if it had one.
  public var value: Value? {
    if case .value(let value) = self { value } else { nil }
  }
}

/// Runs `body` against the clock. When the time is up, `body` is cancelled and *waited for*: it must end what
/// it began. Should it have succeeded in that very instant, the success counts, so that nothing it holds is
/// lost and there is one result only. Where the calling task is cancelled, so is `body`, and its end is the result.
public func race<Value: Sendable, Failure: Error>(
  _ timeout: Duration, on clock: some Clock<Duration>,
  _ body: @escaping @Sendable () async throws(Failure) -> Value
) async -> Raced<Value, Failure> {
  do throws(TimedFailure<Failure>) {
    return .value(
      try await race {
        () async throws(TimedFailure<Failure>) in
        do throws(Failure) { return try await body() } catch { throw .failed(error) }
      } against: {
        do {
          try await clock.sleep(for: timeout)
          return .timedOut
        } catch {
          return nil
        }
      })
  } catch {
    switch error {
    case .failed(let failure): return .failed(failure)
    case .timedOut: return .timedOut
    }
  }
}

private enum TimedFailure<Failure: Error>: Error {
  case failed(Failure)
  case timedOut
}

/// The result of `body`, or the error that `obstacle` returns first: then `body` is cancelled, and waited for. A success
/// that comes all the same counts. An obstacle that turns out to be none returns nil, and `body` goes on.
public func race<Value: Sendable, Failure: Error>(
  _ body: @escaping @Sendable () async throws(Failure) -> Value,
  against obstacle: @escaping @Sendable () async -> Failure?
) async throws(Failure) -> Value {
  let result = await withTaskGroup(of: Finish<Value, Failure>.self) { group -> Result<Value, Failure> in
    group.addTask {
      do throws(Failure) {
        return .body(.success(try await body()))
      } catch {
        return .body(.failure(error))
      }
    }
    group.addTask { .obstacle(await obstacle()) }
    var met: Failure?
    for await finish in group {
      switch finish {
      case .body(.success(let value)):
        group.cancelAll()
        return .success(value)
      case .body(.failure(let error)):
        group.cancelAll()
        return .failure(met ?? error)
      case .obstacle(let error):
        guard let error else { continue }
        met = error
        group.cancelAll()
      }
    }
    preconditionFailure("the body of a race has neither a value nor an error")
  }
  return try result.get()
}

/// Which of the two ended, and how.
private enum Finish<Value: Sendable, Failure: Error>: Sendable {
  case body(Result<Value, Failure>)
  case obstacle(Failure?)
}
