import EventLoop
import HTTP
import Reporting

/// The answers of `serve`: the page as it is now, to those who know the token.
final class ShownPage: Sendable {
  /// Random, for this process only. It is in the address that a person opens first, and then in a cookie.
  let token: String

  private struct State {
    var page: LivePage?
    /// The name of the cookie: browsers do not separate the ports of a host.
    var cookie = ""
  }

  private let state = Lock(State())
  private let events = HTTPEvents()

  init(token: String) { self.token = token }

  func serve(port: Int) { state.withLock { $0.cookie = "roboprov-\(port)" } }

  /// Shows a newer page.
  func show(_ page: LivePage) {
    let before = state.withLock { state in
      defer { state.page = page }
      return state.page
    }
    events.publish(change: before.flatMap { page.change(since: $0) }) { page.whole }
  }

  /// Tells the clients that nothing is new.
  func beat() { events.beat() }

  func answer(_ request: HTTPRequest) -> HTTPAnswer {
    let (page, cookie) = state.withLock { ($0.page, $0.cookie) }
    if request.method == "GET", String(request.target.dropFirst()).isSecret(token) {
      // The page has an address without the token, so that it is in no history and on no picture of the screen. A link in a
      // message opens it, too: a browser would not send a `Strict` cookie after the redirection.
      return HTTPAnswer(
        .seeOther,
        [("Location", "/"), ("Set-Cookie", "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Lax")])
    }
    guard (request.cookie(cookie) ?? "").isSecret(token) else { return HTTPAnswer(.notFound) }
    guard request.method == "GET" else { return HTTPAnswer(.methodNotAllowed, [("Allow", "GET")]) }
    switch request.target {
    case "/": return HTTPAnswer(page?.document ?? "", "text/html")
    case "/style.css": return HTTPAnswer(LivePage.style, "text/css")
    case "/script.js": return HTTPAnswer(LivePage.script, "text/javascript")
    case "/events": return HTTPAnswer(events)
    default: return HTTPAnswer(.notFound)
    }
  }
}
