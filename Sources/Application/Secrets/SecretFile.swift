import FoundationEssentials
import Glibc

/// A file that contains only a password.
enum SecretFile {
  /// Reads the file; warns if other users can read it.
  /// - Parameters:
  ///   - path: The path in the manifest.
  ///   - manifest: The path of the file that names it: the manifest, or one that it includes.
  static func read(_ path: String, besides manifest: String) throws(SecretError) -> [UInt8] {
    let path = InputFile.path(path, beside: manifest)
    let file: InputFile
    do throws(InputFile.Problem) {
      file = try InputFile.contents(of: path, atMost: SecretText.longest)
    } catch {
      switch error {
      case .missing: throw .noFile(path)
      case .system(let code): throw problem(path, code)
      case .tooLarge: throw .tooLong
      case .notAFile, .pipe: throw .notAFile(path)
      case .silent: throw .unreadable(path, reason: error.text)
      }
    }
    OtherUsers.warn(of: path, "which has a password")
    return file.bytes
  }

  private static func problem(_ path: String, _ code: Int32) -> SecretError {
    switch code {
    case ENOENT, ENOTDIR: .noFile(path)
    case EISDIR: .notAFile(path)
    default: .unreadable(path, reason: String(cString: strerror(code)))
    }
  }
}
