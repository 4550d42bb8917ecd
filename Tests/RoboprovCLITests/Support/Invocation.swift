import EventLoop
import Foundation
import Testing

/// A `roboprov` process of the program that was built with these tests.
final class Invocation: Sendable {
  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "roboprov")

  /// The result of a process: its exit and its complete output.
  struct Outcome: CustomStringConvertible {
    /// The exit status; nil if a signal ended the process.
    var status: Int32?
    /// The signal that ended the process.
    var signal: Int32?
    /// The text on stdout.
    var output: String
    /// The text on stderr.
    var errors: String

    var description: String {
      let end = status.map { "exit status \($0)" } ?? "signal \(signal ?? 0)"
      return "\(end)\n--- stdout\n\(output)\n--- stderr\n\(errors)"
    }

    /// Expects an exit status, and texts that stdout and stderr contain or do not contain.
    /// - Parameters:
    ///   - status: nil for any.
    ///   - reason: Why this exit status is right.
    @discardableResult
    func expect(
      _ status: Int32? = nil, _ reason: String = "", output: String..., errors: String...,
      notOutput: String...,
      notErrors: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
      if let status {
        #expect(self.status == status, "\(reason)\n\(self)", sourceLocation: sourceLocation)
      }
      for (words, text, isWanted) in [
        (output, self.output, true), (errors, self.errors, true), (notOutput, self.output, false),
        (notErrors, self.errors, false),
      ] {
        for word in words {
          #expect(text.contains(word) == isWanted, "“\(word)”\n\(self)", sourceLocation: sourceLocation)
        }
      }
      return self
    }

    /// The JSON on stdout.
    var json: JSON {
      get throws { try #require(JSON(output), "\(self)") }
    }
  }

  /// A wait that failed, with the output of the process so far.
  struct WaitTimedOut: Error, CustomStringConvertible {
    var what: String
    var written: String
    var description: String { "\(what) did not come\n\(written)" }
  }

  /// The variables that the program gets from these tests: the sanitizer's options (`Scripts/sanitize`) and
  /// the wrong change (`Scripts/mutants`).
  private static let inherited = ProcessInfo.processInfo.environment.filter {
    $0.key.hasSuffix("SAN_OPTIONS") || ["ROBOPROV_MUTANT", "ROBOPROV_REACHED"].contains($0.key)
  }

  /// A time limit for a machine of a tenth of the usual speed. Only a test that fails waits so long.
  static let timeout = Duration.seconds(900)

  private let process: Process
  private let standardInput: FileHandle?
  private let output: URL
  private let errors: URL

  /// The process id.
  var id: Int32 { process.processIdentifier }

  /// Whether the process is still running.
  var isRunning: Bool { process.isRunning }

  /// Starts a command line whose output goes to two new files in `directory`.
  /// - Parameter input: the source of stdin: a pipe for typed input, or nothing.
  init(
    _ command: [String], environment: [String: String], in directory: URL, number: Int, takesInput: Bool
  ) throws {
    output = directory.appending(path: "out-\(number)")
    errors = directory.appending(path: "err-\(number)")
    for file in [output, errors] { try Data().write(to: file) }
    process = Process()
    // The virtual BlueZ of all programs lives in the process of the tests. Without `nice` they would take the processor from
    // it, and on a slow machine it would look like a bluetoothd that does not answer.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/nice")
    // The test process may ignore signals, and its children would inherit that.
    process.arguments = ["/usr/bin/env", "--default-signal=PIPE,INT,TERM,HUP,XFSZ"] + command
    process.environment = environment.merging(Self.inherited) { own, _ in own }
    process.currentDirectoryURL = directory
    // The parent closes these once the child has its own: Foundation reads the list of open files at each
    // start and sometimes crashes if the list is long.
    let files = [try FileHandle(forWritingTo: output), try FileHandle(forWritingTo: errors)]
    defer { for file in files { try? file.close() } }
    (process.standardOutput, process.standardError) = (files[0], files[1])
    if takesInput {
      let pipe = Pipe()
      process.standardInput = pipe
      standardInput = pipe.fileHandleForWriting
    } else {
      process.standardInput = FileHandle.nullDevice
      standardInput = nil
    }
    try process.run()
  }

  /// The text on stdout so far.
  var outputSoFar: String { text(of: output) }
  /// The text on stderr so far.
  var errorsSoFar: String { text(of: errors) }

  private func text(of file: URL) -> String {
    String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
  }

  /// Writes a text to stdin.
  func type(_ text: String) throws {
    try standardInput?.write(contentsOf: Data(text.utf8))
  }

  /// Sends a signal if the process has not ended.
  func send(_ signal: Int32) {
    if process.isRunning { kill(process.processIdentifier, signal) }
  }

  /// Returns when `text` appears on stdout or stderr.
  /// - Throws: `WaitTimedOut`, at once if the process ends without writing the text.
  func prints(_ text: String) async throws {
    try await until("“\(text)”") { outputSoFar.contains(text) || errorsSoFar.contains(text) }
  }

  /// Waits for a question, and types the answer.
  func prints(_ question: String, thenType answer: String) async throws {
    try await prints(question)
    try type(answer)
  }

  /// Returns when a condition is met.
  /// - Throws: `WaitTimedOut`, at once if the process ends first.
  func until(_ what: String, _ isMet: () async throws -> Bool) async throws {
    let end = SuspendingClock.now + Self.timeout
    while true {
      let hasEnded = !process.isRunning
      if try await isMet() { return }
      if hasEnded || SuspendingClock.now > end { throw withoutResult(what) }
      // The next step of a test often belongs to this moment.
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Waits for the end of the process; kills it after the time limit.
  func ended(within limit: Duration = timeout) async throws -> Outcome {
    let hasEnded = await LoopExecutor.waitingOutside {
      let start = SuspendingClock.now
      var waited = Duration.zero
      while process.isRunning, waited < limit, !Task.isCancelled {
        // Tests that wait leave the processor to their programs.
        try? await Task.sleep(for: min(max(waited / 16, .milliseconds(10)), .milliseconds(250)))
        waited = SuspendingClock.now - start
      }
      return !process.isRunning
    }
    guard hasEnded else {
      let error = withoutResult("its end")
      send(SIGKILL)
      throw error
    }
    let isExit = process.terminationReason == .exit
    return Outcome(
      status: isExit ? process.terminationStatus : nil, signal: isExit ? nil : process.terminationStatus,
      output: outputSoFar, errors: errorsSoFar)
  }

  private func withoutResult(_ what: String) -> WaitTimedOut {
    WaitTimedOut(what: what, written: "--- stdout\n\(outputSoFar)\n--- stderr\n\(errorsSoFar)")
  }
}
