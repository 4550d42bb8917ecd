import DBus
import Foundation
import Host
import Model
import Synchronization
import Testing

@testable import Application

@Suite("a program supplies a password", .timeLimit(.minutes(60)))
struct SecretCommandTests {
  @Test("the program gets its arguments unchanged, without a shell")
  func arguments() throws {
    let output = try SecretCommand.run(["printf", "%s|", "$HOME", "a b", "", "*", "\"'`", "é"])
    #expect(String(decoding: output, as: UTF8.self) == "$HOME|a b||*|\"'`|é|")
  }

  @Test(
    "the program is ended after the time limit, whatever it does",
    arguments: [
      ["sleep", "100"], ["sh", "-c", "trap '' TERM; sleep 100 & wait; sleep 100"],
      ["sh", "-c", "exec >&-; sleep 100"],
    ])
  func timeLimit(command: [String]) {
    let limit = Duration.milliseconds(300)
    // Without the limit it would take 100 s.
    #expect(throws: SecretError.timedOut(limit)) { try SecretCommand.run(command, within: limit) }
  }

  @Test("a process that the program leaves behind is ended, and holds nothing up")
  func leftBehind() throws {
    let output = try SecretCommand.run(["sh", "-c", "sleep 100 & echo $!"])
    let left = try #require(Int32(String(decoding: output, as: UTF8.self).trimmingPrefix(" ").dropLast()))
    // It was sent SIGKILL, and remains as a zombie until its new parent reaps it. Otherwise this waits for ever.
    while let state = try? String(contentsOfFile: "/proc/\(left)/stat", encoding: .utf8),
      !state.contains(") Z ")
    {
      usleep(1_000)
    }
  }

  @Test(
    "its error output is shown without controls and without the password, also without the first of several lines",
    arguments: [
      "printf 'asking \\033]0;x\\007 swordfish-42\\n' >&2; echo swordfish-42",
      "printf 'asking swordfi' >&2; sleep 0.1; printf 'sh-42\\n' >&2; sleep 0.1; echo swordfish-42; exit 1",
      "echo 'asking swordfish-42' >&2; printf 'swordfish-42\\nlogin: me\\n'",
    ])
  func errorOutput(script: String) async throws {
    let shown = Mutex("")
    let surroundings = Surroundings(
      variables: [:], bus: .address("unix:path=/none"), wall: { Date() },
      write: { text, _ in shown.withLock { $0 += text } })
    Surroundings.$current.withValue(surroundings) { _ = try? SecretCommand.run(["sh", "-c", script]) }
    let text = shown.withLock { $0 }
    #expect(text.contains("asking ") && text.contains(Redactor.mark) && !text.contains("\u{1B}"), "\(text)")
    #expect(!text.contains("swordf") && !text.contains("fish"), "\(text)")
  }

  @Test("the program inherits only stdin, stdout and stderr")
  func descriptors() throws {
    let output = try SecretCommand.run(["sh", "-c", "ls /proc/self/fd | wc -l"])
    // The further descriptor is that of the directory.
    #expect(String(decoding: output, as: UTF8.self) == "4\n")
  }
}
