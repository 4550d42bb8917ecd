import Foundation
import Reporting

/// Values of options that a user would otherwise repeat with every command. An option on the command line wins over the
/// environment, and the environment over the configuration file.
struct Preferences: Hashable, Sendable {
  /// The reports directory (`--reports`).
  var reports = "reports"
  /// The second place of the record (`--mirror`).
  var mirror: String?
  /// The person who works (`--operator`).
  var operatedBy: String?
  /// The adapters to use (`--adapter`); none for all that are ready.
  var adapters: [String] = []
  /// The file of the site's key (`--site-key`).
  var siteKey: String?

  /// The preferences of the command that is parsed and run. The parser makes options with their default values from it.
  @TaskLocal static var current = Preferences()

  /// What a command line that is shown to a person needs to name this reports directory; nothing where it is the default.
  static func argument(naming reports: String) -> String {
    reports == current.reports ? "" : " --reports \(reports.shellQuoted)"
  }

  /// The environment variable that names the reports directory.
  static let reportsVariable = "ROBOPROV_REPORTS"
  /// The configuration file's name in the user's configuration directory.
  static let fileName = "config.yaml"
}

/// The preferences of a command line, as they were read. Nothing is printed before a command needs them: help and completions do
/// without.
struct ConfiguredPreferences {
  /// The preferences; those without a configuration file if it cannot be used.
  private(set) var preferences = Preferences()
  /// The configuration file that was read.
  private var file: String?
  /// The findings in it, and the end of a command that needs it.
  private var problem: (findings: [String], failure: CommandFailure)?

  /// The size that a configuration file may have.
  private static let maximumBytes = 1 << 20
  private static let cure =
    "Correct it, or name another file: --config FILE. With --config /dev/null no configuration is used."

  /// Reads the configuration file, then the environment.
  /// - Parameters:
  ///   - config: The configuration file that the command line names. Without it the user's own is read, which may be absent.
  ///   - isRehearsal: Whether the command uses virtual adapters: the configured ones are not among them.
  init(config: String?, isRehearsal: Bool) {
    read(config)
    if let reports = HostEnvironment.text(Preferences.reportsVariable) { preferences.reports = reports }
    if isRehearsal { preferences.adapters = [] }
  }

  /// Makes sure that they can be used, with a warning if other users can change them.
  /// - Throws: `CommandFailure` if not. The findings are on stderr then.
  func require() throws {
    if let file { OtherUsers.warn(of: file, nil) }
    guard let problem else { return }
    Console.say(lines: problem.findings)
    throw problem.failure
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
        CommandFailure(.manifest, "\(path) cannot be used as configuration", cure: Self.cure)
      )
    } catch {
      if named == nil, case .missing = error { return }
      let reason =
        switch error {
        case .missing: "there is no such file"
        case .tooLarge: "it has more than \(Self.maximumBytes >> 20) MiB"
        case .system(let code): String(cString: strerror(code))
        }
      problem = (
        [],
        CommandFailure(
          .manifest, "the configuration file \(path) cannot be read: \(reason)", cure: Self.cure)
      )
    }
  }
}
