package import Logging

extension Logger {
  /// A logger that discards everything.
  package static let silent = Logger(label: "roboprov") { _ in SwiftLogNoOpLogHandler() }
}

/// Logs a method call at `trace`: names, types, duration and result. Values are never logged, because they can be secrets.
struct CallLog {
  private let logger: Logger
  private let call: MethodCall
  /// Nil where nothing is logged.
  private let start: SuspendingClock.Instant?

  init(_ call: MethodCall, _ logger: Logger) {
    self.logger = logger
    self.call = call
    start = logger.logLevel <= .trace ? SuspendingClock.now : nil
  }

  /// Logs the result.
  func end(_ result: Result<[DBusValue], DBusError>) {
    guard let start else { return }
    let answer =
      switch result {
      case .success(let values): "(\(Self.types(values)))"
      case .failure(let error): error.name.isEmpty ? "\(error.kind)" : error.name
      }
    log("\(answer) in \((SuspendingClock.now - start).inMilliseconds) ms")
  }

  /// Logs a call that no answer was asked for.
  func endWithoutReply() {
    if start != nil { log("no reply requested") }
  }

  private func log(_ outcome: String) {
    let interface = call.interface.map { $0.text + "." } ?? ""
    logger.trace(
      "\(call.destination?.text ?? "-") \(call.path.text) \(interface)\(call.member.text)(\(Self.types(call.body))): \(outcome)"
    )
  }

  /// The signature of these values.
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
