import CDBus
import EventLoop

/// The exported objects, and the received method calls that no handler has taken yet.
struct ExportTable {
  struct Handler {
    let handle: @Sendable (MethodCall) async -> Result<[DBusValue], DBusError>
    let answered: @Sendable (MethodCall) -> Void
  }

  struct Request {
    let call: MethodCall
    let handler: Handler
  }

  /// The maximum number of calls that wait for a reply at one time.
  static let mostUnanswered = 4096

  var handlers: [ObjectPath: Handler] = [:]
  /// Calls that wait for `serve`, oldest first.
  var requests: [Request] = []
  /// The number of these calls plus the calls that are being handled.
  var unanswered = 0
  /// The continuation of `serve` while it waits for the next call.
  var server: CheckedContinuation<Void, Never>?
  var isServing = false

  /// Returns the handler of the path, or of its nearest ancestor with a handler.
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
  /// Exports a handler for a path and all paths below it, except those with a handler of their own. Calls
  /// wait until `serve()` runs. The connection itself replies to `org.freedesktop.DBus.Peer`, on every path
  /// and without `serve()`.
  /// - Parameters:
  ///   - answered: Called on the connection's thread when a reply was sent (or was not wanted). Messages that
  /// are sent afterwards follow that reply. It must return quickly.
  ///   - handler: Runs in a child task of `serve()`. Handlers start on the connection's thread, in the order
  /// of the calls, and may overlap after their first suspension. The name and message of an error are sent to
  /// the caller. The result of a call with `noReply` is dropped.
  package func export(
    _ path: ObjectPath, answered: @escaping @Sendable (MethodCall) -> Void = { _ in },
    handler: @escaping @Sendable (MethodCall) async -> Result<[DBusValue], DBusError>
  ) {
    if !isClosed { exports.handlers[path] = ExportTable.Handler(handle: handler, answered: answered) }
  }

  /// Removes the handler of a path. Calls that wait for it are still answered by it.
  package func unexport(_ path: ObjectPath) { exports.handlers[path] = nil }

  /// Runs the handlers of exported objects until the connection is closed or the task is cancelled. In both
  /// cases it cancels the running handlers and waits for them. Only one task may serve a connection at a
  /// time.
  package func serve() async {
    precondition(!exports.isServing, "only one task may serve a connection")
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
        await withCheckedContinuation { server in
          // The task may have been suspended since the conditions above were checked.
          let mustWait = !isClosed && !Task.isCancelled && exports.requests.isEmpty
          if mustWait { exports.server = server } else { server.resume() }
        }
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

  /// Sends the reply to a call, if the caller wants one and can still receive it.
  func answer(_ call: MethodCall, _ result: Result<[DBusValue], DBusError>) {
    guard !call.noReply else { return }
    do {
      try send(OutgoingMessage(answerTo: call, result))
    } catch  where error.kind == .badMessage {
      // The handler's values cannot be sent. Without an error reply the caller would wait until its timeout.
      let failure = DBusError.remote(DBusError.prefix + "Failed", "no valid answer: \(error.message)")
      if let message = try? OutgoingMessage(answerTo: call, .failure(failure)) { try? send(message) }
    } catch {
      // The caller is no longer reachable.
    }
  }

  /// The replies that libdbus itself gives when it dispatches messages.
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
