/// A connection to a bus.
public actor Connection {
  /// The thread of this connection, as an executor that other actors can pin themselves to.
  public nonisolated let executor: BusThread
  /// The name that the bus gave this connection.
  public nonisolated let uniqueName: BusName

  /// The connection's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init() { fatalError("lands next") }

  /// Connects and registers.
  public static func open(_ address: BusAddress) async throws(DBusError) -> Connection {
    fatalError("lands next")
  }

  /// Calls a method and waits for the answer.
  @discardableResult
  public func call(_ call: MethodCall, timeout: Duration? = .seconds(25)) async throws(DBusError)
    -> [DBusValue]
  {
    fatalError("lands next")
  }

  /// Subscribes to signals.
  public func subscribe(
    _ rule: MatchRule, _ handler: @escaping @Sendable (Signal) -> Void
  ) async throws(DBusError) -> Subscription { fatalError("lands next") }

  /// Ends a subscription.
  public func unsubscribe(_ subscription: Subscription) { fatalError("lands next") }

  /// Takes a well-known name.
  public func requestName(_ name: BusName) async throws(DBusError) { fatalError("lands next") }

  /// Gives it back.
  public func releaseName(_ name: BusName) async throws(DBusError) { fatalError("lands next") }

  /// Answers calls to a path and every path below it.
  public func export(
    _ path: ObjectPath, handler: @escaping @Sendable (MethodCall) async -> Result<[DBusValue], DBusError>
  ) { fatalError("lands next") }

  /// Ends it.
  public func unexport(_ path: ObjectPath) { fatalError("lands next") }

  /// Runs the exported handlers, until cancelled or closed.
  public func serve() async { fatalError("lands next") }

  /// Sends a signal.
  public func emit(_ signal: Signal) throws(DBusError) { fatalError("lands next") }

  /// Closes the connection.
  public func close() async { fatalError("lands next") }

  /// Returns when the connection is gone.
  public nonisolated func closed() async { fatalError("lands next") }
}
