import Reporting

/// The error that ends a command, as one line of JSON: the last line of stderr.
package enum ErrorJSON {
  package static let schema = "roboprov/error/1"

  package static func line(_ failure: CommandFailure) -> String {
    let value = JSONValue.values([
      "schema": schema, "code": failure.status.name, "exit_status": Int(failure.status.rawValue),
      "message": failure.message, "advice": failure.advice,
    ])
    return value.line
  }
}

extension ExitStatus {
  /// The name in JSON.
  fileprivate var name: String {
    switch self {
    case .done: "done"
    case .unexpected: "unexpected"
    case .changes: "changes"
    case .usage: "usage"
    case .manifest: "manifest"
    case .unavailable: "unavailable"
    case .record: "record"
    case .incomplete: "incomplete"
    case .interrupted: "interrupted"
    }
  }
}
