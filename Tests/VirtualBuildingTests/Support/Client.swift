import Foundation

/// A third-party program, run to its end.
struct Client {
  /// The result of a run.
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String

    /// The output, if it is one JSON object per line.
    func events() throws -> [[String: Any]] {
      try output.split(separator: "\n").map { line in
        guard let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
          throw NotAnObject(line: String(line))
        }
        return event
      }
    }
  }

  struct NotAnObject: Error { var line: String }

  /// The root of the checkout that contains this file.
  static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The Python interpreter that `make venv` installs.
  static var python: URL { checkout.appending(path: ".build-interop/venv/bin/python3") }

  /// Runs a script of Tests/Interop with a bus.
  static func run(_ script: String, _ arguments: [String], bus: String) async throws -> Outcome {
    let process = Process()
    process.executableURL = python
    // Without compiled copies of the scripts' modules: they would change the checkout.
    process.arguments = ["-B", checkout.appending(path: "Tests/Interop/\(script)").path] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["DBUS_SYSTEM_BUS_ADDRESS": bus]
    ) { $1 }
    // Files, because pipes can fill up.
    let directory = FileManager.default.temporaryDirectory.appending(path: "client-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let files = (output: directory.appending(path: "out"), errors: directory.appending(path: "err"))
    for file in [files.output, files.errors] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: files.output)
    process.standardError = try FileHandle(forWritingTo: files.errors)
    process.standardInput = FileHandle.nullDevice
    let status = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do { try process.run() } catch { continuation.resume(throwing: error) }
      }
    } onCancel: {
      process.terminate()
    }
    return Outcome(
      status: status, output: try String(contentsOf: files.output, encoding: .utf8),
      errors: try String(contentsOf: files.errors, encoding: .utf8))
  }
}
