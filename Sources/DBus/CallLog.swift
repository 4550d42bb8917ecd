package import Logging

extension Logger {
  /// A logger that discards everything.
  package static let silent = Logger(label: "roboprov") { _ in SwiftLogNoOpLogHandler() }
}

/// Logs a method call at `trace`: names, types, duration, time limit and result. Values are never logged, because they can be
/// secrets.
struct CallLog {
  private let logger: Logger
  private let call: MethodCall
  private let timeout: Duration?
  private let start: SuspendingClock.Instant

  init(_ call: MethodCall, timeout: Duration?, at now: SuspendingClock.Instant, _ logger: Logger) {
    (self.call, self.timeout, self.logger, start) = (call, timeout, logger, now)
  }

  func end(_ result: Result<[DBusValue], DBusError>, at now: SuspendingClock.Instant) {
    guard logger.logLevel <= .trace else { return }
    let answer =
      switch result {
      case .success(let values): "(\(Self.types(values)))"
      case .failure(let error): error.name.isEmpty ? "\(error.kind)" : error.name
      }
    let limit = timeout.map { "at most \($0.inMilliseconds) ms" } ?? "no limit"
    log("\(answer) in \((now - start).inMilliseconds) ms (\(limit))")
  }

  /// Logs a call that no answer was asked for.
  func endWithoutReply() {
    log("no reply requested")
  }

  private func log(_ outcome: String) {
    let interface = call.interface.map { $0.text + "." } ?? ""
    logger.trace(
      "\(call.destination?.text ?? "-") \(call.path.text) \(interface)\(call.member.text)(\(Self.types(call.body))): \(outcome)"
    )
  }

  static func types(_ values: [DBusValue]) -> String { values.map(\.signature.text).joined() }
}

extension Signal {
  /// Logs a received signal at `trace`: names and types, no values.
  func log(to logger: Logger) {
    logger.trace("signal \(path.text) \(interface.text).\(member.text)(\(CallLog.types(body)))")
  }
}

extension Duration {
  fileprivate var inMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
