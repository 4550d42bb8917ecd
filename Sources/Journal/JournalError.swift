import Glibc

/// What went wrong with the record on disk: which file, what was tried with it, and what the system said.
/// Sentences with a cure are made by the command line.
public struct JournalError: Error, Hashable, Sendable {
  /// What was tried.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    /// Creating a directory.
    case createDirectory = "create directory"
    /// Creating a file that must not be there yet.
    case create
    /// Opening what is there.
    case open
    /// Reading.
    case read
    /// Writing.
    case write
    /// Waiting until it is on the disk.
    case sync
    /// Giving a file its final name.
    case rename
    /// Placing the link to the newest run.
    case link
    /// Keeping others out of it.
    case lock
    /// Looking for free space.
    case measure = "measure the free space of"
  }

  /// Why it failed, as far as the cure differs.
  public enum Cause: Hashable, Sendable {
    /// The disk or the quota is full.
    case noSpace
    /// Less space than a run needs: bytes free, bytes wanted.
    case littleSpace(free: UInt64, wanted: UInt64)
    /// The file system is mounted read-only.
    case readOnly
    /// This user may not.
    case permissionDenied
    /// A part of the path is not there.
    case missing
    /// A part of the path is no directory, or something else has the name.
    case inTheWay
    /// It is there already.
    case exists
    /// The disk is failing.
    case inputOutput
    /// It has more bytes than any that we write.
    case tooLarge
    /// A name is longer than the file system takes.
    case nameTooLong
    /// An identity that cannot be a file name: it could lead out of its directory.
    case unsafeName
    /// Others than its owner may read it.
    case readableByOthers
    /// It is no site key: of another length.
    case notAKey
    /// Anything else, by the system's own number.
    case system(Int32)
  }

  /// What was tried.
  public var operation: Operation
  /// With which file or directory.
  public var path: String
  /// Why it failed.
  public var cause: Cause

  /// An error with its cause.
  public init(_ operation: Operation, _ path: String, _ cause: Cause) {
    self.operation = operation
    self.path = path
    self.cause = cause
  }

  /// An error with the cause that an `errno` stands for.
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
      default: .system(code)
      }
    self.init(operation, path, cause)
  }
}

extension JournalError: CustomStringConvertible {
  /// One line for logs: `cannot write /srv/reports/x/journal.jsonl: no space left`.
  public var description: String { "cannot \(operation.rawValue) \(path): \(cause)" }
}

extension JournalError.Cause: CustomStringConvertible {
  /// The cause in a few words.
  public var description: String {
    switch self {
    case .noSpace: "no space left"
    case .littleSpace(let free, let wanted):
      "only \(free >> 20) MiB free of the \(wanted >> 20) MiB a run may need"
    case .readOnly: "the file system is read-only"
    case .permissionDenied: "permission denied"
    case .missing: "it is not there"
    case .inTheWay: "something else has its name, or a part of the path is no directory"
    case .exists: "it is there already"
    case .inputOutput: "the disk reports an error"
    case .tooLarge: "it is larger than any that roboprov writes"
    case .nameTooLong: "the name is too long"
    case .unsafeName: "it is no safe file name"
    case .readableByOthers: "others than its owner may read it"
    case .notAKey: "it is no site key, which has 32 bytes"
    case .system(let code): "error \(code) (\(String(cString: strerror(code))))"
    }
  }
}
