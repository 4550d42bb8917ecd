import FoundationEssentials
import Glibc
import Model
import Reporting

/// A program that writes a password to stdout: `pass`, `sops`, `systemd-creds`.
enum SecretCommand {
  /// The timeout. The operator may have to enter a passphrase or touch a security key.
  static let timeout = Duration.seconds(120)

  /// Runs a program without a shell. It can ask at the terminal, if there is one.
  ///
  /// Its stderr is shown without controls and without the password. At a terminal it is shown while the program
  /// runs, from the second second on, because it may tell the person what to do; otherwise after the end.
  /// - Returns: Its stdout.
  static func run(
    _ words: [String], within timeout: Duration = Self.timeout
  ) throws(SecretError) -> [UInt8] {
    var shown = 0
    let patience = Deadline(after: .seconds(1))
    let isWatched = Surroundings.isTerminal(STDERR_FILENO)
    let outcome: ChildProcess.Outcome
    do throws(POSIXError) {
      outcome = try ChildProcess.run(
        words, atTerminal: true, within: timeout, atMost: SecretText.longest
      ) { output, errors in
        if isWatched, patience.hasPassed { show(errors, output, &shown) }
      }
    } catch {
      if error.code == .ENOENT || error.code == .ENOTDIR { throw .noProgram }
      throw .notStarted(reason: error.text)
    }
    show(outcome.errors, outcome.output, &shown)
    switch outcome.ending {
    case _ where outcome.wroteTooMuch: throw .tooLong
    case .exited(0)?: return outcome.output
    case .exited(let status)?: throw .ended(status)
    case .killed(let signal)?: throw .killed(signal)
    case nil: throw .timedOut(timeout)
    }
  }

  /// Shows what is new in the error output.
  /// - Parameters:
  ///   - output: What may be the password.
  ///   - shown: The bytes that were shown before.
  private static func show(_ errors: [UInt8], _ output: [UInt8], _ shown: inout Int) {
    guard errors.count > shown else { return }
    let new = String(decoding: errors[shown...], as: UTF8.self)
    shown = errors.count
    let secret = Secret(String(decoding: output, as: UTF8.self).trimmed)
    Surroundings.write(Redactor([secret])(OutsideWords.quoted(new)).visibleLines, to: STDERR_FILENO)
  }
}
