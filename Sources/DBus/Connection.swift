public import EventLoop

/// A connection to a bus: calls, signals and exported objects.
///
/// It lives on a loop (`executor`), which several connections may share. What comes in is handled one message at a
/// time, in the order of the wire: a signal's handlers have returned, and the continuation of an answered call has
/// run as far as it stays on this thread, before the next message is looked at. So an actor pinned to
/// `executor` that awaits a call, say `GetManagedObjects`, sees the answer after every signal that was sent before
/// it and before every signal that was sent after it.
///
/// Deadlines are measured on the system's monotonic clock, because they wait for another process. Close it when it
/// is no longer wanted; a connection that nobody refers to closes itself.
public actor Connection {
  private typealias Continuation = CheckedContinuation<Result<[DBusValue], DBusError>, Never>

  /// A call that was sent.
  private enum Waiter {
    /// Its task is on its way to wait: on a busy machine the call's end may be here first.
    case announced
    /// Its task waits, until its deadline where there is one.
    case waiting(Continuation, LoopTimer?)
    /// It ended before its task waited.
    case ended(Result<[DBusValue], DBusError>)
  }

  /// Messages that are handled before the thread looks at its jobs again.
  private static let mostMessages = 64

  /// The loop of this connection, as an executor that other actors can pin themselves to.
  public nonisolated let executor: LoopExecutor
  /// The name that the bus gave this connection.
  public nonisolated let uniqueName: BusName

  /// Nil when the connection is gone.
  private var link: Link?
  private var waiting: [UInt32: Waiter] = [:]
  var signals = SignalTable()
  var exports = ExportTable()
  private var closeWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  private var lastCloseWaiter: UInt64 = 0
  private var closeHandlers: [@Sendable () -> Void] = []

  /// The connection's loop.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A connection that is served from now on. On the loop's thread.
  private init(link: Link, servedBy executor: LoopExecutor) {
    self.executor = executor
    self.link = link
    uniqueName = link.uniqueName
    executor.serve(self)
  }

  isolated deinit {
    link?.close()
  }

  /// How long a bus, or a service on it, may take to answer unless a call says otherwise.
  public static let patience = Duration.seconds(10)

  /// Connects and registers. Cancelling the task ends the wait at once. libdbus blocks meanwhile, without a limit where the bus
  /// accepts the connection and then says nothing; so that is done on a thread of its own, and the loop goes on.
  /// - Parameter patience: how long all of it may take.
  /// - Parameter loop: where the connection is to live; if nil, on the loop that the task belongs to, or else on a new one
  ///   with a thread of its own.
  /// - Throws: `cannotConnect` with libdbus's name and text for the reason, or `cancelled`.
  public static func open(
    _ address: BusAddress, on loop: LoopExecutor? = nil, patience: Duration = Connection.patience
  ) async throws(DBusError) -> Connection {
    let executor = loop ?? LoopExecutor.current ?? LoopExecutor.startThread()
    let opened = OneShot<Result<Connection, DBusError>>()
    let timer = executor.schedule(after: patience) {
      opened.give(
        .failure(
          DBusError(
            kind: .cannotConnect, name: DBusError.prefix + "Timeout",
            message: "the bus accepted the connection, and did not answer within \(patience)")))
    }
    defer { timer.cancel() }
    onThreadOfItsOwn {
      guard !opened.isGiven else { return }
      let link = Result { () throws(DBusError) in try Link.connect(address) }
      executor.post {
        // When the task was cancelled in the meantime, the connection goes, and closes itself.
        opened.give(link.map { Connection(link: $0, servedBy: executor) })
      }
    }
    return try await withTaskCancellationHandler {
      await opened.take()
    } onCancel: {
      opened.give(.failure(.cancelled))
    }.get()
  }

  // MARK: Calls

  /// Calls a method and waits for the answer. Any number of calls may be under way.
  ///
  /// An answer that comes after the deadline or after the cancellation is dropped; that the other side did nothing
  /// does not follow.
  /// - Parameters:
  ///   - call: What to call. With `noReply` set it is sent and nothing is waited for, even in a cancelled task.
  ///   - timeout: How long to wait; nil for as long as the connection exists (a `Connect` of BlueZ's may never
  ///     be answered).
  /// - Returns: the values of the answer.
  /// - Throws: `remote` with the other side's error, `timedOut`, `cancelled`, `disconnected`, `badMessage` when
  ///   the call cannot be sent or its answer not be read, `overloaded`.
  @discardableResult
  public func call(
    _ call: MethodCall, timeout: Duration? = Connection.patience
  ) async throws(DBusError) -> [DBusValue] {
    guard let link else { throw .disconnected }
    if call.noReply {
      try link.send(OutgoingMessage(call))
      return []
    }
    if Task.isCancelled { throw .cancelled }
    let serial = try link.send(OutgoingMessage(call))
    waiting[serial] = .announced
    let deadline = timeout.map { SuspendingClock.now + $0 }
    let result = await withTaskCancellationHandler {
      await answer(to: serial, until: deadline)
    } onCancel: {
      executor.post { [weak self] in
        self?.assumeIsolated { _ = $0.finish(serial, .failure(.cancelled)) }
      }
    }
    if case .failure(let error) = result, error.kind == .timedOut, let timeout {
      throw .timedOut(call, after: timeout)
    }
    return try result.get()
  }

  /// Waits for the answer to a call that was sent.
  private func answer(
    to serial: UInt32, until deadline: SuspendingClock.Instant?
  ) async -> Result<[DBusValue], DBusError> {
    let isOnLoop = withUnsafeCurrentTask { $0?.unownedTaskExecutor == executor.tasks.asUnownedTaskExecutor() }
    if isOnLoop {
      return await withCheckedContinuation { attend(serial, $0, until: deadline) }
    }
    // A continuation resumes wherever the task prefers to run, and only then goes on to its actor. Preferring
    // this thread keeps the answer's place among the messages, and saves a detour over Swift's own threads.
    return await withTaskExecutorPreference(executor.tasks) {
      await withCheckedContinuation { attend(serial, $0, until: deadline) }
    }
  }

  /// Notes who waits for the answer to a call that was sent; its end may have come before.
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

  /// - Returns: whether somebody waited for it.
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

  /// Sends a signal to everyone who subscribed to it. An actor pinned to `executor` may call it without
  /// waiting, through `assumeIsolated`.
  /// - Throws: `disconnected`, `badMessage`, `overloaded`.
  public func emit(_ signal: Signal) throws(DBusError) {
    try send(OutgoingMessage(signal))
  }

  func send(_ message: OutgoingMessage) throws(DBusError) {
    guard let link else { throw .disconnected }
    try link.send(message)
  }

  /// Takes a well-known name, unless another connection has it.
  /// - Throws: `nameTaken`, `remote` when the bus does not allow it, and as `call`.
  public func requestName(_ name: BusName) async throws(DBusError) {
    let doNotQueue: UInt32 = 4
    let answer = try await call(.toBus("RequestName", [.string(name.text), .uint32(doNotQueue)]))
    // 1: it is ours now; 4: it was already.
    guard let code = answer.first?.asUInt32, code == 1 || code == 4 else {
      throw DBusError(
        kind: .nameTaken, name: DBusError.prefix + "AddressInUse",
        message: "another connection owns \(name)")
    }
  }

  /// Gives a well-known name back. Nothing happens when this connection does not own it.
  /// - Throws: as `call`.
  public func releaseName(_ name: BusName) async throws(DBusError) {
    try await call(.toBus("ReleaseName", [.string(name.text)]))
  }

  // MARK: The end

  /// Closes the connection. Every waiting call fails with `disconnected`. What was sent before goes out if the bus
  /// takes it within a short time. Closing twice does nothing.
  public func close() async {
    end()
  }

  /// Returns when the connection is gone, for whatever reason (`close()`, the bus's end), or when the task is
  /// cancelled.
  public nonisolated func closed() async {
    await waitUntilClosed()
  }

  /// Has `handler` called on the connection's thread when the connection is gone, for whatever reason; at once
  /// when it is gone already. An actor pinned to `executor` may `assumeIsolated` in it, and so learns of the end
  /// without a task that waits for it.
  public func onClose(_ handler: @escaping @Sendable () -> Void) {
    if isClosed { handler() } else { closeHandlers.append(handler) }
  }

  /// Whether the connection is gone.
  var isClosed: Bool { link == nil }

  private func waitUntilClosed() async {
    guard !isClosed, !Task.isCancelled else { return }
    lastCloseWaiter += 1
    let number = lastCloseWaiter
    await withTaskCancellationHandler {
      await withCheckedContinuation { closeWaiters[number] = $0 }
    } onCancel: {
      executor.post { [weak self] in
        self?.assumeIsolated { $0.closeWaiters.removeValue(forKey: number)?.resume() }
      }
    }
  }

  private func end() {
    guard let link else { return }
    self.link = nil
    link.close()
    let waiters = waiting.sorted { $0.key < $1.key }
    // What had ended has its result; who comes to wait for another call finds that there is none.
    waiting = waiting.filter { if case .ended = $0.value { true } else { false } }
    for case (_, .waiting(let waiter, let timer)) in waiters {
      timer?.cancel()
      waiter.resume(returning: .failure(.disconnected))
    }
    signals = SignalTable()
    exports.end()
    let closing = closeWaiters.sorted { $0.key < $1.key }
    closeWaiters = [:]
    for (_, waiter) in closing { waiter.resume() }
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

  private func handleMessages(from link: Link) {
    for _ in 0..<Self.mostMessages {
      guard let message = link.next() else { return }
      switch message {
      case .answer(let serial, let result):
        // Whoever waited gets the thread before the next message is handled.
        if finish(serial, result) { return }
      case .signal(let signal): handle(signal)
      case .call(let call): receive(call)
      case .unreadable(let call, let error): answer(call, .failure(error))
      case .nothing: break
      }
    }
  }
}

extension Connection: LoopSource {
  /// The connection's turn on its loop.
  public nonisolated func takeTurn(isReady: Bool) -> LoopInterest? {
    assumeIsolated { $0.advance(isReady: isReady) }
  }
}

extension MethodCall {
  static let bus: BusName = "org.freedesktop.DBus"

  /// A call to the bus itself.
  static func toBus(_ member: MemberName, _ body: [DBusValue]) -> MethodCall {
    MethodCall(
      destination: bus, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: member,
      body: body)
  }
}
