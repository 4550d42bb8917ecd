import Glibc

/// A failure to use the record on disk: the operation, the path and the system's error. The command line
/// words the message for the operator.
package struct JournalError: Error, Hashable, Sendable {
  package enum Operation: String, Hashable, Sendable, CaseIterable {
    case createDirectory = "create directory"
    /// Creating a file that must not exist yet.
    case create
    case open
    case read
    case write
    /// Waiting until the data is on the disk.
    case sync
    /// Giving a file its final name.
    case rename
    /// Placing `latest`.
    case link
    case lock
    case measure = "measure the free space of"
  }

  /// The cause, as fine as the remedies differ.
  package enum Cause: Hashable, Sendable {
    case noSpace
    /// Less free space than a run needs, in bytes.
    case littleSpace(free: UInt64, wanted: UInt64)
    case readOnly
    case permissionDenied
    case missing
    /// A part of the path is not a directory, or an entry of another type has the name.
    case inTheWay
    case exists
    case inputOutput
    case tooLarge
    case nameTooLong
    /// An id that cannot be a file name, because it could leave its directory.
    case unsafeName
    case readableByOthers
    case notAKey
    case tooManyFiles
    /// Any other `errno`.
    case system(Int32)
  }

  package var operation: Operation
  /// The file or directory.
  package var path: String
  package var cause: Cause

  package init(_ operation: Operation, _ path: String, _ cause: Cause) {
    (self.operation, self.path, self.cause) = (operation, path, cause)
  }

  /// Derives the cause from an `errno`.
  init(_ operation: Operation, _ path: String, errno code: Int32) {
    let cause: Cause =
      switch code {
      case ENOSPC, EDQUOT, EFBIG: .noSpace
      case EROFS: .readOnly
      case EACCES, EPERM: .permissionDenied
      case ENOENT: .missing
      case ENOTDIR, EISDIR, ELOOP: .inTheWay
      case EEXIST: .exists
      case EIO: .inputOutput
      case ENAMETOOLONG: .nameTooLong
      case EMFILE, ENFILE: .tooManyFiles
      default: .system(code)
      }
    self.init(operation, path, cause)
  }
}

extension JournalError: CustomStringConvertible {
  /// One line for logs: `cannot write /srv/reports/x/journal.jsonl: no space left`.
  package var description: String {
    // The directory itself need not exist: the one above it does not, or takes none, as in /proc.
    let why =
      operation == .createDirectory && cause == .missing
      ? "the directory above it does not exist, or takes no directories" : "\(cause)"
    return "cannot \(operation.rawValue) \(path): \(why)"
  }
}

extension JournalError.Cause: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noSpace: "no space left"
    case .littleSpace(let free, let wanted):
      "only \(free >> 20) MiB free of the \(wanted >> 20) MiB a run may need"
    case .readOnly: "the file system is read-only"
    case .permissionDenied: "permission denied"
    case .missing: "it does not exist"
    case .inTheWay: "something else has its name, or a part of the path is not a directory"
    case .exists: "it exists already"
    case .inputOutput: "the disk reports an error"
    case .tooLarge: "it is larger than any that roboprov writes"
    case .nameTooLong: "the name is too long"
    case .unsafeName: "it is not a safe file name"
    case .readableByOthers: "users other than its owner may read it"
    case .notAKey: "it is not a site key, which has 32 bytes"
    case .tooManyFiles: "too many files are open"
    case .system(let code): "error \(code) (\(String(cString: strerror(code))))"
    }
  }
}
