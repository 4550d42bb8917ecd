/// A check of `doctor`, a row of a table: its name, and what it finds in the facts.
struct DoctorCheck<Subject>: Sendable {
  /// The name of its findings in JSON.
  let code: String
  /// Its findings; none where it does not apply.
  let find: @Sendable (Subject) -> [Finding]

  init(each code: String, _ find: @escaping @Sendable (Subject) -> [Finding]) {
    (self.code, self.find) = (code, find)
  }

  /// A check with one finding at most.
  init(_ code: String, _ find: @escaping @Sendable (Subject) -> Finding?) {
    self.init(each: code) { subject in find(subject).map { [$0] } ?? [] }
  }
}

extension Array {
  /// The findings of all checks.
  func findings<Subject>(in subject: Subject) -> [Finding] where Element == DoctorCheck<Subject> {
    flatMap { check in
      check.find(subject).map { found in
        var finding = found
        finding.code = check.code
        return finding
      }
    }
  }
}

/// A result of a check, good or bad.
package struct Finding: Sendable, Hashable {
  /// The check's name.
  fileprivate(set) var code = ""
  package var severity: Severity
  /// The subject, if there can be several: an adapter, a file.
  var subject: String?
  var sentence: String
  /// The advice in words.
  var advice: String?
  /// The advice as a shell command.
  var command: String?

  init(
    _ severity: Severity, about subject: String? = nil, _ sentence: String, advice: String? = nil,
    command: String? = nil
  ) {
    (self.severity, self.subject, self.sentence) = (severity, subject, sentence)
    (self.advice, self.command) = (advice, command)
  }

  /// The raw values are names in JSON.
  package enum Severity: String, CaseIterable, Sendable {
    case ok
    case note
    case warning
    case error
  }

  /// Whether it needs action.
  var isProblem: Bool { severity == .warning || severity == .error }
}
