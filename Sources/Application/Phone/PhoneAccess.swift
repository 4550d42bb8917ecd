import Digest
import Hex
import Model

/// Which browsers may work, and what each of them did last, as a value: it reads no request and performs nothing.
///
/// The first browser that opens the address with the token is bound. For each further one a person at the laptop decides: it
/// shows a code, by which the two are told from a stranger's phone that opens the address at the same time.
package struct PhoneAccess: Sendable {
  /// What of a request decides whether it is answered.
  struct Head: Sendable {
    var method: String
    /// The path without its query.
    var path: String
    /// The client's address in numbers.
    var address: String
    /// The value of the cookie.
    var secret: String?
    var host: String?
    var origin: String?
    var type: String?
  }

  /// What is decided about a request.
  enum Entry: Hashable, Sendable {
    /// A browser with the token gets a cookie with this secret.
    case welcomed(secret: String)
    /// A person at the laptop has to decide about it.
    case waits(code: String)
    /// A phone that may work.
    case phone(Int)
    case refused(PhoneRefusal)
  }

  /// What is decided about an action.
  enum Turn: Hashable, Sendable {
    case act
    /// It was carried out before, with this answer.
    case done(String)
    /// It, or another one of this phone, is being carried out.
    case busy
    /// The number is used already, by another action or a later one.
    case used
  }

  private enum Status: Hashable, Sendable {
    case waiting(code: String)
    case bound, refused
  }

  private struct Phone: Sendable {
    let secret: String
    let address: String
    var status: Status
    var name: String?
    var last = 0
    /// Of the last action: what it was, and its answer once there is one.
    var digest: SHA256?
    var answer: String?
  }

  /// Phones that work or wait; those that wait; phones in all, refused ones included; and refused ones of one address, after
  /// which no person is asked about it again.
  static let limits = (bound: 8, waiting: 4, all: 64, ofAddress: 3)

  /// Of the address that a person opens first.
  let token: String
  /// By which a page knows numbers of an earlier process.
  let session: String
  /// The server's own names, as a browser sends them.
  private let hosts: Set<String>
  private let random: @Sendable (Int) -> [UInt8]
  /// By their numbers, from 1.
  private var phones: [Phone] = []
  private var refusals: [PhoneRefusal: Int] = [:]
  /// What a person at the laptop has to know, the oldest first.
  private(set) var notices: [PhoneNotice] = []

  /// - Parameter hosts: The server's own addresses with its port: all that a `Host` field may have.
  init(hosts: Set<String>, random: @escaping @Sendable (Int) -> [UInt8]) {
    (self.hosts, self.random) = (hosts, random)
    (token, session) = (random(16).hex(), random(4).hex())
  }

  /// Takes the notices.
  mutating func taken() -> [PhoneNotice] {
    defer { notices = [] }
    return notices
  }

  // MARK: Requests

  /// The entry of a request.
  mutating func enter(_ head: Head) -> Entry {
    // A page of another site whose name leads here, too, would be of the same origin as this server.
    guard let host = head.host, hosts.contains(host) else { return refuse(.host, head) }
    let known = phones.firstIndex { $0.secret.isSecret(head.secret ?? "") }
    if head.path.hasPrefix("/w/") {
      guard head.method == "GET", String(head.path.dropFirst(3)).isSecret(token) else {
        return refuse(.token, head)
      }
      return known.map { .welcomed(secret: phones[$0].secret) } ?? admit(head)
    }
    guard let known else { return refuse(.unknown, head) }
    switch phones[known].status {
    case .refused: return .refused(.refused)
    case .waiting(let code): return .waits(code: code)
    case .bound: break
    }
    if head.method != "GET" {
      guard head.origin == "http://\(host)" else { return refuse(.origin, head) }
      // Without asking, a browser sends no request of another site with these types.
      let type = head.path == "/photo" ? "application/octet-stream" : "application/json"
      guard head.type == type else { return refuse(.type, head) }
    }
    return .phone(known + 1)
  }

  /// A browser that is not known opened the address with the token.
  private mutating func admit(_ head: Head) -> Entry {
    let isFirst = phones.isEmpty
    let codes = phones.compactMap { if case .waiting(let code) = $0.status { code } else { nil } }
    let refused = phones.count { $0.address == head.address && $0.status == .refused }
    let bound = phones.count { $0.status == .bound }
    guard codes.count < Self.limits.waiting, codes.count + bound < Self.limits.bound,
      phones.count < Self.limits.all, refused < Self.limits.ofAddress
    else { return refuse(.crowd, head) }
    let secret = random(16).hex()
    guard !isFirst else {
      phones.append(Phone(secret: secret, address: head.address, status: .bound))
      notices.append(.joined(phone: 1, address: head.address))
      return .welcomed(secret: secret)
    }
    var code: String
    repeat {
      let number = random(4).reduce(0) { $0 << 8 | Int($1) } % 10_000
      code = String(repeating: "0", count: 4 - "\(number)".count) + "\(number)"
    } while codes.contains(code)
    phones.append(Phone(secret: secret, address: head.address, status: .waiting(code: code)))
    notices.append(.asks(phone: phones.count, address: head.address, code: code))
    return .welcomed(secret: secret)
  }

  /// What a person at the laptop decided about a phone that waits.
  mutating func decide(_ phone: Int, allows: Bool) {
    guard phones.indices.contains(phone - 1), case .waiting = phones[phone - 1].status else { return }
    phones[phone - 1].status = allows ? .bound : .refused
    if allows { notices.append(.joined(phone: phone, address: phones[phone - 1].address)) }
  }

  private mutating func refuse(_ refusal: PhoneRefusal, _ head: Head) -> Entry {
    note(refusal, from: head.address)
    return .refused(refusal)
  }

  /// Counts a refusal. The first one of its kind is said.
  mutating func note(_ refusal: PhoneRefusal, from address: String) {
    refusals[refusal, default: 0] += 1
    if refusals[refusal] == 1 { notices.append(.refused(refusal, address: address)) }
  }

  /// The number of requests that were refused so.
  func count(_ refusal: PhoneRefusal) -> Int { refusals[refusal] ?? 0 }

  // MARK: Phones that may work

  /// The name that its person gave; nil before.
  func name(of phone: Int) -> String? { phones[phone - 1].name }
  /// The number of its last action; 0 before the first.
  func last(of phone: Int) -> Int { phones[phone - 1].last }

  /// - Returns: Whether the text is a name: 1 to 40 characters that can be seen.
  mutating func name(_ phone: Int, _ name: String) -> Bool {
    guard (1...40).contains(name.count), name.utf8.count <= 160, name.visible == name,
      name.first?.isWhitespace == false, name.last?.isWhitespace == false
    else { return false }
    phones[phone - 1].name = name
    return true
  }

  /// Whether an action is to be carried out now. If so, `end` it.
  /// - Parameter digest: Of all that the request says.
  mutating func begin(_ phone: Int, number: Int, _ digest: SHA256) -> Turn {
    let last = phones[phone - 1]
    if number == last.last, digest == last.digest { return last.answer.map { .done($0) } ?? .busy }
    guard number > last.last else { return .used }
    guard last.digest == nil || last.answer != nil else { return .busy }
    (phones[phone - 1].last, phones[phone - 1].digest, phones[phone - 1].answer) = (number, digest, nil)
    return .act
  }

  /// The answer to the action that was begun.
  mutating func end(_ phone: Int, _ answer: String) { phones[phone - 1].answer = answer }
}

/// Why a request is refused.
package enum PhoneRefusal: Hashable, Sendable {
  /// It is for another server, or of another site.
  case host, origin
  /// The token is wrong.
  case token
  /// A browser without a cookie, or with one of an earlier process.
  case unknown
  /// A phone about which a person at the laptop decided.
  case refused
  /// Too many phones.
  case crowd
  /// It has another type, or is larger, than what the page sends.
  case type, size
}

/// What a person at the laptop has to know of the phones.
package enum PhoneNotice: Hashable, Sendable {
  /// A phone may work from now on.
  case joined(phone: Int, address: String)
  /// A phone waits for a decision.
  case asks(phone: Int, address: String, code: String)
  /// The first request that was refused for this reason.
  case refused(PhoneRefusal, address: String)

  /// It in words; for a phone that waits, a question.
  package var words: String {
    switch self {
    case .joined(_, let address): "A phone (\(address)) can work now."
    case .asks(_, let address, _):
      "Another phone (\(address)) asks to work: type the four digits that it shows, or n."
    case .refused(let refusal, let address): "Refused a request of \(address): \(refusal.words)."
    }
  }
}

extension PhoneRefusal {
  fileprivate var words: String {
    switch self {
    case .host: "it is for another server, as a page of another site would ask"
    case .origin: "it comes from a page of another site"
    case .token: "its code is wrong"
    case .unknown: "it is of a phone that has not scanned the code"
    case .refused: "the phone was refused before"
    case .crowd: "too many phones wait or work"
    case .type: "it is not of the form that the page sends"
    case .size: "it is larger than what the page sends"
    }
  }
}
