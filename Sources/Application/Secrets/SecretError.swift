package import Model

/// Why a password is missing or not usable. It contains no part of the password.
package enum SecretError: Error, Equatable {
  /// The environment variable is not set.
  case notSet
  /// The variable, file or input is empty.
  case empty
  /// The bytes are not valid UTF-8.
  case notText
  /// It has more than one line.
  case severalLines
  /// It has more than `SecretText.longest` bytes.
  case tooLong
  /// The file does not exist, with its full path.
  case noFile(String)
  /// The path is neither a file nor a pipe.
  case notAFile(String)
  /// The file cannot be read.
  case unreadable(String, reason: String)
  /// The program does not exist.
  case noProgram
  /// The program cannot be started.
  case notStarted(reason: String)
  /// The program ended with this exit status.
  case ended(Int32)
  /// This signal ended the program.
  case killed(Int32)
  /// The program did not end within this time.
  case timedOut(Duration)
  /// Other users can read or change the file, which has its path, and which they must not.
  case openToOthers(String)
  /// The file, which has its path, is no file of labels.
  case notLabels(String)
  /// The file of labels does not exist, or has no label of the device.
  case noLabel
  /// The label in the file does not have the secret.
  case notOnLabel
  /// There is no terminal for a prompt.
  case noTerminal
  /// No question was asked, because other passwords are missing.
  case notAsked
  /// The password violates a rule of the setting.
  case violation(SettingViolation)

  /// Whether the password is absent, which a rehearsal can replace with a stand-in.
  var isAbsence: Bool {
    switch self {
    case .notSet, .empty, .noFile, .unreadable: true
    default: false
    }
  }
}
