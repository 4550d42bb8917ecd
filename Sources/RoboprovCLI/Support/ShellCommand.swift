import Foundation

/// A command that the operator gave, run by the shell with a text on its standard input.
enum ShellCommand {
  /// Starts it.
  /// - Parameters:
  ///   - output: Where its stdout goes: what it says is not part of our data.
  ///   - errors: Where its stderr goes; nil for ours.
  ///   - ended: Told of its exit status, -1 where a signal ended it.
  /// - Throws: Why it could not be started.
  static func start(
    _ command: String, input: Data, output: FileHandle, errors: FileHandle? = nil,
    ended: @escaping @Sendable (Int32) -> Void
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardOutput = output
    if let errors { process.standardError = errors }
    let pipe = Pipe()
    process.standardInput = pipe
    process.terminationHandler = { process in
      ended(process.terminationReason == .exit ? process.terminationStatus : -1)
    }
    try process.run()
    // One that does not read its input is none the worse for it.
    try? pipe.fileHandleForWriting.write(contentsOf: input + Data("\n".utf8))
    try? pipe.fileHandleForWriting.close()
    return process
  }
}
