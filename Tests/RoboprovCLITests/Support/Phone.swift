import Foundation
import RawClient
import Synchronization
import Testing

/// A phone that works in the session of a laptop: it makes the requests that its page makes.
final class Phone: Sendable {
  struct Answer: Sendable {
    let words: String
    let isGood: Bool
    let candidates: [String]
    let question: String?
  }

  /// A room as the page shows it.
  struct Room: Hashable, Sendable {
    let state: String
    let device: String?
    let words: String?
    let by: String?
  }

  private let port: Int
  private let source: String
  let cookie: String
  private let number = Mutex(0)

  /// Opens the address that the laptop shows.
  init(opening address: String, from source: String = "127.0.0.1") async throws {
    let parts = try #require(address.firstMatch(of: #/^http://127\.0\.0\.1:(\d+)(/w/[0-9a-f]+)$/#))
    let port = try #require(Int(parts.1))
    (self.port, self.source) = (port, source)
    let answer = try await Self.ask(port, source, "GET", String(parts.2))
    let cookie = try #require(answer.firstMatch(of: #/Set-Cookie: ([^;]+);/#), "\(answer)")
    self.cookie = String(cookie.1)
  }

  /// Calls block, so each has a thread of its own: the tasks' threads may be needed for what it waits for.
  private static func ask(
    _ port: Int, _ source: String, _ method: String, _ target: String, _ fields: [String] = [],
    _ body: String = "", upTo end: String? = nil
  ) async throws -> String {
    try await withCheckedThrowingContinuation { (asked: CheckedContinuation<String, any Error>) in
      Thread.detachNewThread {
        asked.resume(
          with: Result {
            let client = try RawClient(port: port, from: source)
            let lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + fields
            client.send(lines.map { $0 + "\r\n" }.joined() + "\r\n" + body)
            return try end.map { try client.text(upTo: $0) } ?? client.rest()
          })
      }
    }
  }

  private func get(_ target: String, upTo end: String? = nil) async throws -> String {
    try await Self.ask(port, source, "GET", target, ["Cookie: \(cookie)"], upTo: end)
  }

  func page() async throws -> String { try await get("/") }

  /// The code of a phone that waits to be let work.
  func code() async throws -> String {
    let page = try await page()
    #expect(!page.contains("phone.js"), "it waits")
    return String(try #require(page.firstMatch(of: /class="code">([0-9]{4})</)).1)
  }

  private func post(_ target: String, _ body: String) async throws -> String {
    try await Self.ask(
      port, source, "POST", target,
      [
        "Cookie: \(cookie)", "Origin: http://127.0.0.1:\(port)", "Content-Type: application/json",
        "Content-Length: \(body.utf8.count)",
      ], body)
  }

  func setName(_ name: String) async throws {
    #expect(try await post("/name", #"{"name":"\#(name)"}"#).hasPrefix("HTTP/1.1 200 "))
  }

  /// Does something in a room.
  /// - Parameters:
  ///   - members: Further members of the request: `"text":"A1F3"`.
  ///   - isRepeated: The answer is lost, and the page sends the same request once more.
  @discardableResult
  func act(
    _ verb: String, in room: String, _ members: String = "", isRepeated: Bool = false
  ) async throws -> Answer {
    let number = number.withLock { number in
      number += 1
      return number
    }
    let body =
      #"{"n":\#(number),"do":"\#(verb)","room":"\#(room)"\#(members.isEmpty ? "" : ",\(members)")}"#
    var answer = try await post("/do", body)
    if isRepeated {
      let again = try await post("/do", body)
      #expect(again.withoutDate == answer.withoutDate)
      answer = again
    }
    let text = try #require(answer.split(separator: "\r\n\r\n", maxSplits: 1).last)
    let json = try #require(JSON(String(text)), "\(body): \(answer)")
    #expect(json["n"].integer == number)
    return Answer(
      words: json["words"].text ?? "", isGood: json["good"].flag ?? false,
      candidates: json["candidates"].items.compactMap { $0["device"].text }, question: json["question"].text)
  }

  /// Gives the last four digits of a label, and confirms the device that matches.
  func give(_ digits: String, in room: String, isRepeated: Bool = false) async throws {
    var found = try await act("digits", in: room, #""text":"\#(digits)""#)
    let end = SuspendingClock.now + Invocation.timeout
    // It is received a while after the scan has begun.
    while found.candidates.isEmpty, SuspendingClock.now < end {
      try await Task.sleep(for: .milliseconds(50))
      found = try await act("digits", in: room, #""text":"\#(digits)""#)
    }
    try #require(found.candidates.count == 1, "\(room): \(found)")
    let bound = try await act(
      "bind", in: room, #""device":"\#(found.candidates[0])""#, isRepeated: isRepeated)
    try #require(bound.isGood, "\(room): \(bound)")
  }

  /// The rooms as a page that is loaded now shows them.
  func rooms() async throws -> [String: Room] {
    // The server notices the end of a connection at its next beat, and keeps 64 of one address.
    try await Task.sleep(for: .milliseconds(250))
    let text = try await get("/events", upTo: "\n\n")
    let line = try #require(text.firstMatch(of: #/event: state\ndata: (.*)\n/#), "\(text)")
    let state = try #require(JSON(String(line.1)))
    return Dictionary(
      state["rooms"].items.map { room in
        (
          room["id"].text ?? "",
          Room(
            state: room["state"].text ?? "", device: room["device"].text, words: room["words"].text,
            by: room["by"].text)
        )
      }
    ) { first, _ in first }
  }
}
