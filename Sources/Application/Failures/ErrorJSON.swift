package import Reporting

/// The error that ends a command, as one line of JSON: the last line of stderr.
package enum ErrorJSON {
  package static let schema = "roboprov/error/1"

  static let form = OutputForm<CommandFailure>(
    "error", "Why a command ended without doing what it should."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("code", "The kind of error.") { $0.status }
    Field("exit_status", "The exit status of the process.") { Int($0.status.rawValue) }
    Field("message", "What happened.") { $0.message }
    Field("advice", "The next action; null if the message is enough.") { $0.advice }
  }

  package static func line(_ failure: CommandFailure) -> String { form.value(failure).line }
}

extension ExitStatus: OutputValue {
  package static var schema: Schema {
    .names(
      .init(
        "error_code", "An exit status by its name.",
        allCases.filter(\.isError).map { .init($0.name, "\($0.rawValue): \($0.meaning)") }))
  }
  package var output: JSONValue { .string(name) }

  private var isError: Bool { self != .done && self != .changes }

  /// The name in JSON. Frozen.
  private var name: String {
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
