import FoundationEssentials
import Glibc
import Host
import Model
import Reporting

/// A program that writes a password to stdout: `pass`, `sops`, `systemd-creds`.
enum SecretCommand {
  /// The timeout. The operator may have to enter a passphrase or touch a security key.
  static let timeout = Duration.seconds(120)

  /// Runs a program without a shell. It can ask at the terminal, if there is one.
  ///
  /// Its stderr is shown when it has ended, without controls and without the password: only then is that known. At a
  /// terminal the person is told that there is something, because it may ask to touch a key.
  /// - Returns: Its stdout.
  static func run(
    _ words: [String], within timeout: Duration = Self.timeout
  ) throws(SecretError) -> [UInt8] {
    var isAnnounced = !Surroundings.isTerminal(STDERR_FILENO)
    let patience = Deadline(after: .seconds(1))
    let outcome: ChildProcess.Outcome
    do throws(POSIXError) {
      outcome = try ChildProcess.run(
        words, atTerminal: true, within: timeout, atMost: SecretText.longest
      ) { errors in
        guard !isAnnounced, !errors.isEmpty, patience.hasPassed else { return }
        isAnnounced = true
        Messages.say(SecretMessages.waiting(for: words))
      }
    } catch {
      if error.code == .ENOENT || error.code == .ENOTDIR { throw .noProgram }
      throw .notStarted(reason: error.text)
    }
    show(outcome)
    switch outcome.ending {
    case _ where outcome.wroteTooMuch: throw .tooLong
    case .exited(0)?: return outcome.output
    case .exited(let status)?: throw .ended(status)
    case .killed(let signal)?: throw .killed(signal)
    case nil: throw .timedOut(timeout)
    }
  }

  /// Shows the error output without what may be the password: the output, and each of its lines.
  private static func show(_ outcome: ChildProcess.Outcome) {
    guard !outcome.errors.isEmpty else { return }
    let output = String(decoding: outcome.output, as: UTF8.self)
    let secrets = [output.trimmed] + output.split(whereSeparator: \.isNewline).map(\.trimmed)
    let errors = OutsideWords.quoted(String(decoding: outcome.errors, as: UTF8.self))
    Surroundings.write(Redactor(secrets.map { Secret($0) })(errors).visibleLines, to: STDERR_FILENO)
  }
}
