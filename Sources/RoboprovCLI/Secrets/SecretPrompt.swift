import CLinux
import Foundation
import Reporting

/// The person at the terminal, wherever input and output go.
enum SecretPrompt {
  /// What is typed after a question, which does not show. Ctrl-C ends the process.
  /// - Parameter isNeeded: Whether an answer is of use; if not, it is only found out whether somebody could be asked.
  static func ask(_ question: String, isNeeded: Bool) throws(SecretTrouble) -> [UInt8] {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { throw .noTerminal }
    defer { close(terminal) }
    guard isNeeded else { throw .notAsked }
    var answer = [CChar](repeating: 0, count: SecretText.longest)
    let count = clinux_ask_hidden(terminal, question.visible, &answer, answer.count)
    guard count >= 0 else { throw errno == EMSGSIZE ? .tooLong : .noTerminal }
    return answer[..<count].map { UInt8(bitPattern: $0) }
  }
}
