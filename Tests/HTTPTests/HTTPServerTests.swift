import Bluetooth
import EventLoop
import Foundation
import RawClient
import Testing

@testable import HTTP

@Suite("The server of documents", .timeLimit(.minutes(10))) struct HTTPServerTests {
  /// Serves on a loop of its own while `body` runs on another thread.
  private static func serve<Result: Sendable>(
    limits: HTTPLimits = HTTPLimits(),
    _ answer: @escaping @Sendable (HTTPRequest) -> HTTPAnswer,
    _ body: @escaping @Sendable (HTTPServer, _ loop: LoopExecutor) throws -> Result
  ) async throws -> Result {
    try await serve(limits: limits, replying: { .answer(answer($0)) }, body)
  }

  private static func serve<Result: Sendable>(
    limits: HTTPLimits = HTTPLimits(),
    replying reply: @escaping @Sendable (HTTPRequest) -> HTTPReply,
    _ body: @escaping @Sendable (HTTPServer, _ loop: LoopExecutor) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Result, any Error>) in
      Thread.detachNewThread {
        let result = LoopExecutor.run { () async -> Swift.Result<Result, any Error> in
          do {
            let server = try HTTPServer(
              "127.0.0.1", port: 0, limits: limits, clock: SystemClock(), reply: reply)
            guard let loop = LoopExecutor.current else { preconditionFailure("no loop") }
            return await withTaskGroup(of: Void.self) { group in
              group.addTask { await server.run() }
              defer { group.cancelAll() }
              return await withCheckedContinuation { done in
                Thread.detachNewThread { done.resume(returning: Swift.Result { try body(server, loop) }) }
              }
            }
          } catch {
            return .failure(error)
          }
        }
        ended.resume(with: result)
      }
    }
  }

  private static let page: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
    HTTPAnswer(Array(request.target.utf8), type: "text/plain")
  }

  @Test("an answer has its document and the fields that protect it, and the connection ends")
  func answer() async throws {
    let text = try await Self.serve(Self.page) { server, _ in
      let client = try RawClient(port: server.port)
      client.ask("/one")
      return try client.rest()
    }
    let parts = text.components(separatedBy: "\r\n\r\n")
    #expect(parts.count == 2 && parts[1] == "/one")
    let head = parts[0].components(separatedBy: "\r\n")
    #expect(head[0] == "HTTP/1.1 200 OK")
    for field in [
      "Connection: close", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
      "X-Content-Type-Options: nosniff", "Content-Length: 4", "Content-Type: text/plain",
    ] { #expect(head.contains(field), "\(field)") }
    #expect(text.contains("Content-Security-Policy: default-src 'none';") && !text.contains("unsafe"))
  }

  @Test("a request may come in pieces, and with a body that nobody reads")
  func pieces() async throws {
    let answers = try await Self.serve(Self.page) { server, _ in
      let (slow, post) = (try RawClient(port: server.port), try RawClient(port: server.port))
      for piece in ["GE", "T /slow HTTP/1.1\r", "\nHost: x\r\n\r", "\n"] { slow.send(piece) }
      post.send("POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
      return [try slow.rest(), try post.text(upTo: "/post")]
    }
    #expect(answers[0].hasSuffix("/slow") && answers[1].hasSuffix("/post"))
  }

  // MARK: Bodies, and answers that come later

  /// Answers a body of at most 8 bytes with itself, and the length that it was asked with.
  private static let echo: @Sendable (HTTPRequest) -> HTTPReply = { request in
    guard let body = request.body else { return .body(upTo: 8) }
    let words = "\(request.address) \(request.field("X-Word") ?? "none") "
    return .answer(HTTPAnswer(Array(words.utf8) + body, type: "text/plain"))
  }

  private static func post(_ port: Int, _ rest: String) throws -> String {
    let client = try RawClient(port: port)
    client.send("POST / HTTP/1.1\r\nHost: x\r\n\(rest)")
    return try client.text(upTo: "\r\n\r\n") + client.rest()
  }

  @Test(
    "a body is read up to its limit, and refused before it is read if it has no length or a larger one",
    arguments: [
      ("Content-Length: 8\r\nX-Word: a b\r\n\r\n12345678", 200, "127.0.0.1 a b 12345678"),
      ("Content-Length: 0\r\n\r\n", 200, "127.0.0.1 none "),
      ("Content-Length: 3\r\n\r\n12345678", 200, "127.0.0.1 none 123"),
      ("Content-Length: 9\r\n\r\n", 413, ""), ("Content-Length: 50000000000\r\n\r\n", 413, ""),
      ("Content-Length: 9\r\nExpect: 100-continue\r\n\r\n", 413, ""),
      ("Content-Length: 99999999999999999999\r\n\r\n", 413, nil),
      ("Content-Length: -1\r\n\r\n", 400, nil), ("Content-Length: x\r\n\r\n", 400, nil),
      ("\r\n", 411, ""), ("Transfer-Encoding: chunked\r\n\r\n", 411, ""),
      ("Content-Length: 8\r\nTransfer-Encoding: chunked\r\n\r\n", 411, ""),
    ] as [(String, Int, String?)])
  func body(request: String, status: Int, content: String?) async throws {
    let answer = try await Self.serve(replying: Self.echo) { server, _ in try Self.post(server.port, request)
    }
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    if let content { #expect(answer.hasSuffix("\r\n\r\n" + content), "\(answer)") }
  }

  @Test("a body may come in pieces, and after the server said that it wants it")
  func bodyInPieces() async throws {
    let (slow, asked) = try await Self.serve(replying: Self.echo) { server, _ in
      let (slow, asking) = (try RawClient(port: server.port), try RawClient(port: server.port))
      for piece in ["POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r", "\nb", "od", "y"] {
        slow.send(piece)
        // Another request in between is answered.
        _ = try Self.post(server.port, "Content-Length: 1\r\n\r\n1")
      }
      asking.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
      let asked = try asking.text(upTo: "\r\n\r\n")
      asking.send("more")
      return try (slow.rest(), asked + asking.rest())
    }
    #expect(slow.hasSuffix(" body") && asked.hasPrefix("HTTP/1.1 100 ") && asked.hasSuffix(" more"))
  }

  @Test("bodies that do not come end after their time, and count until then")
  func slowBodies() async throws {
    var limits = HTTPLimits()
    (limits.seconds, limits.bodies) = (1, 10)
    try await Self.serve(limits: limits, replying: Self.echo) { server, _ in
      let begun = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n1"
      let (slow, gone) = (try RawClient(port: server.port), try RawClient(port: server.port))
      slow.send(begun)
      while server.count < 2 { usleep(1000) }
      _ = try Self.post(server.port, "Content-Length: 1\r\n\r\n1")
      let refused = try Self.post(server.port, "Content-Length: 3\r\n\r\n123")
      #expect(refused.hasPrefix("HTTP/1.1 503 "), "\(refused)")
      #expect(try slow.rest() == "")
      #expect(try Self.post(server.port, "Content-Length: 8\r\n\r\n12345678").hasPrefix("HTTP/1.1 200 "))
      withExtendedLifetime(gone) {}
    }
  }

  @Test("an answer may come later than others; a client that has gone does not end its work")
  func later() async throws {
    let (opened, open) = AsyncStream.makeStream(of: Void.self)
    let ends = Lock(0)
    let answer = try await Self.serve(
      replying: { request in
        guard request.target == "/later" else { return .answer(Self.page(request)) }
        return .later {
          for await _ in opened { break }
          ends.withLock { $0 += 1 }
          return HTTPAnswer(Array("at last".utf8), type: "text/plain")
        }
      }
    ) { server, _ in
      let client = try RawClient(port: server.port)
      do {
        let gone = try RawClient(port: server.port)
        for client in [client, gone] { client.ask("/later") }
        for target in ["/1", "/2"] {
          let other = try RawClient(port: server.port)
          other.ask(target)
          #expect(try other.rest().hasSuffix(target))
        }
      }
      #expect(ends.withLock { $0 } == 0)
      open.finish()
      return try client.rest()
    }
    #expect(answer.hasSuffix("\r\n\r\nat last"))
    #expect(ends.withLock { $0 } == 2)
  }

  @Test("a server that ends while a body or an answer is awaited ends their connections, and the work")
  func endedBetween() async throws {
    let isCancelled = Lock(false)
    let clients = try await Self.serve(
      replying: { request in
        if request.target == "/body" { return .body(upTo: 8) }
        return .later {
          while !Task.isCancelled { await Task.yield() }
          isCancelled.withLock { $0 = true }
          return HTTPAnswer(.ok)
        }
      }
    ) { server, _ in
      let (body, later) = (try RawClient(port: server.port), try RawClient(port: server.port))
      body.ask("/body", method: "POST", "Content-Length: 8")
      later.ask("/later")
      let other = try RawClient(port: server.port)
      other.ask("/body")
      _ = try other.rest()
      return [body, later]
    }
    for client in clients { #expect(try client.rest() == "") }
    #expect(isCancelled.withLock { $0 })
  }

  @Test("a head that is too large, and what is no request, is refused without the content of any document")
  func large() async throws {
    let answers = try await Self.serve({ _ in HTTPAnswer(Array("document".utf8), type: "text/plain") }) {
      server, _ in
      try [
        "GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: 100_000))", "GET\r\n\r\n",
        "\u{16}\u{3}\u{1}\r\n\r\n",
        "GET / HTTP/9.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
      ].map { head in
        let client = try RawClient(port: server.port)
        client.send(head)
        // The rest of a large request is refused with a reset.
        return (try? client.rest()) ?? ""
      }
    }
    for answer in answers {
      #expect(answer == "" || answer.contains(#/^HTTP\/1\.[01] [45]/#), "\(answer)")
      #expect(!answer.contains("document"))
    }
  }

  @Test("a connection without a request ends after its time")
  func idle() async throws {
    var limits = HTTPLimits()
    limits.seconds = 1
    let rest = try await Self.serve(limits: limits, Self.page) { server, _ in
      let client = try RawClient(port: server.port)
      client.send("GET / HTTP/1.1\r\n")
      return try client.rest()
    }
    #expect(!rest.contains("200"))
  }

  @Test("a crowd from one address leaves room for another one, and for who follows events")
  func crowd() async throws {
    var limits = HTTPLimits()
    (limits.connections, limits.ofAddress) = (8, 4)
    let events = HTTPEvents()
    try await Self.serve(limits: limits, { $0.target == "/events" ? HTTPAnswer(events) : Self.page($0) }) {
      server, loop in
      let follower = try RawClient(port: server.port)
      follower.ask("/events")
      _ = try follower.text(upTo: "\r\n\r\n")
      let crowd = try (0..<1000).map { _ in try RawClient(port: server.port) }
      #expect(try crowd[999].rest() == "")
      #expect(server.count == 4)
      let other = try RawClient(port: server.port, from: "127.0.0.2")
      other.ask("/other")
      #expect(try other.rest().hasSuffix("/other"))
      loop.post { events.publish(change: nil) { "still here" } }
      #expect(try follower.event() == ("state", "still here"))
      withExtendedLifetime(crowd) {}
    }
  }

  @Test("a client gets the state, then each change, and a beat when there is none")
  func events() async throws {
    let events = HTTPEvents()
    events.publish(change: nil) { "one" }
    try await Self.serve({ _ in HTTPAnswer(events) }) { server, loop in
      let client = try RawClient(port: server.port)
      client.ask("/")
      #expect(try client.text(upTo: "\r\n\r\n").contains("Content-Type: text/event-stream"))
      #expect(try client.event() == ("state", "one"))
      loop.post { events.publish(change: "+") { "two" } }
      #expect(try client.event() == ("change", "+"))
      loop.post { events.beat() }
      #expect(try client.event() == ("beat", "1"))
      loop.post { events.publish(change: nil) { "three" } }
      #expect(try client.event() == ("state", "three"))
      let late = try RawClient(port: server.port)
      late.ask("/")
      _ = try late.text(upTo: "\r\n\r\n")
      #expect(try late.event() == ("state", "three"))
    }
  }

  @Test("a client that reads slowly costs one event, and then gets the newest state, not each before it")
  func slow() async throws {
    let events = HTTPEvents()
    let large = String(repeating: "x", count: 8 << 20)
    events.publish(change: nil) { large }
    var limits = HTTPLimits()
    // The client searches 8 MB before it takes more.
    limits.seconds = 3600
    try await Self.serve(limits: limits, { _ in HTTPAnswer(events) }) { server, loop in
      let client = try RawClient(port: server.port)
      client.ask("/")
      // The state is on its way.
      _ = try client.text(upTo: "data: ")
      let published = DispatchSemaphore(value: 0)
      for number in 1...200 {
        loop.post {
          events.publish(change: "\(number)") { "state \(number)" }
          published.signal()
        }
        published.wait()
      }
      #expect(try client.text(upTo: "\n\n").count == large.count + 2)
      #expect(try client.event() == ("state", "state 200"))
    }
  }

  @Test("a client that takes nothing ends after its time")
  func stuck() async throws {
    var limits = HTTPLimits()
    limits.seconds = 1
    let events = HTTPEvents()
    events.publish(change: nil) { String(repeating: "x", count: 32 << 20) }
    try await Self.serve(limits: limits, { _ in HTTPAnswer(events) }) { server, _ in
      let client = try RawClient(port: server.port)
      client.ask("/")
      _ = try client.text(upTo: "\r\n\r\n")
      while server.count > 0 { usleep(10_000) }
      withExtendedLifetime(client) {}
    }
  }

  @Test("a server that ends while clients wait or follow ends their connections")
  func ended() async throws {
    let events = HTTPEvents()
    let client = try await Self.serve({ _ in HTTPAnswer(events) }) { server, loop in
      let client = try RawClient(port: server.port)
      client.ask("/")
      _ = try client.text(upTo: "\r\n\r\n")
      return client
    }
    #expect(try client.rest() == "")
  }

  @Test(
    "a place where it cannot listen is an error",
    arguments: [("localhost", EINVAL), ("192.0.2.1", EADDRNOTAVAIL)])
  func refused(address: String, code: Int32) {
    #expect(throws: HTTPServerError(code: code)) {
      try HTTPServer(address, port: 0, clock: SystemClock()) { .answer(Self.page($0)) }
    }
  }
}
