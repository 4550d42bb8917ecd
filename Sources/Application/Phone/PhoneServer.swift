package import Bluetooth
import EventLoop
import Host
import HTTP
import Model

/// Serves the page of a session over labels to the phones of those who work in it. All ends with the process.
package struct PhoneServer: Sendable {
  /// Reads the texts of the codes in a picture.
  package typealias ReadPhoto = @Sendable (GreyPicture) async throws(PhotoProblem) -> [String]

  /// The address that the first phone opens, as a code on the laptop's screen.
  package let address: String
  /// What a person at the laptop has to know. It ends with the server.
  package let notices: AsyncStream<PhoneNotice>
  private let server: HTTPServer
  private let replies: PhoneReplies
  private let session: any PhoneSession
  private let clock: any TimeSource

  /// Listens.
  /// - Throws: `CommandFailure` if the address cannot be used.
  package init(
    for session: any PhoneSession, at place: PageServer.Place, on clock: any TimeSource,
    reading photo: @escaping ReadPhoto
  ) throws {
    let (notices, note) = AsyncStream.makeStream(of: PhoneNotice.self)
    // The port is known once the server listens, and no request comes before it runs.
    let replies = Lock<PhoneReplies?>(nil)
    server = try PageServer.listen(at: place, clock) { request in
      replies.withLock { $0 }?.reply(to: request) ?? .answer(HTTPAnswer(.serviceUnavailable))
    }
    let made = PhoneReplies(
      PhoneAccess(hosts: place.hosts(port: server.port), random: Surroundings.randomBytes),
      port: server.port, session: session, photo: photo, note: note)
    replies.withLock { $0 = made }
    address = "http://\(place.host):\(server.port)/w/\(made.token)"
    (self.replies, self.notices, self.session, self.clock) = (made, notices, session, clock)
  }

  /// What a person at the laptop decided about a phone that asks.
  package func decide(_ phone: Int, allows: Bool) { replies.decide(phone, allows: allows) }

  /// Serves until the task is cancelled, or the session ends. Call it once.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await server.run() }
      group.addTask { while (try? await clock.sleep(for: PageServer.beat)) != nil { replies.events.beat() } }
      for await state in await session.states() { replies.show(state) }
      group.cancelAll()
    }
    replies.end()
  }
}

extension PageServer.Place {
  /// What browsers call a server at this place. No other site can have one of these names.
  fileprivate func hosts(port: Int) -> Set<String> {
    let names = isLocal ? [host, "localhost"] : [host]
    return Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
  }
}
