package import Bluetooth
import Synchronization
import Waiting
package import VirtualBuilding

/// The network to a host: messages arrive late and in order, in both directions.
///
/// While it is lost, no message arrives, and every call fails with `busUnavailable`, also one that has reached the host:
/// the host carries it out nevertheless. The host ends the scans of a lost connection, and keeps its links.
package final class VirtualNetwork: Sendable {
  enum Direction: CaseIterable { case toHost, fromHost }

  /// A central that uses the network.
  private struct User {
    let isLost: @Sendable (CentralError) -> Void
    let isBack: @Sendable () -> Void
  }

  /// A call whose answer has not arrived.
  private struct Call {
    let fail: @Sendable (CentralError) -> Void
    /// Ends its work on the host.
    let abandon: @Sendable () -> Void
  }

  private struct State {
    var generator: SeededGenerator
    /// Why the host cannot be reached; nil while it can.
    var failure: CentralError?
    /// Increases with each loss: messages of an earlier connection never arrive.
    var connection = 0
    /// When the last message in each direction arrives.
    var latest: [Direction: MonotonicInstant] = [:]
    var lastCall: UInt64 = 0
    var calls: [UInt64: Call] = [:]
    var users: [User] = []
  }

  private let host: HostScenario
  private let clock: any TimeSource
  private let state: Mutex<State>

  /// For how long a host continues the work of a lost connection [assumed: the kernel's limit for a connection].
  private static let continuing = Duration.seconds(20)
  /// How often BlueZ is asked during a scan (`BlueZCentral.keepAsking`).
  private static let askingInterval = Duration.milliseconds(200)

  package init(to host: HostScenario, _ generator: SeededGenerator, _ clock: any TimeSource) {
    (self.host, self.clock) = (host, clock)
    state = Mutex(State(generator: generator))
  }

  /// Adds a central that uses it.
  /// - Parameters:
  ///   - isLost: called after each loss.
  ///   - isBack: called when there is a connection again.
  func addUser(isLost: @escaping @Sendable (CentralError) -> Void, isBack: @escaping @Sendable () -> Void) {
    state.withLock { $0.users.append(User(isLost: isLost, isBack: isBack)) }
  }

  /// The longest time of a call that the host answers at once; nil while it is lost.
  var roundTrip: Duration? { isUp ? (host.delay + host.jitter) * 2 : nil }

  // MARK: Loss

  /// Whether the host can be reached.
  package var isUp: Bool { state.withLock { $0.failure == nil } }

  /// The host cannot be reached from now on.
  /// - Parameter code: what each call fails with.
  package func lose(_ code: CentralError.Code = .busUnavailable) {
    let error = CentralError(code, stackText: "virtual: no connection to \(host.name)", on: host.name)
    let (calls, users) = state.withLock { state in
      state.failure = error
      state.connection += 1
      defer { state.calls = [:] }
      return (state.calls.sorted { $0.key < $1.key }.map(\.value), state.users)
    }
    for call in calls {
      _ = clock.schedule(at: clock.now.advanced(by: Self.continuing), call.abandon)
      call.fail(error)
    }
    for user in users { user.isLost(error) }
  }

  /// The host can be reached again: there is a connection after some round trips, and up to a second in which none is
  /// tried.
  package func restore() {
    let (connection, duration) = state.withLock { state in
      (state.connection, host.delay * 8 + state.generator.duration(in: .zero...(.seconds(1))))
    }
    _ = clock.schedule(at: clock.now.advanced(by: duration)) { [self] in
      let users = state.withLock { state -> [User] in
        guard state.failure != nil, state.connection == connection else { return [] }
        state.failure = nil
        return state.users
      }
      for user in users { user.isBack() }
    }
  }

  // MARK: Messages

  /// Calls `body` when a message that is sent now arrives; never if the connection is lost before.
  func send(_ direction: Direction, _ body: @escaping @Sendable () -> Void) {
    let sent = state.withLock { state -> (connection: Int, arrives: MonotonicInstant)? in
      guard state.failure == nil else { return nil }
      let delay = host.delay + state.generator.duration(in: .zero...host.jitter)
      let earliest = clock.now.advanced(by: delay)
      let arrives = max(earliest, state.latest[direction] ?? earliest)
      state.latest[direction] = arrives
      return (state.connection, arrives)
    }
    guard let sent else { return }
    if host.delay + host.jitter == .zero { return body() }
    _ = clock.schedule(at: sent.arrives) { [self] in
      if state.withLock({ $0.connection == sent.connection }) { body() }
    }
  }

  /// Has work done on the host, and waits for the answer, also in a cancelled task: cancellation travels to the host.
  /// - Throws: the error of the work; why the host cannot be reached.
  func call<Value: Sendable>(
    in world: World, _ work: @escaping @Sendable () async throws(CentralError) -> Value
  ) async throws(CentralError) -> Value {
    let answer = OneShot<Result<Value, CentralError>>()
    // Whether the work was abandoned before its end.
    let ending = OneShot<Bool>()
    let call = try begin(
      Call(fail: { answer.fulfill(.failure($0)) }, abandon: { ending.fulfill(true) }))
    send(.toHost) { [self] in
      let isCarriedOut = world.carryOut {
        let result = await Self.result(of: work, endedBy: ending)
        self.send(.fromHost) { answer.fulfill(result) }
      }
      if !isCarriedOut {
        answer.fulfill(.failure(CentralError(.stackUnavailable, stackText: "virtual: over")))
      }
    }
    let result = await withTaskCancellationHandler {
      await answer.valueEvenIfCancelled()
    } onCancel: {
      send(.toHost) { ending.fulfill(true) }
    }
    state.withLock { $0.calls[call] = nil }
    return try result.get()
  }

  private func begin(_ call: Call) throws(CentralError) -> UInt64 {
    try state.withLock { state throws(CentralError) in
      if let failure = state.failure { throw failure }
      state.lastCall += 1
      state.calls[state.lastCall] = call
      return state.lastCall
    }
  }

  private static func result<Value: Sendable>(
    of work: @escaping @Sendable () async throws(CentralError) -> Value, endedBy ending: OneShot<Bool>
  ) async -> Result<Value, CentralError> {
    await withTaskGroup(of: Result<Value, CentralError>.self) { group in
      group.addTask {
        defer { ending.fulfill(false) }
        do throws(CentralError) { return .success(try await work()) } catch { return .failure(error) }
      }
      if await ending.valueEvenIfCancelled() { group.cancelAll() }
      return await group.next() ?? .failure(CentralError(.cancelled))
    }
  }

  /// When an advertisement counts as received (`BlueZCentral.keepAsking`): when the question was sent that was the last
  /// to reach the host before it.
  func counted(_ received: MonotonicInstant) -> MonotonicInstant {
    let delay = host.delay + host.jitter
    let period = Self.askingInterval + delay * 2
    let sent = max(received.sinceZero - delay, .zero)
    return MonotonicInstant(sinceZero: period * Int(sent / period))
  }
}
