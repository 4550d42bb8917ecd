import ArgumentParser
import Reporting

/// What the process's exit code says. The numbers are frozen; where one fits, they are sysexits.h's.
enum ExitStatus: Int32, CaseIterable {
  /// Every selected room is done; or, for other commands, all is well.
  case done = 0
  /// Something we did not foresee.
  case unexpected = 1
  /// `plan --detailed-exitcode`: some room would be written.
  case changes = 2
  /// The command line makes no sense.
  case usage = 64
  /// The manifest, scenario, plan or configuration cannot be used, or the manifest contradicts the record; or a password that it refers to is
  /// missing.
  case manifest = 65
  /// No bus, no Bluetooth stack, or no adapter; or another run has the building or the adapter; or too little memory. `doctor` ends
  /// with it for every error that it finds: what a run needs is missing, and 1 is left to what nobody foresaw.
  case unavailable = 69
  /// The record cannot be written; or it is damaged, and nothing is decided by it.
  case record = 74
  /// Some selected room is not done.
  case incomplete = 100
  /// A person stopped it; reports are written.
  case interrupted = 130

  /// The error that ends the process with this code and without further words.
  var exit: ExitCode { ExitCode(rawValue) }

  /// One line for `--help`.
  var meaning: String {
    switch self {
    case .done: "every selected room is done"
    case .unexpected: "unexpected error"
    case .changes: "some room would be written (only of `plan --detailed-exitcode`)"
    case .usage: "the command line makes no sense"
    case .manifest: "the manifest, scenario, plan or configuration cannot be used, or contradicts the record"
    case .unavailable: "no D-Bus, BlueZ or adapter, another run is at work, or `doctor` found an error"
    case .record: "the record cannot be written, or is damaged"
    case .incomplete: "some selected room is not done"
    case .interrupted: "interrupted (reports are written)"
    }
  }

  /// All of them, for the end of a command's help.
  static let help =
    "EXIT STATUS\n"
    + allCases.map { status in
      let code = String(status.rawValue)
      return "  " + code + String(repeating: " ", count: 5 - code.count) + status.meaning
    }.joined(separator: "\n")
}

/// Ends a command with a message for people and an exit status.
struct CommandFailure: Error {
  var status: ExitStatus
  /// What happened.
  var message: String
  /// What to do next.
  var cure: String?

  init(_ status: ExitStatus, _ message: String, cure: String? = nil) {
    self.status = status
    self.message = message
    self.cure = cure
  }

  /// Message and cure; what follows the first line is indented.
  var text: String {
    let lines = [message.visible] + (cure?.split(separator: "\n").map(String.init) ?? [])
    return lines.joined(separator: "\n  ")
  }
}
