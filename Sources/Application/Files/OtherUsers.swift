import Host

/// The permissions of users other than a file's owner and group.
package enum OtherUsers {
  /// Warns if other users can change a file or read its passwords. Pipes and devices are not checked.
  /// - Parameter content: The part that other users must not read, as a clause: `which has passwords`; nil if
  ///   the file has no secret.
  package static func warn(of path: String, _ content: String?) {
    let rights = FileFacts(of: path, .manifest(hasPasswords: content != nil)).rightsOfOthers
    guard !rights.isEmpty else { return }
    let what = content.map { "\(path), \($0)" } ?? path
    Messages.say(
      "roboprov: warning: other users can \(rights.joined(separator: " and ")) \(what): `chmod 600 \(path)`")
  }
}
