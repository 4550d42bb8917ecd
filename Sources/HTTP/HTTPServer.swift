package import Bluetooth
import CHTTP
import CLinux
package import EventLoop
import Glibc

/// What a server grants to its clients. Beyond it connections are refused or end.
package struct HTTPLimits: Sendable {
  /// Open connections in all.
  package var connections: UInt32 = 128
  /// Open connections from one address, so that one host leaves room for others.
  package var ofAddress: UInt32 = 64
  /// Bytes of a request's head, and of what is sent at once.
  package var request = 16 << 10
  /// Bytes of all bodies that are read at the same time.
  package var bodies = 8 << 20
  /// Seconds in which neither side sends a byte, except between two events.
  package var seconds: UInt32 = 20
  /// About the bytes that the kernel holds for a client.
  package var buffer = 128 << 10

  package init() {}
}

/// A server of what is in memory, for a few clients, by libmicrohttpd: one request for each connection. No path reaches a file
/// system, and nothing is logged. It runs on a loop, without a thread of its own; only answers that come later have tasks.
package final class HTTPServer: LoopSource {
  package let port: Int
  private let clock: any TimeSource
  private let reply: @Sendable (HTTPRequest) -> HTTPReply
  private let state: Lock<State>
  private let works: AsyncStream<Work>
  private let begin: AsyncStream<Work>.Continuation

  /// What makes the answer to a request.
  private struct Work: Sendable {
    /// Its place in memory, where it lasts until it is answered or the server ends.
    let request: UInt
    let answer: @Sendable () async -> HTTPAnswer
  }

  /// Only the loop's thread uses the library's handle, which never leaves this class.
  private struct State {
    /// Nil after the end.
    var server: OpaquePointer?
    /// Those that clients follow.
    var events: HTTPEvents?
    var place = HTTPEvents.Place()

    mutating func stop() {
      if let server { chttp_stop(server) }
      server = nil
    }
  }

  /// Listens on an address in numbers.
  /// - Parameters:
  ///   - port: 0 for a free one.
  ///   - reply: The reply to a request; all that are followed have the same events. It is called on the loop's thread.
  /// - Throws: The system's error; `EINVAL` if it is no such address, `ELIBACC` if libmicrohttpd is not installed.
  package init(
    _ address: String, port: Int, limits: HTTPLimits = HTTPLimits(), clock: any TimeSource,
    reply: @escaping @Sendable (HTTPRequest) -> HTTPReply
  ) throws(HTTPServerError) {
    let socket = clinux_listen(address, Int32(port), Int32(limits.buffer), limits.seconds * 1000)
    guard socket >= 0 else { throw HTTPServerError(code: errno) }
    let started = chttp_start(
      socket,
      chttp_limits(
        connections: limits.connections, connections_of_address: limits.ofAddress, request: limits.request,
        bodies: limits.bodies, seconds: limits.seconds))
    guard let server = started else {
      let code = errno
      close(socket)
      throw HTTPServerError(code: code)
    }
    self.port = Int(clinux_port(socket))
    state = Lock(State(server: server))
    (self.clock, self.reply) = (clock, reply)
    (works, begin) = AsyncStream.makeStream()
  }

  deinit { state.withLock { $0.stop() } }

  /// Serves until the task is cancelled, on the loop of the task.
  package func run() async {
    guard let loop = LoopExecutor.current else { preconditionFailure("a server runs on a loop") }
    loop.serve(self)
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in
        // The loop gives each source its turn after a job, and so the server sees that the time of a connection is over.
        while (try? await clock.sleep(for: .seconds(1))) != nil {}
        state.withLock { $0.stop() }
      }
      for await work in works {
        group.addTask { [self] in
          let answer = await work.answer()
          state.withLock { state in
            if state.server != nil, let request = OpaquePointer(bitPattern: work.request) {
              send(answer, to: request, &state)
            }
          }
        }
      }
    }
  }

  /// The number of open connections.
  package var count: Int { state.withLock { $0.server.map { Int(chttp_count($0)) } ?? 0 } }

  package func takeTurn(isReady: Bool) -> LoopInterest? {
    state.withLock { state in
      guard let server = state.server else { return nil }
      publish(&state, to: server)
      var hasMore = chttp_run(server)
      while let request = chttp_next(server) {
        take(request, &state)
        hasMore = true
      }
      if chttp_wants_whole(server), let events = state.events {
        let whole = events.whole
        chttp_set_whole(server, whole, whole.count)
        hasMore = true
      }
      return LoopInterest(descriptor: chttp_descriptor(server), wantsToWrite: false, hasMore: hasMore)
    }
  }

  private func publish(_ state: inout State, to server: OpaquePointer) {
    switch state.events?.news(after: &state.place) {
    case .change(let change)?: chttp_publish(server, change ?? [], change?.count ?? 0)
    case .beat?: chttp_beat(server, HTTPEvents.beat, HTTPEvents.beat.count)
    case nil: break
    }
  }

  private func take(_ request: OpaquePointer, _ state: inout State) {
    var body: [UInt8]?
    if case let count = chttp_received(request), count > 0 {
      var bytes = [UInt8](repeating: 0, count: count)
      chttp_take_body(request, &bytes)
      body = bytes
    }
    let field = { (name: String) in chttp_field(request, name).map { String(cString: $0) } }
    while true {
      let reply = self.reply(
        HTTPRequest(
          method: String(cString: chttp_method(request)), target: String(cString: chttp_target(request)),
          address: String(cString: chttp_address(request)),
          cookie: { chttp_cookie(request, $0).map { String(cString: $0) } }, field: field, body: body))
      switch reply {
      case .answer(let answer): return send(answer, to: request, &state)
      case .later(let answer):
        begin.yield(Work(request: UInt(bitPattern: request), answer: answer))
        return
      case .body(let limit):
        precondition(body == nil, "a body is asked for once")
        let length = chttp_length(request)
        guard (0...Int64(limit)).contains(length) else {
          return send(HTTPAnswer(length < 0 ? .lengthRequired : .contentTooLarge), to: request, &state)
        }
        if length > 0 {
          if !chttp_read_body(request, Int(length)) {
            send(HTTPAnswer(.serviceUnavailable), to: request, &state)
          }
          return
        }
        body = []
      }
    }
  }

  private func send(_ answer: HTTPAnswer, to request: OpaquePointer, _ state: inout State) {
    for field in answer.allFields { chttp_add_field(request, field.name, field.value) }
    guard let events = answer.events else {
      chttp_answer(request, answer.status.rawValue, answer.body, answer.body.count)
      return
    }
    state.events = events
    chttp_follow(request)
  }
}

/// Why a server cannot listen.
package struct HTTPServerError: Error, Hashable, Sendable {
  /// The system's error.
  package let code: Int32
}
