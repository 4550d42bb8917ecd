package import EventLoop
package import Logging
import Waiting

/// A connection to a bus: method calls, signals and exported objects.
///
/// It runs on a loop (`executor`), which several connections may share. Received messages are handled one at
/// a time, in the order of the wire: before the next message is handled, the handlers of a signal have
/// returned, and the continuation of a completed call has run as far as it stays on this thread. So an actor
/// pinned to `executor` that awaits a call such as `GetManagedObjects` sees the reply after every signal that
/// was sent before it and before every signal that was sent after it.
///
/// Deadlines use the time of the loop. Close the connection when it is no longer needed; it also closes itself
/// when it is deallocated.
package actor Connection {
  private typealias Continuation = CheckedContinuation<Result<[DBusValue], DBusError>, Never>

  /// The state of a call that was sent.
  private enum Waiter {
    /// Its task does not wait yet. On a busy machine the result can arrive first.
    case announced
    /// Its task waits, until the deadline if there is one.
    case waiting(Continuation, LoopTimer?)
    /// The result arrived before the task waited.
    case ended(Result<[DBusValue], DBusError>)
  }

  /// The maximum number of messages that are handled before the thread runs its jobs again.
  private static let mostMessages = 64

  /// The loop of this connection, as an executor to which other actors can be pinned.
  package nonisolated let executor: LoopExecutor
  /// The unique name that the bus assigned to this connection.
  package nonisolated let uniqueName: BusName

  /// How long calls without a time limit of their own wait for the reply.
  package nonisolated let timeout: Duration
  private nonisolated let log: Logger

  /// Nil when the connection is gone.
  private var link: (any MessageLink)?
  private var waiting: [UInt32: Waiter] = [:]
  var signals = SignalTable()
  var exports = ExportTable()
  private var closeHandlers: [@Sendable () -> Void] = []

  /// The connection's loop.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A connection that is served from now on. On the loop's thread.
  private init(
    _ link: any MessageLink, named name: BusName, servedBy executor: LoopExecutor, timeout: Duration,
    log: Logger
  ) {
    self.executor = executor
    self.timeout = timeout
    self.log = log
    self.link = link
    uniqueName = name
    executor.serve(self)
  }

  isolated deinit {
    link?.close()
  }

  /// The default timeout for replies from the bus and from services.
  package static let defaultTimeout = Duration.seconds(10)

  /// Connects and registers. Cancelling the task ends the wait at once. The system may take long to connect, so that
  /// happens on a separate thread; the rest is the loop's work. A connection to a `LocalBus` needs neither.
  /// - Parameter timeout: The time limit, here and for replies.
  /// - Parameter loop: The loop of the connection. If nil, it is the loop of the task, or else a new one with
  ///   its own thread.
  /// - Parameter log: Gets each call and each received signal at `trace`, without values.
  /// - Throws: `cannotConnect` with libdbus's name and text for the reason, or `cancelled`.
  package static func open(
    _ address: BusAddress, on loop: LoopExecutor? = nil, timeout: Duration = Connection.defaultTimeout,
    log: Logger = .silent
  ) async throws(DBusError) -> Connection {
    let executor = loop ?? LoopExecutor.current ?? LoopExecutor.startThread()
    let opened = OneShot<Result<Connection, DBusError>>()
    let timer = executor.schedule(after: timeout) {
      opened.fulfill(
        .failure(
          DBusError(
            kind: .cannotConnect, name: DBusError.prefix + "Timeout",
            message: "no answer within \(timeout)")))
    }
    let registration = Lock<Registration?>(nil)
    defer {
      timer.cancel()
      // When the task was cancelled or the time is over, this closes the connection.
      executor.post { registration.withLock { $0 = nil } }
    }
    let serve = { @Sendable (link: any MessageLink, name: BusName) in
      _ = opened.fulfill(
        .success(Connection(link, named: name, servedBy: executor, timeout: timeout, log: log)))
    }
    if case .local(let bus) = address {
      executor.post {
        do throws(DBusError) {
          let link = try bus.connect(on: executor)
          serve(link, link.uniqueName)
        } catch {
          opened.fulfill(.failure(error))
        }
      }
    } else {
      onThreadOfItsOwn {
        guard opened.peeked == nil else { return }
        let link = Result { () throws(DBusError) in try Link.open(address) }
        executor.post {
          guard opened.peeked == nil else { return }
          do throws(DBusError) {
            let pending = try Registration(of: link.get()) { outcome in
              switch outcome {
              case .success(let named): serve(named.link, named.name)
              case .failure(let error): opened.fulfill(.failure(.cannotConnect(error)))
              }
            }
            registration.withLock { $0 = pending }
            executor.serve(pending)
          } catch {
            opened.fulfill(.failure(.cannotConnect(error)))
          }
        }
      }
    }
    return try await withTaskCancellationHandler {
      await opened.valueEvenIfCancelled()
    } onCancel: {
      opened.fulfill(.failure(.cancelled))
    }.get()
  }

  // MARK: Calls

  /// Calls a method and waits for the reply, up to the time limit of this connection.
  @discardableResult
  package func call(_ call: MethodCall) async throws(DBusError) -> [DBusValue] {
    try await self.call(call, timeout: timeout)
  }

  /// Calls a method and waits for the reply. Any number of calls may be in flight.
  ///
  /// A reply that arrives after the deadline or after cancellation is dropped. The other side may have
  /// carried out the call nevertheless.
  /// - Parameters:
  ///   - call: The call. With `noReply` it is sent without waiting, even in a cancelled task.
  ///   - timeout: How long to wait for the reply; nil waits until the connection is closed (BlueZ may never
  /// reply to a `Connect`).
  /// - Returns: The values of the reply.
  /// - Throws: `remote` with the other side's error, `timedOut`, `cancelled`, `disconnected`, `overloaded`;
  ///   `badMessage` if the call cannot be sent or the reply cannot be read.
  @discardableResult
  package func call(
    _ call: MethodCall, timeout: Duration?
  ) async throws(DBusError) -> [DBusValue] {
    guard let link else { throw .disconnected }
    let entry = CallLog(call, timeout: timeout, at: executor.now, log)
    if call.noReply {
      try link.send(OutgoingMessage(call))
      entry.endWithoutReply()
      return []
    }
    if Task.isCancelled { throw .cancelled }
    let serial = try link.send(OutgoingMessage(call))
    waiting[serial] = .announced
    let deadline = timeout.map { executor.now + $0 }
    let result = await withTaskCancellationHandler {
      await answer(to: serial, until: deadline)
    } onCancel: {
      executor.post { [weak self] in
        self?.assumeIsolated { _ = $0.finish(serial, .failure(.cancelled)) }
      }
    }
    entry.end(result, at: executor.now)
    if case .failure(let error) = result, error.kind == .timedOut, let timeout {
      throw .timedOut(call, after: timeout)
    }
    return try result.get()
  }

  /// Waits for the reply to a call that was sent.
  private func answer(
    to serial: UInt32, until deadline: SuspendingClock.Instant?
  ) async -> Result<[DBusValue], DBusError> {
    let isOnLoop = withUnsafeCurrentTask { $0?.unownedTaskExecutor == executor.tasks.asUnownedTaskExecutor() }
    if isOnLoop {
      return await withCheckedContinuation { attend(serial, $0, until: deadline) }
    }
    // A continuation first resumes on the task's preferred executor and then moves to its actor. With this
    // thread as the preference, the reply keeps its position among the messages, and no other thread is
    // involved.
    return await withTaskExecutorPreference(executor.tasks) {
      await withCheckedContinuation { attend(serial, $0, until: deadline) }
    }
  }

  /// Registers the task that waits for a reply, which may have arrived already.
  private func attend(_ serial: UInt32, _ waiter: Continuation, until deadline: SuspendingClock.Instant?) {
    switch waiting[serial] {
    case .announced?:
      let timer = deadline.map { deadline in
        executor.schedule(at: deadline) { [weak self] in
          self?.assumeIsolated {
            _ = $0.finish(serial, .failure(DBusError(kind: .timedOut, name: "", message: "")))
          }
        }
      }
      waiting[serial] = .waiting(waiter, timer)
    case .ended(let result)?:
      waiting[serial] = nil
      waiter.resume(returning: result)
    case .waiting?, nil:
      waiter.resume(returning: .failure(.disconnected))
    }
  }

  /// - Returns: Whether a call with this serial was pending.
  @discardableResult
  private func finish(_ serial: UInt32, _ result: Result<[DBusValue], DBusError>) -> Bool {
    switch waiting[serial] {
    case .waiting(let waiter, let timer)?:
      waiting[serial] = nil
      timer?.cancel()
      waiter.resume(returning: result)
    case .announced?:
      waiting[serial] = .ended(result)
    case .ended?, nil:
      return false
    }
    return true
  }

  // MARK: Names and signals that are sent

  /// Sends a signal to all subscribers. An actor pinned to `executor` may call it synchronously, with
  /// `assumeIsolated`.
  /// - Throws: `disconnected`, `badMessage`, `overloaded`.
  package func emit(_ signal: Signal) throws(DBusError) {
    try send(OutgoingMessage(signal))
  }

  func send(_ message: OutgoingMessage) throws(DBusError) {
    guard let link else { throw .disconnected }
    try link.send(message)
  }

  /// Requests a well-known name, unless another connection owns it.
  /// - Throws: `nameTaken`; `remote` if the bus does not allow it; otherwise the same as `call`.
  package func requestName(_ name: BusName) async throws(DBusError) {
    let doNotQueue: UInt32 = 4
    let answer = try await call(.toBus("RequestName", [.string(name.text), .uint32(doNotQueue)]))
    // 1: the connection now owns it; 4: it owned it before.
    guard let code = answer.first?.asUInt32, code == 1 || code == 4 else {
      throw DBusError(
        kind: .nameTaken, name: DBusError.prefix + "AddressInUse",
        message: "another connection owns \(name)")
    }
  }

  // MARK: The end

  /// Closes the connection. Every pending call fails with `disconnected`. Messages that were queued before
  /// are still sent if the bus accepts them within a short time. A second call has no effect.
  package func close() async {
    end()
  }

  /// Calls `handler` on the connection's thread when the connection is closed, for any reason; immediately if
  /// it is closed already. An actor pinned to `executor` may use `assumeIsolated` in it, and so needs no
  /// waiting task to learn of the end.
  package func onClose(_ handler: @escaping @Sendable () -> Void) {
    if isClosed { handler() } else { closeHandlers.append(handler) }
  }

  var isClosed: Bool { link == nil }

  private func end() {
    guard let link else { return }
    self.link = nil
    link.close()
    let waiters = waiting.sorted { $0.key < $1.key }
    // Completed calls keep their result. A task that starts to wait for any other call finds no entry.
    waiting = waiting.filter { if case .ended = $0.value { true } else { false } }
    for case (_, .waiting(let waiter, let timer)) in waiters {
      timer?.cancel()
      waiter.resume(returning: .failure(.disconnected))
    }
    signals = SignalTable()
    exports.end()
    let handlers = closeHandlers
    closeHandlers = []
    for handler in handlers { handler() }
  }

  // MARK: The loop's turn

  /// Reads, and handles a bounded number of messages.
  private func advance(isReady: Bool) -> LoopInterest? {
    guard let link else { return nil }
    if isReady { link.readAndWrite() }
    handleMessages(from: link)
    let hasMore = link.hasMoreToRead
    if !hasMore, !link.isConnected { end() }
    guard self.link != nil else { return nil }
    return LoopInterest(
      descriptor: link.descriptor, wantsToWrite: link.hasMoreToWrite, hasMore: hasMore)
  }

  private func handleMessages(from link: any MessageLink) {
    for _ in 0..<Self.mostMessages {
      guard let message = link.next() else { return }
      switch message {
      case .answer(let serial, let result):
        // The waiting task runs before the next message is handled.
        if finish(serial, result) { return }
      case .signal(let signal):
        signal.log(to: log)
        handle(signal)
      case .call(let call): receive(call)
      case .unreadable(let call, let error): answer(call, .failure(error))
      case .nothing: break
      }
    }
  }
}

extension Connection: LoopSource {
  /// Called by the loop.
  package nonisolated func takeTurn(isReady: Bool) -> LoopInterest? {
    assumeIsolated { $0.advance(isReady: isReady) }
  }
}

extension MethodCall {
  static let bus: BusName = "org.freedesktop.DBus"

  /// Creates a call to the bus itself.
  static func toBus(_ member: MemberName, _ body: [DBusValue]) -> MethodCall {
    MethodCall(
      destination: bus, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: member,
      body: body)
  }
}
