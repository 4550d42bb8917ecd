import Foundation
import Host
import Testing

@testable import Application

@Suite("files that are named are read within a bound and a time limit", .timeLimit(.minutes(60)))
struct InputFileTests {
  private static let impatient = InputFile.Patience(opening: .milliseconds(30), writing: .milliseconds(30))

  /// Reads a pipe; `sh` runs `script` with the pipe as `$1` meanwhile.
  private func read(
    _ script: String?, atMost limit: Int = 100, _ patience: InputFile.Patience? = .init(opening: .seconds(60))
  ) throws -> Result<String, InputFile.Problem> {
    let pipe = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID())").path
    try #require(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    let writer = try script.map { script in
      try ChildProcess(["sh", "-c", script, "sh", pipe], output: STDERR_FILENO, errors: STDERR_FILENO)
    }
    defer { writer?.stop() }
    do throws(InputFile.Problem) {
      let bytes = try InputFile.contents(of: pipe, atMost: limit, patience: patience).bytes
      return .success(String(decoding: bytes, as: UTF8.self))
    } catch {
      return .failure(error)
    }
  }

  private func isSilent(_ result: Result<String, InputFile.Problem>) -> Bool {
    if case .failure(.silent) = result { true } else { false }
  }

  @Test("a pipe that nobody writes into is given up")
  func nobody() throws {
    #expect(isSilent(try read(nil, Self.impatient)))
  }

  @Test("a pipe whose writer is silent is given up")
  func silent() throws {
    let patience = InputFile.Patience(opening: .seconds(60), writing: .milliseconds(30))
    #expect(isSilent(try read("exec 3>\"$1\"; sleep 100", patience)))
    #expect(isSilent(try read("{ printf a; sleep 100; } >\"$1\"", patience)))
  }

  @Test("what is written into a pipe is read to its end, also in parts and also nothing")
  func written() throws {
    #expect(try read("{ printf a; sleep 0.05; printf b; } >\"$1\"").get() == "ab")
    #expect(try read("printf '' >\"$1\"").get() == "")
  }

  @Test("a pipe without an end is read up to the limit")
  func endless() throws {
    guard case .failure(.tooLarge) = try read("cat /dev/zero >\"$1\"", atMost: 1 << 20) else {
      Issue.record("it was read")
      return
    }
  }

  @Test("a pipe is refused where only files are meant")
  func refused() throws {
    guard case .failure(.pipe) = try read(nil, nil) else {
      Issue.record("it was read")
      return
    }
  }

  @Test("no device but /dev/null is read", arguments: ["/dev/zero", "/dev/full", "/dev/random"])
  func devices(path: String) throws {
    #expect(throws: InputFile.Problem.self) { try InputFile.contents(of: path, atMost: 1 << 30) }
    #expect(try InputFile.contents(of: "/dev/null", atMost: 1).bytes.isEmpty)
  }
}
