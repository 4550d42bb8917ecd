import Foundation
import Glibc
import Journal
import Model
import RawClient
import Reporting
import SampleFacts
import Testing
import VirtualBuilding

@testable import Application
@testable import RoboprovCLI

@Suite("`serve` shows a building to phones", .timeLimit(.minutes(60)))
struct ServeCommandTests {
  /// A `serve` of a building without a run.
  private struct Served: Sendable {
    let site: Site
    let process: Invocation
    let port: Int
    let token: String

    var cookie: String { "Cookie: roboprov-\(port)=\(token)" }

    /// The whole answer to a request.
    func answer(_ target: String, method: String = "GET", _ field: String...) throws -> String {
      let client = try RawClient(port: port)
      if let field = field.first {
        client.ask(target, method: method, field)
      } else {
        client.ask(target, method: method)
      }
      return try client.rest()
    }

    /// A client that has the events, and the first of them.
    func follow(from source: String = "127.0.0.1") throws -> (client: RawClient, state: String) {
      let client = try RawClient(port: port, from: source)
      client.ask("/events", cookie)
      guard try client.text(upTo: "\r\n\r\n").hasPrefix("HTTP/1.1 200 OK") else {
        throw RawClient.Failure(description: "no events")
      }
      return (client, try client.event().data)
    }
  }

  private static func serve(at site: Site) async throws -> Served {
    let process = try site.start(["serve", "building.yaml"])
    try await process.prints("http://127.0.0.1:")
    try await process.until("the address") { process.outputSoFar.hasSuffix("\n") }
    let address = try #require(
      process.outputSoFar.firstMatch(of: #/^http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})\n$/#))
    return Served(
      site: site, process: process, port: try #require(Int(address.1)), token: String(address.2))
  }

  private static func serve(_ body: @escaping @Sendable (Served) async throws -> Void) async throws {
    try await Site.use([.numbered(1), .numbered(2)]) { site in
      let served = try await serve(at: site)
      try await body(served)
      #expect(served.process.isRunning)
      served.process.send(SIGINT)
      try await served.process.ended().expect(
        0, errors: "Only this computer can open the page", "Serving the page until Ctrl-C",
        notErrors: served.token)
    }
  }

  /// Events until one has a text. The wait has a thread of its own, because the tasks' threads may be needed for what it waits for.
  private static func event(_ client: RawClient, with text: String) async throws -> String {
    try await withCheckedThrowingContinuation { (found: CheckedContinuation<String, any Error>) in
      Thread.detachNewThread { found.resume(with: Result { try firstEvent(of: client, with: text) }) }
    }
  }

  private static func firstEvent(of client: RawClient, with text: String) throws -> String {
    // The server sends an event now and then even if nothing changes: a page that never has the text fails the test.
    for _ in 0..<200 {
      let event = try client.event()
      if event.data.contains(text) { return event.data }
    }
    throw RawClient.Failure(description: "no event has “\(text)”")
  }

  // MARK: Who gets an answer

  @Test("nothing is answered without the token, whatever is asked for")
  func token() async throws {
    try await Self.serve { served in
      let token = served.token
      let last = token.last == "0" ? "1" : "0"
      let guesses = [
        "", String(repeating: "0", count: 32), String(token.dropLast()), token + "0",
        token.uppercased() + "x",
        String(token.dropLast()) + last, "/" + token, token + "/", token + "?",
        "%" + String(token.dropFirst()),
      ]
      for guess in guesses {
        let answers = [
          try served.answer("/" + guess), try served.answer("/", "Cookie: roboprov-\(served.port)=\(guess)"),
          try served.answer("/?\(guess)"),
        ]
        for answer in answers {
          #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\n") && answer.hasSuffix("\r\n\r\n"), "\(guess)")
        }
      }
      for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"] {
        #expect(try served.answer("/" + token, method: method).hasPrefix("HTTP/1.1 404 "))
      }
      #expect(try served.answer("/", "Cookie: roboprov=\(token)").hasPrefix("HTTP/1.1 404 "))
    }
  }

  @Test("the token leads to an address without it, and its cookie to the page and nothing else")
  func page() async throws {
    try await Self.serve { served in
      let first = try served.answer("/" + served.token)
      #expect(first.hasPrefix("HTTP/1.1 303 See Other\r\n") && first.contains("\r\nLocation: /\r\n"))
      let cookie = "roboprov-\(served.port)=\(served.token); Path=/; HttpOnly; SameSite=Lax"
      #expect(first.contains("\r\nSet-Cookie: \(cookie)\r\n"))
      let page = try served.answer("/", served.cookie)
      #expect(
        page.contains("<bdi>harbour</bdi>") && page.contains("Room 102") && !page.contains(served.token))
      #expect(!page.contains("style=") && !page.contains(Site.password))
      #expect(try served.answer("/style.css", served.cookie).contains("\r\nContent-Type: text/css"))
      #expect(try served.answer("/script.js", served.cookie).contains("\r\nContent-Type: text/javascript"))
      for target in [
        "/building.yaml", "/../building.yaml", "/..%2fbuilding.yaml", "//etc/passwd", "/./",
        "/reports/harbour/.lock",
        "/\u{7E}root", "/?", "/events/", "/style.css/../building.yaml",
      ] { #expect(try served.answer(target, served.cookie).hasPrefix("HTTP/1.1 404 "), "\(target)") }
      for target in ["http://127.0.0.1/", "file:///etc/passwd", "*"] {
        #expect(!(try served.answer(target, served.cookie).hasPrefix("HTTP/1.1 200")), "\(target)")
      }
      for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"] {
        let answer = try served.answer("/", method: method, served.cookie)
        #expect(answer.hasPrefix("HTTP/1.1 405 ") && answer.hasSuffix("\r\n\r\n"))
      }
      #expect(served.site.recordedEntries.isEmpty, "it wrote")
    }
  }

  @Test("1,000 connections from one address leave room for 20 phones, which get the same")
  func crowd() async throws {
    try await Self.serve { served in
      let crowd = try (0..<1000).map { _ in try RawClient(port: served.port) }
      let phones = try (2..<22).map { try served.follow(from: "127.0.0.\($0)") }
      #expect(Set(phones.map(\.state)).count == 1 && phones[0].state.contains("Room 101"))
      withExtendedLifetime(crowd) {}
    }
  }

  // MARK: What it shows

  @Test("a change of the record is shown, and a record that is damaged, removed or put back")
  func record() async throws {
    try await Self.serve { served in
      let site = served.site
      let (client, state) = try served.follow()
      #expect(state.contains("0 of 2 rooms done") && state.contains("No run is on record."))
      let accept = ["room", "accept", "building.yaml", "Room 102", "--reason", "no <b>power", "--by", "Ada"]
      try #require(try await site.run(accept).status == 0)
      let change = try await Self.event(client, with: "\"accepted\"")
      #expect(change.contains("[2,\"accepted\",\"Room 102: accepted"), "\(change)")

      let before = try site.recordedContents
      let folder = site.directory.appending(path: "reports/\(Site.building)")
      let run = try #require(site.runs.first)
      let journal = folder.appending(path: "\(run)/journal.jsonl")
      let text = try String(contentsOf: journal, encoding: .utf8)
      try text.replacing("Ada", with: "Eve").write(to: journal, atomically: true, encoding: .utf8)
      #expect(
        try await Self.event(client, with: "The record is damaged").contains(
          "This page shows what was known at"))
      for lost in ["", String(repeating: "\0", count: 5000)] {
        try lost.write(to: journal, atomically: true, encoding: .utf8)
        #expect(try await Self.event(client, with: "emptied").contains("The record is damaged"))
        #expect(try served.follow().state.contains("accepted"), "what was known is still shown")
        try text.write(to: journal, atomically: true, encoding: .utf8)
        _ = try await Self.event(client, with: "\"problem\":\"\"")
      }
      try text.replacing("Ada", with: "Eve").write(to: journal, atomically: true, encoding: .utf8)
      _ = try await Self.event(client, with: "The record is damaged")
      try text.write(to: journal, atomically: true, encoding: .utf8)
      _ = try await Self.event(client, with: "\"problem\":\"\"")

      let aside = site.directory.appending(path: "aside")
      try FileManager.default.moveItem(at: folder, to: aside)
      #expect(try await Self.event(client, with: "The record is damaged").contains("\(run) was removed"))
      #expect(try served.follow().state.contains("accepted"), "what was known is still shown")
      try FileManager.default.moveItem(at: aside, to: folder)
      _ = try await Self.event(client, with: "\"problem\":\"\"")
      #expect(try site.recordedContents == before, "it wrote")
    }
  }

  @Test("a journal that was emptied before is named by status and on the page", arguments: [0, 5000])
  func emptied(zeros: Int) async throws {
    try await Self.serve { served in
      let site = served.site
      let accept = ["room", "accept", "building.yaml", "Room 102", "--reason", "no power", "--by", "Ada"]
      try #require(try await site.run(accept).status == 0)
      let run = try #require(site.runs.first)
      try site.write("reports/\(Site.building)/\(run)/journal.jsonl", String(repeating: "\0", count: zeros))
      let words =
        "\(run)/journal.jsonl has no event: the run was killed before it did anything, or the file was emptied"
      try await site.run(["status", "building.yaml"]).expect(errors: words)
      let reports = site.directory.appending(path: "reports").path
      func isNamed() throws -> Bool? {
        var follower = try BuildingFollower(
          site.directory.appending(path: "building.yaml").path, reports: reports, siteKey: nil)
        return follower.look(at: Date(timeIntervalSince1970: 0))?.document.contains(words)
      }
      #expect(try isNamed() == true)
      // A run that has just begun has no event yet either.
      let lock = try RunLock.take(building: Site.building, in: reports, for: .here(since: Date()))
      #expect(try isNamed() == false)
      lock.release()
    }
  }

  @Test(
    "a run is at work if it has no end, and its process has had the lock since before",
    arguments: [(false, 0.0, true), (false, 0.01, false), (true, 0.0, false)])
  func atWork(isFinished: Bool, later: Double, isAtWork: Bool) async throws {
    try await Site.use([.numbered(1)]) { site in
      try Forgery.put(isFinished ? [.runFinished(.init(outcome: .complete))] : [], at: site)
      let reports = site.directory.appending(path: "reports").path
      let lock = try RunLock.take(
        building: Site.building, in: reports, for: .here(since: Forgery.began.addingTimeInterval(later)))
      defer { lock.release() }
      var follower = try BuildingFollower(
        site.directory.appending(path: "building.yaml").path, reports: reports, siteKey: nil)
      let page = try #require(follower.look(at: Forgery.began)?.document)
      #expect(page.contains("A run has been at work since") == isAtWork, "\(page)")
    }
  }

  @Test("a manifest that changes is compared with at once; one that cannot be used is reported")
  func manifest() async throws {
    try await Self.serve { served in
      let (client, _) = try served.follow()
      try served.site.writeManifest([.numbered(1), .numbered(2), .numbered(3)])
      #expect(try await Self.event(client, with: "0 of 3 rooms done").contains("Room 103"))
      try served.site.write("building.yaml", "rooms: [")
      _ = try await Self.event(client, with: "The manifest has changed and cannot be used")
      let path = served.site.directory.appending(path: "building.yaml")
      try served.site.writeManifest([.numbered(1)])
      #expect(try await Self.event(client, with: "0 of 1 room done").contains("\"problem\":\"\""))
      let other = try String(contentsOf: path, encoding: .utf8).replacing("id: harbour", with: "id: tower")
      try served.site.write("building.yaml", other)
      _ = try await Self.event(
        client, with: "describes another building now, tower. Start the command again.")
    }
  }

  @Test("one change of several that are wrong is named, the first, and said once")
  func severalFaults() async throws {
    try await Site.use([.numbered(1), .numbered(2)]) { site in
      for room in ["Room 101", "Room 102"] {
        let accept = ["room", "accept", "building.yaml", room, "--reason", "no power", "--by", "Ada"]
        try #require(try await site.run(accept).status == 0)
      }
      let reports = site.directory.appending(path: "reports").path
      var follower = try BuildingFollower(
        site.directory.appending(path: "building.yaml").path, reports: reports, siteKey: nil)
      func look() -> LivePage? { follower.look(at: Date(timeIntervalSince1970: 0)) }
      let before = try #require(look()?.document)
      #expect(before.contains("accepted") && look() == nil)
      let runs = site.runs.sorted()
      let folder = site.directory.appending(path: "reports/\(Site.building)")
      for run in runs {
        try FileManager.default.moveItem(
          at: folder.appending(path: run), to: site.directory.appending(path: run))
      }
      let lost = try #require(look()?.document)
      #expect(lost.contains("\(runs[0]) was removed or emptied (and 1 more)."), "\(lost)")
      #expect(look() == nil, "it is said once")
      for run in runs {
        try FileManager.default.moveItem(
          at: site.directory.appending(path: run), to: folder.appending(path: run))
      }
      #expect(look()?.document == before)
      try FileManager.default.moveItem(at: folder, to: site.directory.appending(path: "aside"))
      try site.write("reports/\(Site.building)", "")
      #expect(look()?.document.contains("The record cannot be read") == true && look() == nil)
    }
  }

  @Test(
    "a room is shown as worked on only while the process of its run is there, which serve does not disturb")
  func running() async throws {
    try await Site.use { site in
      try site.writeManifest(
        [.numbered(1), .numbered(2)], defaults: ["retries: 0", "timeouts: { connect: 60m }"])
      let sensors = [ServedBuilding.sensor(1, .neverAnswers), ServedBuilding.sensor(2)]
      try await ServedBuilding.serve(sensors) { building in
        let served = try await Self.serve(at: site)
        let (client, _) = try served.follow()
        let command = ["apply", "building.yaml", "--yes", "--scan-time", "1", "--only", "Room 101"]
        let run = try site.start(command, bus: building.bus)
        let news = try await Self.event(client, with: "\"working\"")
        #expect(news.contains("A run has been at work since") || news.contains("[1,\"working\""), "\(news)")
        func page() throws -> String? {
          var follower = try BuildingFollower(
            site.directory.appending(path: "building.yaml").path,
            reports: site.directory.appending(path: "reports").path, siteKey: nil)
          return follower.look(at: Date(timeIntervalSince1970: 0))?.document
        }
        #expect(try page()?.contains("at work since") == true)
        run.send(SIGKILL)
        _ = try await run.ended()
        let end = try await Self.event(client, with: "it was interrupted")
        #expect(!end.contains("at work since"), "\(end)")
        #expect(served.process.isRunning)
        // The next run has the lock, and no event yet: the killed one is not at work again.
        await building.world.setPowered(false, ServedBuilding.adapter)
        let next = try site.start(command + ["--adapter-wait", "600"], bus: building.bus)
        try await next.prints("waiting up to")
        #expect(try page()?.contains("at work since") == false)
        next.send(SIGKILL)
        _ = try await next.ended()
      }
    }
  }

  // MARK: The command line

  @Test(
    "an address to listen on is one, with or without a port",
    arguments: [
      ("127.0.0.1", PageServer.Place(address: "127.0.0.1", port: 0)),
      ("192.168.1.2:8080", .init(address: "192.168.1.2", port: 8080)),
      ("fd00::2", .init(address: "fd00::2", port: 0)), ("[fd00::2]:80", .init(address: "fd00::2", port: 80)),
      ("[::1]", .init(address: "::1", port: 0)), ("0.0.0.0", nil), ("::", nil), ("[::]:80", nil), ("0", nil),
      ("laptop", nil),
      ("", nil), ("192.168.1.2:", nil), ("192.168.1.2:70000", nil), ("192.168.1.2:-1", nil),
      ("192.168.1.2:80:1", nil),
      ("192.168.1.2/24", nil), ("192.168.1.2]", nil), ("[::12", nil),
    ] as [(String, PageServer.Place?)])
  func address(text: String, place: PageServer.Place?) {
    #expect(PageServer.Place(argument: text) == place)
  }

  @Test(
    "a place where it cannot listen is refused, and so is a building that is unknown",
    arguments: [
      (["building.yaml", "--listen", "192.0.2.1"], 69, "not an address of this computer"),
      (["building.yaml", "--listen", "0.0.0.0"], 64, "--listen"),
      (["nowhere"], 64, "there is no building nowhere"),
    ])
  func refused(arguments: [String], status: Int32, words: String) async throws {
    try await Site.use([.numbered(1)]) { site in
      _ = try await site.run(["serve"] + arguments).expect(status, errors: words)
    }
  }
}

extension LockHolder {
  /// This process.
  fileprivate static func here(since: Date) -> Self {
    LockHolder(process: ProcessInfo.processInfo.processIdentifier, run: "run", since: since)
  }
}
