import Reporting

/// The error that ends a command, as one line of JSON: the last line of stderr.
package enum ErrorJSON {
  package static let schema = "roboprov/error/1"

  package static func line(_ failure: CommandFailure) -> String {
    let value = JSONValue.values([
      "schema": schema, "code": "\(failure.status)", "exit_status": Int(failure.status.rawValue),
      "message": failure.message, "advice": failure.advice,
    ])
    return value.line
  }
}
