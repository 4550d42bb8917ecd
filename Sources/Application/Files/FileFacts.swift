import Glibc

/// A file, and the permissions of other users.
package struct FileFacts: Sendable, Hashable {
  package enum Role: Sendable, Hashable {
    /// The manifest or a file that it names.
    case manifest(hasPasswords: Bool)
    case siteKey
  }

  var path: String
  var role: Role
  /// The lower nine bits of its mode; nil where there is no such file.
  var mode: UInt32?

  /// The unwanted permissions of users other than the owner and the group of a manifest: to read passwords,
  /// to change it.
  var rightsOfOthers: [String] {
    guard case .manifest(let hasPasswords) = role, let mode else { return [] }
    return [(hasPasswords && mode & 0o004 != 0, "read"), (mode & 0o002 != 0, "change")].filter(\.0).map(\.1)
  }
}

extension FileFacts {
  /// Reads a file's mode.
  package init(of path: String, _ role: Role) {
    var status = stat()
    let isFile = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    self.init(path: path, role: role, mode: isFile ? UInt32(status.st_mode) & 0o777 : nil)
  }
}
