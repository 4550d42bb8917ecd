import Model

/// The exit status of the process. The numbers are frozen and follow sysexits.h where one fits; the names of the cases are
/// frozen, too: they are the codes of errors in JSON.
///
/// Thrown, it ends the command without a message.
package enum ExitStatus: Int32, CaseIterable, Error {
  /// Every selected room is done; for other commands: success.
  case done = 0
  /// An unexpected error.
  case unexpected = 1
  /// `plan --detailed-exitcode`: at least one room would be written.
  case changes = 2
  /// The command line is not valid.
  case usage = 64
  /// The manifest, scenario or plan cannot be used, the manifest contradicts the record, or a
  /// password is missing.
  case manifest = 65
  /// No bus, no Bluetooth stack or no adapter; another run has the lock; or too little memory. `doctor`
  /// returns it for every error that it finds, so that 1 stays reserved for unexpected errors.
  case unavailable = 69
  /// The record cannot be written, or is damaged.
  case record = 74
  /// At least one selected room is not done.
  case incomplete = 100
  /// The operator stopped the command; the reports are written.
  case interrupted = 130

  var meaning: String {
    switch self {
    case .done: "every selected room is done"
    case .unexpected: "unexpected error"
    case .changes: "at least one room would be written (only for `plan --detailed-exitcode`)"
    case .usage: "the command line is not valid"
    case .manifest: "the manifest, scenario or plan cannot be used, or contradicts the record"
    case .unavailable: "no D-Bus, BlueZ or adapter, another run is active, or `doctor` found an error"
    case .record: "the record cannot be written, or is damaged"
    case .incomplete: "at least one selected room is not done"
    case .interrupted: "interrupted (reports are written)"
    }
  }

  /// The error of a command that ended with this status, and has said in its output what is wrong; nil if nothing is.
  package var failure: CommandFailure? {
    switch self {
    case .done, .changes: nil
    default: CommandFailure(self, meaning)
    }
  }

  /// All statuses, for the help of the program.
  package static let help = help(of: allCases)

  /// Those that are a result of a run, for the help of its commands.
  package static let helpOfRuns =
    help(of: [.done, .incomplete, .interrupted]) + "\n  `roboprov help` lists all."

  private static func help(of statuses: [ExitStatus]) -> String {
    "EXIT STATUS\n"
      + statuses.map { status in
        let code = String(status.rawValue)
        return "  " + code + String(repeating: " ", count: 5 - code.count) + status.meaning
      }.joined(separator: "\n")
  }
}

/// Ends a command with a message for people and an exit status.
package struct CommandFailure: Error {
  package var status: ExitStatus
  /// The failure, as a sentence.
  package var message: String
  /// The next action, as a sentence.
  package var advice: String?

  package init(_ status: ExitStatus, _ message: String, advice: String? = nil) {
    self.status = status
    self.message = message
    self.advice = advice
  }

  /// Advice about several things: 20 of them, and the number of the others.
  static func list<Item>(_ items: [Item], _ words: (Item) -> String) -> String {
    let lines = items.prefix(20).map { "- " + words($0) }
    let more = items.count - lines.count
    return (lines + (more > 0 ? ["… and \(more) more."] : [])).joined(separator: "\n")
  }

  /// Message and advice. Lines after the first are indented.
  package var text: String {
    let lines = [message.visible] + (advice?.split(separator: "\n").map(String.init) ?? [])
    return lines.joined(separator: "\n  ")
  }
}
