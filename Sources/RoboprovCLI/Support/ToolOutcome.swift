import Foundation

/// How a program of the system ended, and what it wrote.
struct ToolOutcome {
  let status: Int32
  let output: String
  let errors: String

  /// Whether there is no such program: env(1) ends with 127 then.
  var isMissing: Bool { status == -1 || status == 127 }
  /// All that it wrote.
  var text: String { [output, errors].filter { !$0.isEmpty }.joined(separator: "\n") }

  /// Runs a program to its end: by its path, or by a name that is looked up along PATH.
  /// - Parameter input: The file that its stdin comes from.
  init(_ command: [String], input: String = "/dev/null") {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = FileHandle(forReadingAtPath: input) ?? FileHandle.nullDevice
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    do {
      try process.run()
    } catch {
      (status, self.output) = (-1, "")
      self.errors = "\(command.first ?? "") cannot be started: \(error.localizedDescription)"
      return
    }
    // What it complains of fits into the pipe.
    self.output = Self.text(of: output)
    self.errors = Self.text(of: errors)
    process.waitUntilExit()
    status = process.terminationStatus
  }

  private static func text(of pipe: Pipe) -> String {
    String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
