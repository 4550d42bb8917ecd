import Foundation

/// A `roboprov` process: the program that was built beside these tests.
final class Invocation: Sendable {
  /// The program.
  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "roboprov")

  /// How a process ended, and everything that it wrote.
  struct Outcome: CustomStringConvertible {
    /// Its exit status; nil when a signal ended it.
    var status: Int32?
    /// The signal that ended it.
    var signal: Int32?
    /// Data.
    var output: String
    /// Words for people.
    var errors: String

    var description: String {
      let end = status.map { "exit status \($0)" } ?? "signal \(signal ?? 0)"
      return "\(end)\n--- stdout\n\(output)\n--- stderr\n\(errors)"
    }
  }

  /// A wait that was in vain, and what the process had written by then.
  struct WaitedInVain: Error, CustomStringConvertible {
    var what: String
    var written: String
    var description: String { "waited in vain for \(what)\n\(written)" }
  }

  /// Where a sanitizer that these tests run under is to report (`Scripts/sanitize`): the program is built with it, too.
  private static let sanitizerOptions = ProcessInfo.processInfo.environment.filter {
    $0.key.hasSuffix("SAN_OPTIONS")
  }

  /// Long enough for the busiest machine; nothing waits for so long where all is well.
  static let patience = Duration.seconds(60)

  private let process: Process
  private let standardInput: FileHandle?
  private let output: URL
  private let errors: URL

  /// Its process id.
  var id: Int32 { process.processIdentifier }

  /// Whether it has not ended yet.
  var isRunning: Bool { process.isRunning }

  /// Starts a command line with its output going to two new files in `directory`.
  /// - Parameter input: where its stdin comes from: a pipe that can be typed into; or nothing.
  init(
    _ command: [String], environment: [String: String], in directory: URL, number: Int, takesInput: Bool
  ) throws {
    output = directory.appending(path: "out-\(number)")
    errors = directory.appending(path: "err-\(number)")
    for file in [output, errors] { try Data().write(to: file) }
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // What runs these tests may ignore signals, and its children would inherit that.
    process.arguments = ["--default-signal=PIPE,INT,TERM,HUP,XFSZ"] + command
    process.environment = environment.merging(Self.sanitizerOptions) { own, _ in own }
    process.currentDirectoryURL = directory
    // Closed here once the child has its own: Foundation reads the list of open files at each start, and crashes on a
    // long one now and then.
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

  /// What it has written to stdout so far.
  var outputSoFar: String { text(of: output) }
  /// What it has written to stderr so far.
  var errorsSoFar: String { text(of: errors) }

  private func text(of file: URL) -> String {
    String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
  }

  /// Types into its stdin.
  func type(_ text: String) throws {
    try standardInput?.write(contentsOf: Data(text.utf8))
  }

  /// Sends it a signal, unless it has ended.
  func send(_ signal: Int32) {
    if process.isRunning { kill(process.processIdentifier, signal) }
  }

  /// Returns when `text` stands in what it wrote, to stdout or stderr.
  /// - Throws: `WaitedInVain`, at once when it ends without having written that.
  func says(_ text: String) async throws {
    try await until("“\(text)”") { outputSoFar.contains(text) || errorsSoFar.contains(text) }
  }

  /// Returns when a condition is met.
  /// - Throws: `WaitedInVain`, at once when it ends before.
  func until(_ what: String, _ isMet: () async throws -> Bool) async throws {
    let end = SuspendingClock.now + Self.patience
    while true {
      let hasEnded = !process.isRunning
      if try await isMet() { return }
      if hasEnded || SuspendingClock.now > end { throw inVain(what) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Waits for its end; kills it when that does not come.
  func ended(within limit: Duration = patience) async throws -> Outcome {
    let end = SuspendingClock.now + limit
    while process.isRunning {
      if SuspendingClock.now > end || Task.isCancelled {
        let error = inVain("its end")
        send(SIGKILL)
        throw error
      }
      try? await Task.sleep(for: .milliseconds(10))
    }
    let isExit = process.terminationReason == .exit
    return Outcome(
      status: isExit ? process.terminationStatus : nil, signal: isExit ? nil : process.terminationStatus,
      output: outputSoFar, errors: errorsSoFar)
  }

  private func inVain(_ what: String) -> WaitedInVain {
    WaitedInVain(what: what, written: "--- stdout\n\(outputSoFar)\n--- stderr\n\(errorsSoFar)")
  }
}
