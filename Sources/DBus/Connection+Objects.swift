import CDBus
import EventLoop

/// The exported objects, and the calls to them that nobody has taken up yet.
struct ExportTable {
  struct Handler {
    let handle: @Sendable (MethodCall) async -> Result<[DBusValue], DBusError>
    let answered: @Sendable (MethodCall) -> Void
  }

  struct Request {
    let call: MethodCall
    let handler: Handler
  }

  /// Calls that may wait for an answer at one time.
  static let mostUnanswered = 4096

  var handlers: [ObjectPath: Handler] = [:]
  /// Calls that wait for `serve`, oldest first.
  var requests: [Request] = []
  /// Those, and the ones being handled.
  var unanswered = 0
  /// `serve`, when it waits for the next call.
  var server: CheckedContinuation<Void, Never>?
  var isServing = false

  /// The handler of the path, or of the nearest above it.
  func handler(for path: ObjectPath) -> Handler? {
    var next: ObjectPath? = path
    while let path = next {
      if let handler = handlers[path] { return handler }
      next = path.parent
    }
    return nil
  }

  mutating func wakeServer() {
    server?.resume()
    server = nil
  }

  mutating func end() {
    handlers = [:]
    requests = []
    wakeServer()
  }
}

extension Connection {
  /// Answers calls to a path and to every path below it, but for those with a handler further down. Calls wait until
  /// `serve()` runs. `org.freedesktop.DBus.Peer` is answered without it, on every path.
  /// - Parameters:
  ///   - answered: Called on the connection's thread when an answer has gone out (or was not wanted): what is sent from
  ///     then on comes after it. It must be quick.
  ///   - handler: Runs in a child task of `serve()`. Handlers start on the connection's thread in the order in
  ///     which the calls came, and may overlap from their first suspension on. An error goes to the caller
  ///     by its name and message. For a call with `noReply` the result is dropped.
  public func export(
    _ path: ObjectPath, answered: @escaping @Sendable (MethodCall) -> Void = { _ in },
    handler: @escaping @Sendable (MethodCall) async -> Result<[DBusValue], DBusError>
  ) {
    if !isClosed { exports.handlers[path] = ExportTable.Handler(handle: handler, answered: answered) }
  }

  /// Stops answering calls to the path. Those already received are answered.
  public func unexport(_ path: ObjectPath) {
    exports.handlers[path] = nil
  }

  /// Runs the handlers of exported objects, until the connection is gone or the task is cancelled; either
  /// cancels the handlers that are under way, and waits for them. One task may serve a connection at a time.
  public func serve() async {
    precondition(!exports.isServing, "this connection is served already")
    exports.isServing = true
    await withDiscardingTaskGroup { group in
      while let request = await nextRequest() {
        group.addTask(executorPreference: executor.tasks) {
          let result = await request.handler.handle(request.call)
          await self.finish(request, result)
        }
      }
      group.cancelAll()
    }
    exports.isServing = false
  }

  private func nextRequest() async -> ExportTable.Request? {
    while !isClosed, !Task.isCancelled {
      if !exports.requests.isEmpty { return exports.requests.removeFirst() }
      await withTaskCancellationHandler {
        await withCheckedContinuation { exports.server = $0 }
      } onCancel: {
        executor.post { [weak self] in self?.assumeIsolated { $0.exports.wakeServer() } }
      }
    }
    return nil
  }

  private func finish(_ request: ExportTable.Request, _ result: Result<[DBusValue], DBusError>) {
    exports.unanswered -= 1
    answer(request.call, result)
    request.handler.answered(request.call)
  }

  /// Takes a call that came in.
  func receive(_ call: MethodCall) {
    if call.interface == "org.freedesktop.DBus.Peer" { return answer(call, peer(call.member)) }
    guard let handler = exports.handler(for: call.path) else {
      return answer(
        call, .failure(.remote(DBusError.prefix + "UnknownObject", "there is no object \(call.path)")))
    }
    guard exports.unanswered < ExportTable.mostUnanswered else { return answer(call, .failure(.overloaded)) }
    exports.unanswered += 1
    exports.requests.append(ExportTable.Request(call: call, handler: handler))
    exports.wakeServer()
  }

  /// Answers a call, if its caller wants an answer and still can have one.
  func answer(_ call: MethodCall, _ result: Result<[DBusValue], DBusError>) {
    guard !call.noReply else { return }
    do {
      try send(OutgoingMessage(answerTo: call, result))
    } catch  where error.kind == .badMessage {
      // The handler's values cannot be sent; the caller must not wait for nothing.
      let failure = DBusError.remote(DBusError.prefix + "Failed", "no valid answer: \(error.message)")
      if let message = try? OutgoingMessage(answerTo: call, .failure(failure)) { try? send(message) }
    } catch {
      // The caller cannot be reached any more.
    }
  }

  /// What libdbus answers for those who let it dispatch.
  private func peer(_ member: MemberName) -> Result<[DBusValue], DBusError> {
    switch member {
    case "Ping": return .success([])
    case "GetMachineId":
      var error = CDBus.DBusError()
      dbus_error_init(&error)
      defer { dbus_error_free(&error) }
      guard let identifier = dbus_try_get_local_machine_id(&error) else {
        return .failure(.remote(DBusError.prefix + "Failed", error.message.map { String(cString: $0) } ?? ""))
      }
      defer { dbus_free(identifier) }
      return .success([.string(String(cString: identifier))])
    default:
      return .failure(.remote(DBusError.prefix + "UnknownMethod", "Peer has no method \(member)"))
    }
  }
}
