import Reporting

/// What users besides a file's owner and group can do with it.
enum OtherUsers {
  /// Warns of others who can change a file or, where it has a password, read it. Of a pipe or a device nothing is said.
  /// - Parameter content: What the file has that they must not see, as a clause: `which has passwords`; nil where they may.
  static func warn(of path: String, _ content: String?) {
    let rights = HostFiles.file(path, .manifest(hasPasswords: content != nil)).rightsOfOthers
    guard !rights.isEmpty else { return }
    let what = content.map { "\(path), \($0)" } ?? path
    Console.say(
      "roboprov: warning: other users can \(rights.joined(separator: " and ")) \(what): `chmod 600 \(path)`")
  }
}
