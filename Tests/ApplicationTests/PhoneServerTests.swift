import Bluetooth
import EventLoop
import Foundation
import HTTP
import Model
import RawClient
import Testing

@testable import Application

@Suite("The server of phones", .timeLimit(.minutes(10))) struct PhoneServerTests {
  /// A session that writes down what it is asked, and answers with a text.
  private final class Session: PhoneSession {
    let asked = Lock<[String]>([])
    /// An answer waits until this ends.
    let opened: AsyncStream<Void>
    let open: AsyncStream<Void>.Continuation
    let updates: AsyncStream<PhoneState>
    let update: AsyncStream<PhoneState>.Continuation

    init() {
      (opened, open) = AsyncStream.makeStream()
      (updates, update) = AsyncStream.makeStream()
    }

    func act(_ action: PhoneAction, in room: RoomID, by person: Walk.Person) async -> PhoneAnswer {
      asked.withLock { $0.append("\(person.phone) \(person.name) \(room.rawValue) \(action)") }
      if action == .provision { for await _ in opened { break } }
      return PhoneAnswer("Asked \(asked.withLock { $0.count })", isGood: true)
    }

    func states() async -> AsyncStream<PhoneState> { updates }
  }

  /// A server while it serves.
  private struct Served: Sendable {
    let session: Session
    let server: PhoneServer
    let notices = Lock<[PhoneNotice]>([])

    var origin: String { String(server.address.prefix { $0 != "w" }.dropLast()) }
    var host: String { String(origin.dropFirst(7)) }
    var port: Int { Int(host.split(separator: ":")[1]) ?? 0 }
    var path: String { String(server.address.dropFirst(origin.count)) }

    func get(_ target: String, _ cookie: String? = nil, from source: String = "127.0.0.1") throws -> String {
      let client = try RawClient(port: port, from: source)
      client.send(
        "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\(cookie.map { "Cookie: \($0)\r\n" } ?? "")\r\n")
      return try client.rest()
    }

    func post(
      _ target: String, _ cookie: String, _ body: String, type: String = "application/json",
      host: String? = nil, origin: String? = nil, length: Int? = nil
    ) throws -> String {
      let client = try RawClient(port: port)
      client.send(
        "POST \(target) HTTP/1.1\r\nHost: \(host ?? self.host)\r\nOrigin: \(origin ?? self.origin)\r\n"
          + "Cookie: \(cookie)\r\nContent-Type: \(type)\r\nContent-Length: \(length ?? body.utf8.count)\r\n\r\n"
          + body)
      return try client.rest()
    }

    /// Opens the address as a new browser.
    /// - Returns: Its cookie.
    func open(from source: String = "127.0.0.1") throws -> String {
      let answer = try get(path, from: source)
      let form =
        #/^HTTP/1.1 303 See Other\r\n(?s:.*)\r\nSet-Cookie: (roboprov-phone-\d+=[0-9a-f]{32}); Path=/; Max-Age=86400; HttpOnly; SameSite=Strict\r\n/#
      guard let match = answer.firstMatch(of: form), answer.contains("\r\nLocation: /\r\n") else {
        throw RawClient.Failure(description: answer)
      }
      return String(match.1)
    }

    /// The first phone, with a name.
    func phone() throws -> String {
      let cookie = try open()
      #expect(try post("/name", cookie, #"{"name":"Anna"}"#).hasPrefix("HTTP/1.1 200 "))
      return cookie
    }
  }

  /// Serves on a loop of its own while `body` runs on another thread.
  private static func serve(
    reading photo: @escaping PhoneServer.ReadPhoto = { (picture) throws(PhotoProblem) in
      if picture.pixels.first == 48 { throw .noLibrary }
      return ["\(picture.width)x\(picture.height) \(picture.pixels.count)"]
    },
    _ body: @escaping @Sendable (Served) throws -> Void
  ) async throws {
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        let result = LoopExecutor.run { () async -> Result<Void, any Error> in
          do {
            let session = Session()
            let server = try PhoneServer(
              for: session, at: .init(address: "127.0.0.1", port: 0), on: SystemClock(), reading: photo)
            let served = Served(session: session, server: server)
            return await withTaskGroup(of: Void.self) { group in
              group.addTask { await server.run() }
              group.addTask {
                for await notice in server.notices { served.notices.withLock { $0.append(notice) } }
              }
              defer { group.cancelAll() }
              return await withCheckedContinuation { done in
                Thread.detachNewThread { done.resume(returning: Result { try body(served) }) }
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

  @Test("the address leads the first browser to the page, whose files load nothing from elsewhere")
  func page() async throws {
    try await Self.serve { served in
      #expect(try served.get("/").hasPrefix("HTTP/1.1 403 "))
      let cookie = try served.open()
      let page = try served.get("/", cookie)
      #expect(page.contains("Content-Security-Policy: default-src 'none'; style-src 'self'"))
      #expect(page.contains("phone.js") && !page.contains("style=") && !page.contains("onclick="))
      #expect(try served.get("/phone.css", cookie).contains("\r\nContent-Type: text/css"))
      #expect(try served.get("/phone.js", cookie).contains("\r\nContent-Type: text/javascript"))
      #expect(try served.get("/me", cookie).contains(#"{"phone":1,"name":null,"n":0,"session":""#))
      for target in ["/..", "/?", "/phone.html", "/do", "/../phone.css", "//"] {
        #expect(try served.get(target, cookie).hasPrefix("HTTP/1.1 404 "), "\(target)")
      }
    }
  }

  @Test(
    "an action needs a name, and is carried out once for its number, which holds when the page is loaded anew"
  )
  func once() async throws {
    try await Self.serve { served in
      let cookie = try served.open()
      let skip = #"{"n":7,"do":"skip","room":"room-312"}"#
      #expect(try served.post("/do", cookie, skip).hasPrefix("HTTP/1.1 403 "))
      for name in [#"{"name":""}"#, #"{"name":7}"#, "[]", "Anna"] {
        #expect(try served.post("/name", cookie, name).hasPrefix("HTTP/1.1 400 "), "\(name)")
      }
      #expect(try served.post("/name", cookie, #"{"name":"Anna"}"#).hasPrefix("HTTP/1.1 200 "))
      let answers = try (1...3).map { _ in try served.post("/do", cookie, skip).withoutDate }
      #expect(Set(answers).count == 1 && answers[0].contains(#"{"n":7,"words":"Asked 1","good":true"#))
      #expect(try served.get("/me", cookie).contains(#"{"phone":1,"name":"Anna","n":7,"#))
      for other in [#"{"n":7,"do":"undo","room":"room-312"}"#, #"{"n":6,"do":"skip","room":"room-312"}"#] {
        #expect(try served.post("/do", cookie, other).hasPrefix("HTTP/1.1 409 "))
      }
      #expect(served.session.asked.withLock { $0 } == ["1 Anna room-312 skip"])
    }
  }

  @Test("while an action is carried out, the same one and others wait; its client may have gone")
  func busy() async throws {
    try await Self.serve { served in
      let cookie = try served.phone()
      let action = #"{"n":1,"do":"provision","room":"room-312"}"#
      do {
        let gone = try RawClient(port: served.port)
        gone.send(
          "POST /do HTTP/1.1\r\nHost: \(served.host)\r\nOrigin: \(served.origin)\r\nCookie: \(cookie)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(action.utf8.count)\r\n\r\n\(action)")
        while served.session.asked.withLock({ $0 }).isEmpty { usleep(1000) }
      }
      #expect(try served.post("/do", cookie, action).hasPrefix("HTTP/1.1 503 "))
      #expect(
        try served.post("/do", cookie, #"{"n":2,"do":"skip","room":"room-312"}"#).hasPrefix("HTTP/1.1 503 "))
      served.session.open.finish()
      var answer = ""
      repeat { answer = try served.post("/do", cookie, action) } while answer.hasPrefix("HTTP/1.1 503 ")
      #expect(answer.contains(#""words":"Asked 1""#))
      #expect(served.session.asked.withLock { $0 }.count == 1)
    }
  }

  @Test(
    "what is no action of the page is refused, and not carried out",
    arguments: [
      ("/do", "application/json", "{}", 400), ("/do", "application/json", "", 400),
      ("/do", "text/plain", #"{"n":1,"do":"skip","room":"r"}"#, 415),
      ("/do", "application/json", #"{"n":1,"do":"password","room":"r"}"#, 400),
      ("/do", "application/json", #"{"n":1,"do":"skip","room":"r","option":1}"#, 400),
      ("/do?", "application/json", #"{"n":1,"do":"skip","room":"r"}"#, 404),
      ("/etc/passwd", "application/json", #"{"n":1,"do":"skip","room":"r"}"#, 404),
      ("/photo?n=1&room=r&w=2&h=2", "application/octet-stream", "123", 400),
      ("/photo?n=1&room=r&w=2&h=2", "application/json", "1234", 415),
      ("/photo?n=1&room=r&w=2&h=-2", "application/octet-stream", "", 400),
      ("/photo?n=1&room=r&w=2001&h=1000", "application/octet-stream", "", 400),
      ("/photo?n=1&room=r&w=9223372036854775807&h=2", "application/octet-stream", "", 400),
      ("/photo?n=0&room=r&w=1&h=1", "application/octet-stream", "1", 400),
      ("/photo?n=1&room=&w=1&h=1", "application/octet-stream", "1", 400),
      ("/photo?n=1&room=r&w=1&h=1&w=9", "application/octet-stream", "1", 400),
    ])
  func refused(target: String, type: String, body: String, status: Int) async throws {
    try await Self.serve { served in
      let cookie = try served.phone()
      #expect(try served.post(target, cookie, body, type: type).hasPrefix("HTTP/1.1 \(status) "))
      #expect(served.session.asked.withLock { $0 } == [])
    }
  }

  @Test("a body that is too large is refused before it is read, whatever it is, and said once")
  func large() async throws {
    try await Self.serve { served in
      let cookie = try served.phone()
      for _ in 0..<2 {
        #expect(try served.post("/do", cookie, "", length: 50_000_000).hasPrefix("HTTP/1.1 413 "))
        #expect(
          try served.post(
            "/photo?n=1&room=r&w=2000&h=1000", cookie, "", type: "application/octet-stream",
            length: 50_000_000
          ).hasPrefix("HTTP/1.1 413 "))
      }
      let photo = try served.post(
        "/photo?n=1&room=room%20312&w=2000&h=1000", cookie, String(repeating: "1", count: 2_000_000),
        type: "application/octet-stream")
      #expect(photo.contains("Asked 1"), "\(photo)")
      #expect(served.session.asked.withLock { $0 } == [#"1 Anna room 312 label(["2000x1000 2000000"])"#])
      #expect(
        served.notices.withLock { $0 } == [
          .joined(phone: 1, address: "127.0.0.1"), .refused(.size, address: "127.0.0.1"),
        ])
    }
  }

  @Test("a photo that cannot be read is answered without the session; a number holds for one picture")
  func photo() async throws {
    try await Self.serve { served in
      let cookie = try served.phone()
      func send(_ target: String, _ grey: String) throws -> String {
        try served.post(target, cookie, grey, type: "application/octet-stream")
      }
      let answers = try (1...2).map { _ in try send("/photo?n=3&room=r&w=1&h=2", "00").withoutDate }
      let words = "Not read: \(PhotoProblem.noLibrary.words). \(PhotoProblem.noLibrary.advice)"
      #expect(Set(answers).count == 1 && answers[0].contains(#"{"n":3,"words":"\#(words)","good":false"#))
      for (target, grey) in [("/photo?n=3&room=r&w=1&h=2", "01"), ("/photo?n=3&room=r&w=2&h=1", "00")] {
        #expect(try send(target, grey).hasPrefix("HTTP/1.1 409 "))
      }
      #expect(served.session.asked.withLock { $0 } == [])
    }
  }

  @Test("a page of another site does nothing, whatever cookie its browser sends")
  func crossSite() async throws {
    try await Self.serve { served in
      let cookie = try served.phone()
      let skip = #"{"n":1,"do":"skip","room":"r"}"#
      for (host, origin) in [
        (nil, "http://evil.example"), (nil, "null"), ("evil.example:\(served.port)", nil),
        ("evil.example:\(served.port)", "http://evil.example:\(served.port)"),
      ] {
        #expect(
          try served.post("/do", cookie, skip, host: host, origin: origin).hasPrefix("HTTP/1.1 403 "))
      }
      #expect(
        try served.post(
          "/do", cookie, skip, host: "localhost:\(served.port)", origin: "http://localhost:\(served.port)"
        ).hasPrefix("HTTP/1.1 200 "), "the end of a tunnel on this computer")
    }
  }

  @Test("a second browser shows its code until the laptop has decided")
  func second() async throws {
    try await Self.serve { served in
      _ = try served.phone()
      let cookie = try served.open(from: "127.0.0.9")
      let page = try served.get("/", cookie)
      let code = try #require(page.firstMatch(of: #/class="code">(\d{4})</#))
      #expect(page.contains("http-equiv=\"refresh\"") && !page.contains("phone.js"))
      #expect(try served.get("/phone.css", cookie).contains("\r\nContent-Type: text/css"))
      for target in ["/events", "/me", "/phone.js"] {
        #expect(try served.get(target, cookie).hasPrefix("HTTP/1.1 403 "))
      }
      while served.notices.withLock({ $0.count }) < 2 { usleep(1000) }
      #expect(
        served.notices.withLock { $0.last }
          == .asks(phone: 2, address: "127.0.0.9", code: String(code.1)))
      served.server.decide(2, allows: true)
      #expect(try served.get("/", cookie).contains("phone.js"))
    }
  }

  @Test("a phone gets the state, and then what has changed")
  func events() async throws {
    @Sendable func state(_ room: PhoneState.Room.State) -> PhoneState {
      PhoneState(
        building: "Hotel", isSimulated: false, provisions: true, people: [],
        rooms: [
          .init(
            id: "one", name: "Room 1", floor: nil, state: .left, device: nil, needsLabel: false,
            canIdentify: false),
          .init(
            id: "two", name: "Room 2", floor: nil, state: room, device: nil, needsLabel: false,
            canIdentify: false),
        ])
    }
    try await Self.serve { served in
      let cookie = try served.open()
      served.session.update.yield(state(.left))
      let client = try RawClient(port: served.port)
      client.send("GET /events HTTP/1.1\r\nHost: \(served.host)\r\nCookie: \(cookie)\r\n\r\n")
      _ = try client.text(upTo: "\r\n\r\n")
      let first = try client.event()
      #expect(first.name == "state" && first.data.contains(#""building":"Hotel""#))
      served.session.update.yield(state(.working))
      var event = try client.event()
      while event.name == "beat" { event = try client.event() }
      #expect(event.name == "change" && event.data.contains("Room 2") && !event.data.contains("Room 1"))
    }
  }
}
