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
      ["sh", "-c", "exec >&-; sleep 100"], ["sh", "-c", "sleep 100 & echo 12345678"],
    ])
  func timeLimit(command: [String]) {
    let limit = Duration.milliseconds(300)
    // Without the limit it would take 100 s.
    #expect(throws: SecretError.timedOut(limit)) { try SecretCommand.run(command, within: limit) }
  }

  @Test("the program inherits only stdin, stdout and stderr")
  func descriptors() throws {
    let output = try SecretCommand.run(["sh", "-c", "ls /proc/self/fd | wc -l"])
    // The further descriptor is that of the directory.
    #expect(String(decoding: output, as: UTF8.self) == "4\n")
  }
}
