import Digest
import EventLoop
import FoundationEssentials
import HTTP
import Model

/// Replies to the requests of phones: it checks each with `PhoneAccess`, and passes actions to the session.
final class PhoneReplies: Sendable {
  let token: String
  let events = HTTPEvents()
  /// Browsers do not separate the ports of a host.
  private let cookie: String
  private let access: Lock<PhoneAccess>
  private let shown = Lock<PhoneState?>(nil)
  private let session: any PhoneSession
  private let photo: PhoneServer.ReadPhoto
  private let note: AsyncStream<PhoneNotice>.Continuation

  init(
    _ access: PhoneAccess, port: Int, session: any PhoneSession, photo: @escaping PhoneServer.ReadPhoto,
    note: AsyncStream<PhoneNotice>.Continuation
  ) {
    (token, cookie) = (access.token, "roboprov-phone-\(port)")
    (self.access, self.session, self.photo, self.note) = (Lock(access), session, photo, note)
  }

  func end() { note.finish() }

  func decide(_ phone: Int, allows: Bool) { change { $0.decide(phone, allows: allows) } }

  func show(_ state: PhoneState) {
    let before = shown.withLock { shown in
      defer { shown = state }
      return shown
    }
    events.publish(change: before.map { state.change(since: $0) }) { state.whole }
  }

  private func change<Result: Sendable>(_ body: (inout PhoneAccess) -> Result) -> Result {
    let (result, notices) = access.withLock { access in (body(&access), access.taken()) }
    for notice in notices { note.yield(notice) }
    return result
  }

  // MARK: Requests

  func reply(to request: HTTPRequest) -> HTTPReply {
    let path = request.target.prefix { $0 != "?" }
    let head = PhoneAccess.Head(
      method: request.method, path: String(path), address: request.address, secret: request.cookie(cookie),
      host: request.field("Host"), origin: request.field("Origin"), type: request.field("Content-Type"))
    switch change({ $0.enter(head) }) {
    case .phone(let phone):
      if request.method == "GET" { return .answer(document(request.target, phone)) }
      return post(request, phone)
    case .welcomed(let secret):
      // The page has an address without the token. The cookie survives the end of the browser, but not of this process.
      let value = "\(cookie)=\(secret); Path=/; Max-Age=86400; HttpOnly; SameSite=Strict"
      return .answer(HTTPAnswer(.seeOther, [("Location", "/"), ("Set-Cookie", value)]))
    case .waits(let code):
      switch request.target {
      case "/": return .answer(Self.waiting(code))
      case "/phone.css": return .answer(HTTPAnswer(Self.style, "text/css"))
      default: return .answer(HTTPAnswer(.forbidden))
      }
    case .refused(let refusal):
      return .answer(Self.refusal(refusal, isPage: request.target == "/" || path.hasPrefix("/w/")))
    }
  }

  private func document(_ target: String, _ phone: Int) -> HTTPAnswer {
    switch target {
    case "/": HTTPAnswer(Self.page, "text/html")
    case "/phone.css": HTTPAnswer(Self.style, "text/css")
    case "/phone.js": HTTPAnswer(Self.script, "text/javascript")
    case "/events": HTTPAnswer(events)
    case "/me":
      access.withLock { access in
        Self.json([
          "phone": phone, "name": access.name(of: phone), "n": access.last(of: phone),
          "session": access.session,
          "pixels": GreyPicture.mostPixels,
        ])
      }
    default: HTTPAnswer(.notFound)
    }
  }

  // MARK: Actions

  private func post(_ request: HTTPRequest, _ phone: Int) -> HTTPReply {
    guard request.method == "POST" else {
      return .answer(HTTPAnswer(.methodNotAllowed, [("Allow", "GET, POST")]))
    }
    let photo = PhotoHead(request.target)
    let limit: Int
    switch request.target {
    case "/name": limit = 1024
    case "/do": limit = PhoneRequest.maximumBytes
    default:
      guard request.target.hasPrefix("/photo?") else { return .answer(HTTPAnswer(.notFound)) }
      guard let photo else { return .answer(HTTPAnswer(.badRequest)) }
      limit = photo.size
    }
    guard let body = request.body else {
      if let length = request.field("Content-Length").flatMap({ Int($0, in: 0...Int.max) }), length > limit {
        change { $0.note(.size, from: request.address) }
      }
      return .body(upTo: limit)
    }
    if request.target == "/name" { return .answer(rename(phone, body)) }
    if let photo {
      guard let picture = try? GreyPicture(width: photo.width, height: photo.height, pixels: body) else {
        return .answer(HTTPAnswer(.badRequest))
      }
      return act(phone, photo.number, photo.room, Array(request.target.utf8) + body) {
        [session, read = self.photo] person in
        do throws(PhotoProblem) {
          return await session.act(.label(try await read(picture)), in: photo.room, by: person)
        } catch {
          return PhoneAnswer("Not read: \(error.words). \(error.advice)", isGood: false)
        }
      }
    }
    guard let asked = PhoneRequest(body) else { return .answer(HTTPAnswer(.badRequest)) }
    return act(phone, asked.number, asked.room, body) { [session] person in
      await session.act(asked.action, in: asked.room, by: person)
    }
  }

  private func rename(_ phone: Int, _ body: [UInt8]) -> HTTPAnswer {
    guard let name = (try? JSONDecoder().decode([String: String].self, from: Data(body)))?["name"],
      change({ $0.name(phone, name) })
    else { return HTTPAnswer(.badRequest) }
    return Self.json(["name": name])
  }

  /// Does something once for its number.
  private func act(
    _ phone: Int, _ number: Int, _ room: RoomID, _ said: [UInt8],
    _ body: @escaping @Sendable (Walk.Person) async -> PhoneAnswer
  ) -> HTTPReply {
    let (name, turn) = change { access in
      let name = access.name(of: phone)
      return (name, name == nil ? .used : access.begin(phone, number: number, SHA256(of: said)))
    }
    guard let name else { return .answer(HTTPAnswer(.forbidden)) }
    switch turn {
    case .done(let line): return .answer(HTTPAnswer(line, "application/json"))
    case .busy: return .answer(HTTPAnswer(.serviceUnavailable, [("Retry-After", "1")]))
    case .used: return .answer(HTTPAnswer(.conflict))
    case .act:
      return .later { [self] in
        let line = await body(Walk.Person(phone: phone, name: name)).line(number)
        change { $0.end(phone, line) }
        return HTTPAnswer(line, "application/json")
      }
    }
  }
}

/// What the address of a photo says.
private struct PhotoHead {
  let number: Int
  let room: RoomID
  let width: Int
  let height: Int
  /// Its bytes.
  let size: Int

  /// `/photo?n=18&room=room-312&w=1200&h=900`
  init?(_ target: String) {
    guard let items = URLComponents(string: target)?.queryItems,
      items.map(\.name) == ["n", "room", "w", "h"],
      let number = Int(items[0].value ?? "", in: PhoneRequest.numbers), let room = items[1].value,
      let width = Int(items[2].value ?? "", in: 0...Int.max),
      let height = Int(items[3].value ?? "", in: 0...Int.max),
      let size = GreyPicture.pixels(width, by: height),
      let request = PhoneRequest(number: number, room: RoomID(rawValue: room), .label([]))
    else { return nil }
    (self.number, self.room, self.width, self.height, self.size) = (
      request.number, request.room, width, height, size
    )
  }
}
