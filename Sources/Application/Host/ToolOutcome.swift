import FoundationEssentials
import Glibc

/// The exit status and the output of a system program.
package struct ToolOutcome {
  /// Its exit status, 128 + N after signal N; nil when it could not be started.
  package let status: Int32?
  package let output: String
  let errors: String

  /// Whether it could not be started.
  var isMissing: Bool { status == nil }
  /// Its complete output.
  var text: String { [output, errors].filter { !$0.isEmpty }.joined(separator: "\n") }

  /// Runs a program, named by its path or found in PATH, and waits for its end.
  /// - Parameter input: The file for its stdin.
  package init(_ command: [String], input: String = "/dev/null") {
    do throws(POSIXError) {
      let source = open(input, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      defer { if source >= 0 { close(source) } }
      let (output, errors) = (try ProcessPipe(), try ProcessPipe())
      let child: ChildProcess
      do throws(POSIXError) {
        child = try ChildProcess(command, input: source, output: output.writing, errors: errors.writing)
      } catch {
        output.close()
        errors.close()
        throw error
      }
      let texts = ProcessPipe.contents(of: [output, errors])
      self.output = Self.text(texts[0])
      self.errors = Self.text(texts[1])
      status =
        switch child.wait() {
        case .exited(let status): status
        case .killed(let signal): 128 + signal
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
