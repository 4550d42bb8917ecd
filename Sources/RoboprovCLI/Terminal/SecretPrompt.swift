import Application
import Model
import CLinux
import FoundationEssentials
import Glibc

/// Asks the operator at the terminal, even if stdin and stdout are redirected.
enum SecretPrompt {
  /// Asks a question, and reads the input without echo. Ctrl-C ends the process.
  /// - Parameter isNeeded: Whether to ask; if false, it only checks that there is a terminal.
  static func ask(_ question: String, _ isNeeded: Bool) throws(SecretError) -> [UInt8] {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { throw .noTerminal }
    defer { close(terminal) }
    guard isNeeded else { throw .notAsked }
    var answer = [CChar](repeating: 0, count: SecretText.longest)
    let count = clinux_ask_hidden(terminal, question.visible, &answer, answer.count)
    guard count >= 0 else { throw errno == EMSGSIZE ? .tooLong : .noTerminal }
    return answer[..<count].map { UInt8(truncatingIfNeeded: $0) }
  }
}
