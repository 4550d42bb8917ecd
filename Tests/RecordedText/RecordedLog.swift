package import Logging
import Synchronization

/// The log of a test, to be recorded with its run.
package final class RecordedLog: Sendable {
  private let entries = Mutex<[String]>([])

  package init() {}

  /// A logger that writes everything into this log.
  package var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

  /// The lines so far.
  package var lines: [String] { entries.withLock(\.self) }

  private struct Handler: LogHandler {
    let log: RecordedLog
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      log.entries.withLock { $0.append("\(event.level) \(event.message)") }
    }
  }
}
