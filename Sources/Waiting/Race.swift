public import Bluetooth

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
///
/// The clock's side is a timer and no task: a run has a dozen of these for each device.
@inlinable
public func race<Value: Sendable, Failure: Error>(
  _ timeout: Duration, on clock: any TimeSource,
  _ body: @escaping @Sendable () async throws(Failure) -> Value
) async -> Raced<Value, Failure> {
  await withTaskGroup(of: Result<Value, Failure>.self) { group in
    let isTimely = OneShot<Bool>()
    group.addTask {
      defer { isTimely.fulfill(true) }
      do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
    let timer = clock.schedule(at: clock.now.advanced(by: timeout)) { isTimely.fulfill(false) }
    let wasTimely = await isTimely.valueEvenIfCancelled()
    timer.cancel()
    if !wasTimely { group.cancelAll() }
    switch await group.next() {
    case .success(let value): return .value(value)
    case .failure(let error): return wasTimely ? .failed(error) : .timedOut
    case nil: preconditionFailure("a body that never was")
    }
  }
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
