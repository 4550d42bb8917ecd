import Bluetooth
import EventLoop
import FoundationEssentials
import Glibc
import Host
import HTTP
import Hex
import Model
import Reporting

/// Serves the page of a building while its record grows: to those who know a random token, which ends with the process. No
/// request changes anything, and none reaches a file.
package struct PageServer: Sendable {
  /// Where it listens.
  package struct Place: Hashable, Sendable {
    /// An IPv4 or IPv6 address in numbers.
    package var address: String
    /// 0 for a free one.
    package var port: Int

    package init(address: String, port: Int) { (self.address, self.port) = (address, port) }

    /// The address as browsers write it in one of the web.
    package var host: String {
      guard address.contains(":") else { return address }
      var number = in6_addr()
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      guard inet_pton(AF_INET6, address, &number) == 1,
        let short = inet_ntop(AF_INET6, &number, &text, socklen_t(text.count))
      else { return "[\(address)]" }
      return "[\(String(cString: short))]"
    }

    /// Whether only this computer reaches it.
    package var isLocal: Bool { address.hasPrefix("127.") || address == "::1" }
  }

  /// The address of the page with the token, for a person who may see the building.
  package let address: String
  private let server: HTTPServer
  private let shown: ShownPage
  private let clock: any TimeSource
  private let wall: @Sendable () -> Date
  /// Taken when it begins to serve.
  private let follower: Lock<BuildingFollower?>

  /// Reads the building and listens.
  /// - Throws: `CommandFailure` if the building is unknown, or the address cannot be used.
  package init(_ building: String, reports: String, siteKey: String?, at place: Place) throws {
    let time = Surroundings.time()
    (clock, wall) = (time.clock, time.wall)
    var follower = try BuildingFollower(building, reports: reports, siteKey: siteKey)
    let shown = ShownPage(token: time.randomBytes(16).hex())
    if let page = follower.look(at: wall()) { shown.show(page) }
    (self.follower, self.shown) = (Lock(follower), shown)
    server = try Self.listen(at: place, clock) { .answer(shown.answer($0)) }
    shown.serve(port: server.port)
    address = "http://\(place.host):\(server.port)/\(shown.token)"
  }

  /// Serves until the task is cancelled. Call it once.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await server.run() }
      group.addTask { await follow() }
    }
  }

  /// The pause after a look at the record: looking takes a tenth of the processor at most, and a change is shown within a
  /// second.
  static func pause(after look: Duration) -> Duration {
    min(max(look * 9, .milliseconds(200)), .milliseconds(800))
  }

  /// The time after which clients hear that there is nothing new. The script of the page knows it.
  static let beat = Duration.seconds(4)

  private func follow() async {
    let taken = follower.withLock { follower in
      defer { follower = nil }
      return follower
    }
    guard var follower = taken else { return }
    await Self.follow(on: clock, { follower.look(at: wall()) }, show: shown.show, beat: shown.beat)
  }

  /// Shows what each look finds, and gives a beat when nothing is new for a while, until the task is cancelled.
  static func follow<Page>(
    on clock: any TimeSource, _ look: () -> Page?, show: (Page) -> Void, beat: () -> Void
  ) async {
    var heard = clock.now
    while !Task.isCancelled {
      let begin = clock.now
      if let page = look() {
        show(page)
        heard = begin
      } else if heard.duration(to: begin) >= Self.beat {
        beat()
        heard = begin
      }
      try? await clock.sleep(for: Self.pause(after: begin.duration(to: clock.now)))
    }
  }

  /// Listens for requests.
  /// - Throws: `CommandFailure` if the address cannot be used.
  static func listen(
    at place: Place, _ clock: any TimeSource, _ reply: @escaping @Sendable (HTTPRequest) -> HTTPReply
  ) throws -> HTTPServer {
    do throws(HTTPServerError) {
      return try HTTPServer(place.address, port: place.port, clock: clock, reply: reply)
    } catch {
      throw failure(error, at: place)
    }
  }

  private static func failure(_ error: HTTPServerError, at place: Place) -> CommandFailure {
    let address = place.address.visible
    return switch error.code {
    case EADDRNOTAVAIL:
      CommandFailure(
        .unavailable, "\(address) is not an address of this computer",
        advice:
          "`ip -brief address` lists its addresses. Name the one of the network in which the phones are.")
    case EADDRINUSE:
      CommandFailure(
        .unavailable, "another program listens on port \(place.port) of \(address)",
        advice: "Name another port, or none for a free one.")
    case ELIBACC:
      CommandFailure(
        .unavailable, "libmicrohttpd, which serves the page, is not installed",
        advice: "Install it: `sudo apt-get install libmicrohttpd12`.")
    case EACCES:
      CommandFailure(
        .unavailable, "port \(place.port) needs a privilege", advice: "Name a port from 1024, or none.")
    default:
      CommandFailure(
        .unavailable, "cannot listen on \(address): \(String(cString: strerror(error.code)))")
    }
  }
}
