import FoundationEssentials
import Glibc

/// The exit status and the output of a system program.
package struct ToolOutcome {
  /// Its exit status, 128 + N after signal N; nil when it could not be started.
  package let status: Int32?
  package let output: String
  package let errors: String

  /// Whether it could not be started.
  package var isMissing: Bool { status == nil }
  /// Its complete output.
  package var text: String { [output, errors].filter { !$0.isEmpty }.joined(separator: "\n") }

  /// The maximum output of a program, in bytes.
  private static let mostBytes = 1 << 20

  /// Runs a program, named by its path or found in PATH, and waits for its end.
  /// - Parameters:
  ///   - input: The file for its stdin.
  ///   - asks: Whether it may ask at the terminal, where its stdin then is.
  ///   - timeout: After it the program is ended, with the status of timeout(1).
  package init(
    _ command: [String], input: String = "/dev/null", asks: Bool = false,
    within timeout: Duration = .seconds(60)
  ) {
    do throws(POSIXError) {
      let source = open(input, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
      defer { if source >= 0 { close(source) } }
      let outcome = try ChildProcess.run(
        command, input: source, atTerminal: asks, within: timeout, atMost: Self.mostBytes)
      output = Self.text(outcome.output)
      errors = Self.text(outcome.errors)
      status =
        switch outcome.ending {
        case .exited(let status)?: status
        case .killed(let signal)?: 128 + signal
        case nil: 124
        }
    } catch {
      (status, output) = (nil, "")
      errors = "\(command.first ?? "") cannot be started: \(error.text)"
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).trimmed
  }
}
