public import Bluetooth

/// The result of a function with a timeout.
public enum Raced<Value: Sendable, Failure: Error>: Sendable {
  /// The function returned this value.
  case value(Value)
  /// The function threw this error.
  case failed(Failure)
  /// The timeout expired first.
  case timedOut

  /// The returned value, if there is one.
  public var value: Value? {
    if case .value(let value) = self { value } else { nil }
  }
}

/// Runs `body` with a timeout. When the timeout expires, `body` is cancelled and *awaited*: it must finish
/// what it began. If it succeeds nevertheless, its value counts, so that no resource it holds is lost. If the
/// calling task is cancelled, so is `body`, and its result counts.
///
/// The timeout is a timer, not a task, because a run needs a dozen of them per device.
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
    case nil: preconditionFailure("the body's task has no result")
    }
  }
}

/// Returns the result of `body`, or throws the error that `interruption` returns first; `body` is then
/// cancelled and awaited. A value that `body` returns nevertheless counts. If `interruption` returns nil,
/// `body` continues.
public func race<Value: Sendable, Failure: Error>(
  _ body: @escaping @Sendable () async throws(Failure) -> Value,
  against interruption: @escaping @Sendable () async -> Failure?
) async throws(Failure) -> Value {
  let result = await withTaskGroup(of: Finish<Value, Failure>.self) { group -> Result<Value, Failure> in
    group.addTask {
      do throws(Failure) {
        return .body(.success(try await body()))
      } catch {
        return .body(.failure(error))
      }
    }
    group.addTask { .interruption(await interruption()) }
    var met: Failure?
    for await finish in group {
      switch finish {
      case .body(.success(let value)):
        group.cancelAll()
        return .success(value)
      case .body(.failure(let error)):
        group.cancelAll()
        return .failure(met ?? error)
      case .interruption(let error):
        guard let error else { continue }
        met = error
        group.cancelAll()
      }
    }
    preconditionFailure("the body of a race has neither a value nor an error")
  }
  return try result.get()
}

/// Which of the two functions ended, and its result.
private enum Finish<Value: Sendable, Failure: Error>: Sendable {
  case body(Result<Value, Failure>)
  case interruption(Failure?)
}
