import Model

/// Why a password is not to be had. Carries no part of it.
enum SecretTrouble: Error, Equatable {
  /// There is no environment variable of this name.
  case notSet
  /// There is one, a file or an answer, and nothing in it.
  case empty
  /// Bytes that are no UTF-8.
  case notText
  /// More lines than one.
  case severalLines
  /// More bytes than any password has.
  case tooLong
  /// There is no such file; its whole path.
  case noFile(String)
  /// The path is that of something else than a file or a pipe.
  case notAFile(String)
  /// The file cannot be read, for this reason.
  case unreadable(String, reason: String)
  /// There is no such program.
  case noProgram
  /// The program cannot be started, for this reason.
  case notStarted(reason: String)
  /// It ended with this exit status.
  case ended(Int32)
  /// This signal ended it.
  case killed(Int32)
  /// It had not ended after so long.
  case timedOut(Duration)
  /// There is no terminal at which somebody could be asked.
  case noTerminal
  /// Nobody was asked, since others are missing.
  case notAsked
  /// It is not what a device takes.
  case violation(SettingViolation)

  /// Whether there simply is none here, which a rehearsal can do without.
  var isAbsence: Bool {
    switch self {
    case .notSet, .empty, .noFile, .unreadable: true
    default: false
    }
  }
}
