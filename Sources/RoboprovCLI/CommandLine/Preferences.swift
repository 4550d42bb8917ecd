import Application
import Host
import Model
import Reporting

/// An environment variable with the default value of an option. The command line overrides it.
enum OptionVariable: String, CaseIterable {
  case reports = "ROBOPROV_REPORTS"
  case mirror = "ROBOPROV_MIRROR"
  case operatedBy = "ROBOPROV_OPERATOR"
  /// Several with spaces between.
  case adapter = "ROBOPROV_ADAPTER"
  case siteKey = "ROBOPROV_SITE_KEY"
  case logLevel = "ROBOPROV_LOG"

  /// The option.
  var option: String {
    switch self {
    case .reports: "--reports"
    case .mirror: "--mirror"
    case .operatedBy: "--operator"
    case .adapter: "--adapter"
    case .siteKey: "--site-key"
    case .logLevel: "--log-level"
    }
  }

  /// Its value; nil if it is not set or empty.
  var text: String? { HostEnvironment.text(rawValue) }

  /// The section of the help: a line for each variable and its option.
  static let help = (["ENVIRONMENT (the command line wins)"] + allCases.map(\.line)).joined(separator: "\n")

  private var line: String {
    let note = self == .adapter ? ": several with spaces between; not in rehearsals" : ""
    return "  " + rawValue + String(repeating: " ", count: 20 - rawValue.count) + option + note
  }
}

/// Default values of options that a user would otherwise repeat with every command.
struct Preferences: Hashable, Sendable {
  /// The reports directory (`--reports`).
  var reports = "reports"
  /// The mirror directory (`--mirror`).
  var mirror: String?
  /// The operator (`--operator`).
  var operatedBy: String?
  /// The adapters to use (`--adapter`); none for all that are ready.
  var adapters: [String] = []
  /// The file of the site's key (`--site-key`).
  var siteKey: String?
  /// The level of the log on stderr (`--log-level`); nil for no log.
  var logLevel: LogLevel?

  /// The arguments of the present command, for a message that repeats it.
  var arguments: [String] = []

  /// The preferences for the present command. The parser takes the default values of options from it.
  @TaskLocal static var current = Preferences()

  /// The `--reports` option for a command line in a message; empty for the present default.
  static func argument(naming reports: String) -> String {
    reports == current.reports ? "" : " --reports \(reports.shellQuoted)"
  }
}

extension Preferences {
  /// The preferences in the environment.
  /// - Parameters:
  ///   - logLevel: The log level on the command line; an unknown level is reported by the parser.
  ///   - isRehearsal: Whether the command uses virtual adapters: those of the environment are not among them.
  init(logLevel: String?, isRehearsal: Bool) {
    reports = OptionVariable.reports.text ?? reports
    mirror = OptionVariable.mirror.text
    operatedBy = OptionVariable.operatedBy.text
    siteKey = OptionVariable.siteKey.text
    if !isRehearsal {
      adapters = OptionVariable.adapter.text?.split(separator: " ").map(String.init) ?? []
    }
    self.logLevel = (logLevel ?? OptionVariable.logLevel.text).flatMap(LogLevel.init)
  }

  /// Checks the log level of the environment, which applies unless the command line names one.
  static func checkLogLevel(named: String?) throws(CommandFailure) {
    guard named == nil, let text = OptionVariable.logLevel.text, LogLevel(rawValue: text) == nil else {
      return
    }
    throw CommandFailure(
      .usage, "\(OptionVariable.logLevel.rawValue) is “\(text.visible)”, which is not a log level",
      advice: "Set it to \(LogLevel.allCases.map(\.rawValue).joined(separator: ", ")), or unset it.")
  }
}
