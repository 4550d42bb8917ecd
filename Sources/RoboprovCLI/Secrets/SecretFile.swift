import Foundation
import Reporting

/// A file with a password in it, and nothing else.
enum SecretFile {
  /// Its bytes. That others can read it is told.
  /// - Parameters:
  ///   - path: As the manifest has it.
  ///   - manifest: The path of the file that names it: the manifest, or one that it includes.
  static func read(_ path: String, besides manifest: String) throws(SecretTrouble) -> [UInt8] {
    let path = whole(path, besides: manifest)
    var status = stat()
    guard stat(path, &status) == 0 else { throw trouble(path, errno) }
    guard [S_IFREG, S_IFIFO].contains(status.st_mode & S_IFMT) else { throw .notAFile(path) }
    let file: InputFile
    do throws(InputFile.Problem) {
      file = try InputFile.contents(of: path, atMost: SecretText.longest)
    } catch {
      switch error {
      case .missing: throw .noFile(path)
      case .system(let code): throw trouble(path, code)
      case .tooLarge: throw .tooLong
      }
    }
    let rights = [(file.isReadableByOthers, "read"), (file.isWritableByOthers, "change")]
      .filter(\.0).map(\.1).joined(separator: " and ")
    if !rights.isEmpty {
      Console.say(
        "roboprov: warning: other users can \(rights) \(path), which has a password: `chmod 600 \(path)`")
    }
    return file.bytes
  }

  /// The path as this process opens it.
  static func whole(_ path: String, besides manifest: String) -> String {
    guard !path.hasPrefix("/"), let end = manifest.lastIndex(of: "/") else { return path }
    return manifest[...end] + path
  }

  private static func trouble(_ path: String, _ code: Int32) -> SecretTrouble {
    switch code {
    case ENOENT, ENOTDIR: .noFile(path)
    default: .unreadable(path, reason: String(cString: strerror(code)))
    }
  }
}
