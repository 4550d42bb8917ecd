import Application
import Model
import Reporting
import FoundationEssentials
import Glibc

/// Default values of options that a user would otherwise repeat with every command. The command line
/// overrides the environment, and the environment overrides the configuration file.
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

  /// The preferences for the present command. The parser takes the default values of options from it.
  @TaskLocal static var current = Preferences()

  /// The `--reports` option for a command line in a message; empty for the present default.
  static func argument(naming reports: String) -> String {
    reports == current.reports ? "" : " --reports \(reports.shellQuoted)"
  }

  /// The environment variable that names the reports directory.
  static let reportsVariable = "ROBOPROV_REPORTS"
  /// The configuration file's name in the user's configuration directory.
  static let fileName = "config.yaml"
}

/// The preferences as read. Nothing is printed before a command needs them, because help and completions work
/// without them.
struct ConfiguredPreferences {
  /// The preferences; without the file's values if the file cannot be used.
  private(set) var preferences = Preferences()
  /// The configuration file that was read.
  private var file: String?
  /// The findings in the file, and the error of a command that needs it.
  private var problem: (findings: [String], failure: CommandFailure)?

  /// The maximum size of a configuration file, in bytes.
  private static let maximumBytes = 1 << 20
  private static let advice =
    "Correct it, or name another file with --config FILE. `--config /dev/null` uses no configuration."

  /// Reads the configuration file, then the environment.
  /// - Parameters:
  ///   - config: The configuration file that the command line names. Without it the user's own is read, which may be absent.
  ///   - isRehearsal: Whether the command uses virtual adapters: the configured ones are not among them.
  ///   - logLevel: The log level on the command line; an unknown level is reported by the parser.
  init(config: String?, logLevel: String?, isRehearsal: Bool) {
    read(config)
    readLogLevel(logLevel)
    if let reports = HostEnvironment.text(Preferences.reportsVariable) { preferences.reports = reports }
    if isRehearsal { preferences.adapters = [] }
  }

  /// Checks that the configuration can be used; warns if other users can change it.
  /// - Throws: `CommandFailure` if not, after printing the findings to stderr.
  func require() throws {
    if let file { OtherUsers.warn(of: file, nil) }
    guard let problem else { return }
    Console.say(lines: problem.findings)
    throw problem.failure
  }

  private mutating func readLogLevel(_ named: String?) {
    if let named { return preferences.logLevel = LogLevel(rawValue: named) }
    guard let text = HostEnvironment.text(LogLevel.variable) else { return }
    preferences.logLevel = LogLevel(rawValue: text)
    guard preferences.logLevel == nil, problem == nil else { return }
    problem = (
      [],
      CommandFailure(
        .usage, "\(LogLevel.variable) is “\(text.visible)”, which is not a log level",
        advice: "Set it to \(LogLevel.allCases.map(\.rawValue).joined(separator: ", ")), or unset it.")
    )
  }

  private mutating func read(_ named: String?) {
    let path = named ?? HostEnvironment.configurationDirectory + "/" + Preferences.fileName
    do throws(InputFile.Problem) {
      let bytes = try InputFile.contents(of: path, atMost: Self.maximumBytes).bytes
      file = path
      let reading = PreferencesReading(bytes, file: path, home: HostEnvironment.homeDirectory)
      if reading.findings.isEmpty { return preferences = reading.preferences }
      let text = reading.rendered(isColored: Screen.standardError.hasColor)
      problem = (
        text.split(separator: "\n").map(String.init),
        CommandFailure(.manifest, "\(path) cannot be used as configuration", advice: Self.advice)
      )
    } catch {
      if named == nil, case .missing = error { return }
      let reason =
        switch error {
        case .tooLarge: "it has more than \(Self.maximumBytes >> 20) MiB"
        default: error.text
        }
      problem = (
        [],
        CommandFailure(
          .manifest, "the configuration file \(path) cannot be read: \(reason)", advice: Self.advice)
      )
    }
  }
}
