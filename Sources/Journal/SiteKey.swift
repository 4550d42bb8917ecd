import Digest
import FoundationEssentials
import Glibc
import Hex
package import Model

/// The key of a site, from which the fingerprints of secrets are derived: a file of 32 bytes outside the
/// reports that only its owner may read. Laptops that share the key can compare fingerprints of their
/// passwords.
package enum SiteKey {
  /// In bytes.
  package static let length = 32

  /// The seal of the key in a file. A missing file is created with a new key.
  /// - Parameters:
  ///   - path: The file. Its directories are created if needed.
  ///   - fresh: Returns 32 random bytes for a new key.
  /// - Throws: `notAKey` when the file has another length, `readableByOthers` when other users may access
  ///   it, or another failure.
  package static func seal(at path: String, fresh: () -> [UInt8]) throws(JournalError) -> SecretSeal {
    seal(with: try key(at: path, fresh: fresh))
  }

  static func seal(with bytes: [UInt8]) -> SecretSeal {
    let key = AuthenticationKey(bytes)
    let name = key.code(for: Array("roboprov/site-key/1".utf8)).prefix(8)
    return SecretSeal(key: name.hex()) { key.code(for: Array($0.utf8)).hex() }
  }

  private static func key(at path: String, fresh: () -> [UInt8]) throws(JournalError) -> [UInt8] {
    TemporaryFile.removeAbandoned(in: parent(of: path))
    do throws(JournalError) {
      return try read(path)
    } catch  where error.cause == .missing {
      return try make(at: path, fresh())
    }
  }

  private static func read(_ path: String) throws(JournalError) -> [UInt8] {
    let file = try File.reading(path)
    guard try file.isPrivate() else { throw JournalError(.open, path, .readableByOthers) }
    let bytes = try file.beginning(length + 1)
    guard bytes.count == length else { throw JournalError(.read, path, .notAKey) }
    return bytes
  }

  /// Creates the key file atomically. Of two runs that create it at once, both use the same key.
  private static func make(at path: String, _ bytes: [UInt8]) throws(JournalError) -> [UInt8] {
    precondition(bytes.count == length, "a site key has \(length) bytes, not \(bytes.count)")
    let name = String(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
    let directory = try RunDirectory.makeAll(parent(of: path))
    var temporary = ""
    let file = try File.opened(.create, path) {
      let created = TemporaryFile.create(for: name, in: directory.descriptor, at: directory.path)
      temporary = created.name
      return created.descriptor
    }
    // Its descriptor holds the lock.
    defer { withExtendedLifetime(file) { directory.remove(temporary) } }
    try file.write(bytes)
    try file.sync()
    _ = try directory.hardLink(temporary, as: name)
    try directory.sync()
    return try read(path)
  }

  static func parent(of path: String) -> String {
    let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
      separator: "/")
    return parent.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : parent
  }
}
