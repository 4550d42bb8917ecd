import Foundation
import Model
import Testing

@testable import Application

@Suite("the command of --notify", .timeLimit(.minutes(60)))
struct NotifierTests {
  @Test("a command that does not read its input does not end the run, and one that reads gets all of it")
  func unread() async throws {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      // More than a pipe holds.
      let input = String(repeating: "x", count: 1 << 20)
      let closed = try ShellCommand.start("exec <&-", input: input, output: -1)
      precondition(closed.wait() == .exited(0))
      let reading = try ShellCommand.start("test $(wc -c) = 1048577", input: input, output: -1)
      precondition(reading.wait() == .exited(0))
    }
  }

  @Test("a process that the command leaves behind is ended")
  func leftBehind() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "left-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    let notifier = Notifier("sleep 100 & echo $! >'\(file.path)'")
    let facts: [Fact] = [
      .runStarted(
        RunStarted(
          run: "r", building: "b", buildingName: "B", toolVersion: "1", host: "h", manifestPath: "b.yaml",
          manifestSHA256: "00", simulated: false,
          rooms: [
            PlannedRoom(room: "a", name: "Attic", profile: "robo-sensor", address: nil, settings: [])
          ])),
      .roomFinished(.init(room: "a", outcome: .failed, attempts: 1, seconds: 1, settings: [])),
    ]
    for (number, fact) in facts.enumerated() {
      notifier.take(RunEvent(sequence: number + 1, at: Date(), elapsed: .zero, fact: fact))
    }
    notifier.finish()
    let left = try #require(Int32(String(contentsOf: file, encoding: .utf8).dropLast()))
    // It was sent SIGKILL, and remains as a zombie until its new parent reaps it. Otherwise this waits for ever.
    while let state = try? String(contentsOfFile: "/proc/\(left)/stat", encoding: .utf8),
      !state.contains(") Z ")
    {
      usleep(1_000)
    }
  }
}
