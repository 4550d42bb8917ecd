import Foundation
import Model
import Testing

@testable import Journal
@testable import Application

@Suite("locks on other hosts") struct RemoteLockTests {
  @Test("the shell on the host outlives several lines that are lost, and ends a minute after the last one")
  func silence() throws {
    let holder = LockHolder(process: 7, run: "run", since: Date(timeIntervalSince1970: 0))
    let command = RemoteLock.command("001A7DDA7113", holder)
    #expect(command.contains(#"read -r -t "$3"; "#) && command.hasSuffix(" 001A7DDA7113 60"))
    #expect(!command.contains("\n") && !command.contains("# "))
    #expect(RemoteLock.silence == .seconds(60))
    #expect(RemoteLock.interval == .seconds(10))
  }

  @Test("a lock that is held sends one line after the other")
  func lines() async throws {
    let lock = try await RemoteLock.take(
      by: ["/bin/bash", "-c", "read -t 10 && read -t 10 && echo taken; while read -t 10; do :; done"],
      interval: .milliseconds(1))
    #expect(lock.isHeld)
  }

  /// What a program that takes a lock says, by what becomes of the lock.
  @Test(
    "a lock is taken, held by a run or by an unknown program, or cannot be taken",
    arguments: [
      ("echo taken; cat", "taken"), ("echo taken", "taken"),
      ("echo held; cat \"$1\"", "held by process 7, run r-1, since 2026-11-02T08:00:00.000Z"),
      ("echo held; echo of another program", "held"), ("echo held", "held"),
      ("echo Welcome; echo taken >&2", "Welcome\ntaken"), ("echo no bash here >&2; exit 127", "no bash here"),
      ("exit 1", "no answer"),
    ])
  func answers(script: String, expected: String) async throws {
    let holder = LockHolder(process: 7, run: "r-1", since: Date(timeIntervalSince1970: 1_793_606_400))
    let file = FileManager.default.temporaryDirectory.appending(path: "roboprov-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(holder.line).write(to: file)
    let answer: String
    do throws(RemoteLock.Refusal) {
      let lock = try await RemoteLock.take(by: ["/bin/sh", "-c", script, "sh", file.path])
      answer = withExtendedLifetime(lock) { "taken" }
    } catch {
      switch error {
      case .held(let holder): answer = holder.map { "held by \($0)" } ?? "held"
      case .unusable(let reason): answer = reason
      }
    }
    #expect(answer == expected)
  }
}
