import Testing

@testable import RoboprovCLI

@Suite("A program that has a password", .timeLimit(.minutes(2)))
struct SecretCommandTests {
  @Test("gets its arguments as they are: no shell reads them")
  func arguments() throws {
    let output = try SecretCommand.run(["printf", "%s|", "$HOME", "a b", "", "*", "\"'`", "é"])
    #expect(String(decoding: output, as: UTF8.self) == "$HOME|a b||*|\"'`|é|")
  }

  @Test(
    "is ended when it takes too long, whatever it does",
    arguments: [
      ["sleep", "100"], ["sh", "-c", "trap '' TERM; sleep 100 & wait; sleep 100"],
      ["sh", "-c", "exec >&-; sleep 100"], ["sh", "-c", "sleep 100 & echo 12345678"],
    ])
  func patience(command: [String]) {
    let limit = Duration.milliseconds(300)
    let time = ContinuousClock().measure {
      #expect(throws: SecretTrouble.timedOut(limit)) { try SecretCommand.run(command, within: limit) }
    }
    #expect(time < .seconds(30))
  }

  @Test("has no descriptor of ours but stdin, stdout and stderr")
  func descriptors() throws {
    let output = try SecretCommand.run(["sh", "-c", "ls /proc/self/fd | wc -l"])
    // One more is that of the directory.
    #expect(String(decoding: output, as: UTF8.self) == "4\n")
  }
}
