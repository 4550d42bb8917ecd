package import FoundationEssentials
import Glibc

extension POSIXError {
  /// The system's last error.
  package static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  /// The system's text for it.
  package var text: String { String(cString: strerror(code.rawValue)) }

  /// The system's text for an error of FileManager that comes from a system call.
  package static func text(of error: any Error) -> String {
    if let error = error as? POSIXError { return error.text }
    if let error = error as? CocoaError, let underlying = error.underlying as? POSIXError {
      return underlying.text
    }
    return "\(error)"
  }
}
