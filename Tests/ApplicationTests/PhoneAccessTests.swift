import Bluetooth
import Digest
import EventLoop
import Testing

@testable import Application

@Suite("Which phones may work") struct PhoneAccessTests {
  static let host = "192.168.1.2:8080"

  /// Secrets that can be told apart.
  private static func access() -> PhoneAccess {
    let count = Lock(0)
    return PhoneAccess(hosts: [host]) { length in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return [UInt8](repeating: UInt8(number), count: length)
    }
  }

  private static func get(
    _ path: String, _ secret: String? = nil, from address: String = "192.168.1.50"
  ) -> PhoneAccess.Head {
    .init(method: "GET", path: path, address: address, secret: secret, host: host, origin: nil, type: nil)
  }

  private static func post(_ secret: String?) -> PhoneAccess.Head {
    .init(
      method: "POST", path: "/do", address: "192.168.1.50", secret: secret, host: host,
      origin: "http://\(host)", type: "application/json")
  }

  /// A browser that opened the address with the token.
  private static func secret(
    _ access: inout PhoneAccess, from address: String = "192.168.1.50"
  ) throws -> String {
    guard case .welcomed(let secret) = access.enter(get("/w/" + access.token, from: address)) else {
      throw Failure()
    }
    return secret
  }

  private struct Failure: Error {}

  /// A place where one phone is bound.
  private static func bound() throws -> (access: PhoneAccess, secret: String) {
    var access = access()
    let secret = try secret(&access)
    _ = access.taken()
    return (access, secret)
  }

  @Test("the first browser with the token is bound, opens it again as the same, and works")
  func first() throws {
    var access = Self.access()
    let secret = try Self.secret(&access)
    #expect(secret != access.token && secret.count == 32)
    #expect(access.taken() == [.joined(phone: 1, address: "192.168.1.50")])
    #expect(access.enter(Self.get("/w/" + access.token, secret)) == .welcomed(secret: secret))
    #expect(access.enter(Self.get("/", secret)) == .phone(1))
    #expect(access.enter(Self.post(secret)) == .phone(1))
    #expect(access.taken() == [])
  }

  @Test("a guessed token and a guessed cookie open nothing, and are said once for all guesses")
  func guessed() throws {
    var (access, secret) = try Self.bound()
    let token = access.token
    let guesses = [
      "", "0", String(token.dropLast()), token + "0", token.uppercased() + "/",
      String(repeating: "0", count: 32),
      String(token.dropLast()) + (token.last == "0" ? "1" : "0"), secret,
    ]
    for guess in guesses {
      #expect(access.enter(Self.get("/w/" + guess)) == .refused(.token), "\(guess)")
      #expect(
        guess == secret || access.enter(Self.get("/", guess)) == .refused(.unknown), "\(guess)")
    }
    #expect(access.enter(Self.get("/", token)) == .refused(.unknown), "the token is no cookie")
    #expect(access.enter(Self.get("/")) == .refused(.unknown))
    #expect(access.count(.token) == guesses.count)
    #expect(
      access.taken() == [
        .refused(.token, address: "192.168.1.50"), .refused(.unknown, address: "192.168.1.50"),
      ])
  }

  @Test("a second browser waits for the laptop, which lets it work or refuses it", arguments: [true, false])
  func second(allows: Bool) throws {
    var (access, first) = try Self.bound()
    let secret = try Self.secret(&access, from: "192.168.1.23")
    #expect(secret != first)
    guard case .waits(let code) = access.enter(Self.get("/", secret)) else { throw Failure() }
    #expect(code.count == 4 && code.allSatisfy(\.isNumber))
    #expect(access.enter(Self.post(secret)) == .waits(code: code), "it does nothing before")
    #expect(access.taken() == [.asks(phone: 2, address: "192.168.1.23", code: code)])
    // Opening the address again asks nobody again.
    #expect(access.enter(Self.get("/w/" + access.token, secret)) == .welcomed(secret: secret))
    access.decide(1, allows: false)
    access.decide(3, allows: true)
    access.decide(2, allows: allows)
    access.decide(2, allows: !allows)
    #expect(access.enter(Self.post(secret)) == (allows ? .phone(2) : .refused(.refused)))
    #expect(access.enter(Self.post(first)) == .phone(1))
    #expect(access.taken() == (allows ? [.joined(phone: 2, address: "192.168.1.23")] : []))
  }

  @Test(
    "a flood of phones that ask to work is bounded: those that wait, those that work, and those of an address"
  )
  func flood() throws {
    var (access, first) = try Self.bound()
    var entries = (0..<100).map { access.enter(Self.get("/w/" + access.token, from: "10.0.0.\($0)")) }
    #expect(entries.prefix(4).allSatisfy { if case .welcomed = $0 { true } else { false } })
    #expect(entries.dropFirst(4).allSatisfy { $0 == .refused(.crowd) })
    let notices = access.taken()
    #expect(notices.count == 5 && notices.last == .refused(.crowd, address: "10.0.0.4"))
    #expect(
      Set(notices.compactMap { if case .asks(_, _, let code) = $0 { code } else { nil } }).count == 4,
      "each has its own code")
    for phone in 2...5 { access.decide(phone, allows: true) }
    entries = (0..<100).map { _ in access.enter(Self.get("/w/" + access.token, from: "10.0.0.200")) }
    #expect(entries.count { if case .welcomed = $0 { true } else { false } } == 3, "8 in all")
    for phone in 6...8 { access.decide(phone, allows: false) }
    #expect(access.enter(Self.get("/w/" + access.token, from: "10.0.0.200")) == .refused(.crowd))
    // The address is refused after three; others can still ask, up to a number in all.
    for number in 0..<200 {
      _ = access.enter(Self.get("/w/" + access.token, from: "10.0.1.\(number)"))
      for phone in 9...64 { access.decide(phone, allows: false) }
    }
    let asked = access.taken().count { if case .asks = $0 { true } else { false } }
    #expect(asked == 59, "3 and 56")
    #expect(access.enter(Self.post(first)) == .phone(1))
  }

  enum Field: Sendable { case host, origin, type, secret }

  @Test(
    "a request of another site, by another name, or of another form is refused",
    arguments: [
      (.host, "evil.example:8080", .host), (.host, "192.168.1.2", .host), (.host, nil, .host),
      (.host, "192.168.1.2:8080.evil.example", .host), (.host, "192.168.1.2:80801", .host),
      (.origin, "http://evil.example", .origin), (.origin, "http://192.168.1.2", .origin),
      (.origin, "https://192.168.1.2:8080", .origin), (.origin, "null", .origin), (.origin, nil, .origin),
      (.type, "text/plain", .type), (.type, "application/x-www-form-urlencoded", .type), (.type, nil, .type),
      (.type, "application/octet-stream", .type), (.secret, nil, .unknown),
    ] as [(Field, String?, PhoneRefusal)])
  func crossSite(field: Field, value: String?, refusal: PhoneRefusal) throws {
    var (access, secret) = try Self.bound()
    var head = Self.post(secret)
    switch field {
    case .host: head.host = value
    case .origin: head.origin = value
    case .type: head.type = value
    case .secret: head.secret = value
    }
    for _ in 1...3 { #expect(access.enter(head) == .refused(refusal)) }
    #expect(access.count(refusal) == 3)
    #expect(access.taken() == [.refused(refusal, address: "192.168.1.50")], "it is said once")
    #expect(access.enter(Self.post(secret)) == .phone(1))
  }

  @Test("a name that leads here opens neither the address nor the page: DNS rebinding")
  func rebinding() throws {
    var (access, secret) = try Self.bound()
    for path in ["/", "/events", "/me", "/w/" + access.token] {
      var head = Self.get(path, secret)
      head.host = "rebound.example:8080"
      #expect(access.enter(head) == .refused(.host), "\(path)")
    }
  }

  @Test("a number is used once: the same action gets the same answer, another one none")
  func numbers() throws {
    var (access, _) = try Self.bound()
    _ = try Self.secret(&access, from: "192.168.1.23")
    access.decide(2, allows: true)
    func digest(_ text: String) -> SHA256 { SHA256(of: Array(text.utf8)) }
    #expect(access.last(of: 1) == 0)
    #expect(access.begin(1, number: 0, digest("a")) == .used)
    #expect(access.begin(1, number: 5, digest("a")) == .act)
    #expect(access.begin(1, number: 5, digest("a")) == .busy, "it is still carried out")
    #expect(access.begin(1, number: 5, digest("b")) == .used)
    #expect(access.begin(1, number: 6, digest("b")) == .busy, "one after the other")
    #expect(access.begin(2, number: 5, digest("a")) == .act, "each phone has numbers of its own")
    access.end(1, "answer")
    #expect(access.begin(1, number: 5, digest("a")) == .done("answer"))
    #expect(access.begin(1, number: 5, digest("b")) == .used)
    #expect(access.begin(1, number: 4, digest("a")) == .used)
    #expect(access.begin(1, number: 6, digest("a")) == .act)
    #expect(access.last(of: 1) == 6)
  }

  @Test(
    "a name is what a person can read",
    arguments: [
      ("Anna", true), ("Ärzte-Team 2", true), (String(repeating: "n", count: 40), true), ("", false),
      (" ", false), (" Anna", false), (String(repeating: "n", count: 41), false), ("An\nna", false),
      ("Anna\u{202E}", false), ("a" + String(repeating: "\u{301}", count: 200), false),
    ])
  func name(text: String, isName: Bool) throws {
    var (access, _) = try Self.bound()
    #expect(access.name(1, text) == isName)
    #expect(access.name(of: 1) == (isName ? text : nil))
  }
}
