import Application
import DBus
import ArgumentParser
import FoundationEssentials
import Host
import Logging

/// How much of its work with Bluetooth the program logs on stderr (`--log-level`, `ROBOPROV_LOG`).
enum LogLevel: String, CaseIterable, ExpressibleByArgument, Sendable {
  case warning, info, debug, trace

  private var level: Logger.Level {
    switch self {
    case .warning: .warning
    case .info: .info
    case .debug: .debug
    case .trace: .trace
    }
  }

  /// A logger of this level that writes on stderr; one that discards everything for nil.
  static func logger(_ level: LogLevel?) -> Logger {
    guard let level else { return .silent }
    let handler = ConsoleLogHandler(logLevel: level.level, surroundings: Surroundings.current)
    return Logger(label: "bluetooth") { _ in handler }
  }
}

/// Writes each entry as a line on stderr: time in UTC, level, message.
private struct ConsoleLogHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  /// Those of the command: messages of the bus are logged outside its tasks.
  let surroundings: Surroundings?

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    Surroundings.$current.withValue(surroundings) {
      let time = Surroundings.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      Messages.say("\(time) \(event.level) \(event.message)")
    }
  }
}
