import Application
import EventLoop
import Host
import Model

/// A session over labels at the laptop while phones work: it shows the code that the first phone scans, asks about
/// further ones, and says what was done.
struct PhoneHost: Sendable {
  private let place: PageServer.Place

  init(_ place: PageServer.Place) { self.place = place }

  /// Runs until Ctrl-C.
  func run(
    _ walk: Walk, _ source: ManifestSource, _ means: LabelSession.Means
  ) async throws -> LabelSession.Ending {
    let interruptions = Interruptions()
    let session = LabelSession(walk, source, means, servesPhones: true) { _, event in
      switch event {
      case .ready, .busy: break
      case .said(let text, let person):
        Console.show((person == .terminal ? "" : "\(person.name.visible): ") + text + "\n")
      case .ended(let report, _, let person):
        Console.show(report.walkWords(next: nil, retry: PhoneState.retry, by: person.name) + "\n")
      }
    }
    let server = try PhoneServer(
      for: session, at: place, on: Surroundings.time().clock,
      reading: { picture throws(PhotoProblem) in
        try await PhotoReader().texts(in: picture)
      })
    place.show(
      server.address,
      "Serving the phones until Ctrl-C. The first phone that opens this address can work; keep it to yourself:"
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await server.run() }
      group.addTask { await answer(server) }
      group.addTask {
        for await request in interruptions.requests where request == .stop {
          session.stop()
          await session.interrupt()
        }
      }
      defer { group.cancelAll() }
      try await session.run()
    }
    return await session.ending
  }

  /// Says what happens with phones. A person lets one that waits work by the code that it shows, which the laptop does not
  /// show: so nobody lets a phone work that they have not seen.
  private func answer(_ server: PhoneServer) async {
    let waiting = Lock<[(phone: Int, code: String)]>([])
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await notice in server.notices {
          if case .asks(let phone, _, let code) = notice { waiting.withLock { $0.append((phone, code)) } }
          Console.say(notice.words)
        }
      }
      group.addTask {
        for await line in Keyboard.lines() {
          let typed = line.filter { !$0.isWhitespace }.lowercased()
          let (asked, allows) = waiting.withLock { waiting in
            let place =
              ["n", "no"].contains(typed)
              ? waiting.indices.first : waiting.firstIndex { $0.code == typed }
            return (place.map { waiting.remove(at: $0).phone }, typed.first?.isNumber == true)
          }
          if let asked {
            server.decide(asked, allows: allows)
          } else if !typed.isEmpty {
            Console.say("No phone that waits shows \(typed.visible).")
          }
        }
      }
    }
  }
}
