/// A connection to a bus: calls, signals and exported objects.
///
/// It lives on a thread of its own (`executor`) that sleeps on the socket. What comes in is handled one message at a
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
    /// Its task waits.
    case waiting(Continuation)
    /// It ended before its task waited.
    case ended(Result<[DBusValue], DBusError>)
  }

  /// Messages that are handled before the thread looks at its jobs again.
  private static let mostMessages = 64

  /// The thread of this connection, as an executor that other actors can pin themselves to.
  public nonisolated let executor: BusThread
  /// The name that the bus gave this connection.
  public nonisolated let uniqueName: BusName

  /// Nil when the connection is gone.
  private var link: Link?
  private var waiting: [UInt32: Waiter] = [:]
  private var deadlines = Deadlines()
  var signals = SignalTable()
  var exports = ExportTable()
  private var closeWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  private var lastCloseWaiter: UInt64 = 0
  private var closeHandlers: [@Sendable () -> Void] = []

  /// The connection's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private init(link: Link, executor: BusThread) {
    self.executor = executor
    self.link = link
    uniqueName = link.uniqueName
  }

  isolated deinit {
    link?.close()
  }

  /// Connects and registers, on the connection's own thread. Takes as long as the other side lets it, at most about 25
  /// seconds once the socket is there; cancelling the task ends the wait at once.
  /// - Throws: `cannotConnect` with libdbus's name and text for the reason, or `cancelled`.
  public static func open(_ address: BusAddress) async throws(DBusError) -> Connection {
    let executor = BusThread()
    let opened = OneShot<Result<Connection, DBusError>>()
    executor.post {
      guard !opened.isGiven else { return }
      let result = Result { () throws(DBusError) in
        let connection = Connection(link: try Link.connect(address), executor: executor)
        executor.serve(connection)
        return connection
      }
      // When the task was cancelled in the meantime, the connection goes, and closes itself.
      opened.give(result)
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
    _ call: MethodCall, timeout: Duration? = .seconds(25)
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
    let result: Result<[DBusValue], DBusError> = await withTaskCancellationHandler {
      // A continuation resumes wherever the task prefers to run, and only then goes on to its actor. Preferring
      // this thread keeps the answer's place among the messages, and saves a detour over Swift's own threads.
      await withTaskExecutorPreference(executor.tasks) {
        await withCheckedContinuation { waiter in
          attend(serial, waiter, until: deadline)
        }
      }
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

  /// Waits for the answer to a call that was sent; its end may have come before.
  private func attend(_ serial: UInt32, _ waiter: Continuation, until deadline: SuspendingClock.Instant?) {
    switch waiting[serial] {
    case .announced?:
      waiting[serial] = .waiting(waiter)
      if let deadline { deadlines.add(serial, at: deadline) }
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
    case .waiting(let waiter)?:
      waiting[serial] = nil
      waiter.resume(returning: result)
    case .announced?:
      waiting[serial] = .ended(result)
    case .ended?, nil:
      return false
    }
    deadlines.prune(waiting: waiting.count) { waiting[$0] != nil }
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
    deadlines = Deadlines()
    for case (_, .waiting(let waiter)) in waiters { waiter.resume(returning: .failure(.disconnected)) }
    signals = SignalTable()
    exports.end()
    let closing = closeWaiters.sorted { $0.key < $1.key }
    closeWaiters = [:]
    for (_, waiter) in closing { waiter.resume() }
    let handlers = closeHandlers
    closeHandlers = []
    for handler in handlers { handler() }
  }

  // MARK: The thread's turn

  /// Reads, handles a bounded number of messages, and ends calls whose time is up.
  /// - Parameter isReady: whether the socket has something for us, or room.
  /// - Returns: what to wait for; nil when the connection is gone.
  func advance(isReady: Bool) -> BusInterest? {
    guard let link else { return nil }
    if isReady { link.readAndWrite() }
    handleMessages(from: link)
    while let serial = deadlines.popPassed(at: .now) {
      finish(serial, .failure(DBusError(kind: .timedOut, name: "", message: "")))
    }
    let hasMore = link.hasMoreToRead
    if !hasMore, !link.isConnected { end() }
    guard self.link != nil else { return nil }
    return BusInterest(
      descriptor: link.descriptor, wantsToWrite: link.hasMoreToWrite, hasMore: hasMore,
      deadline: deadlines.first)
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

extension MethodCall {
  static let bus: BusName = "org.freedesktop.DBus"

  /// A call to the bus itself.
  static func toBus(_ member: MemberName, _ body: [DBusValue]) -> MethodCall {
    MethodCall(
      destination: bus, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: member,
      body: body)
  }
}
