import Digest
import FoundationEssentials
import Glibc
import Hex
public import Model

/// The key of a site, under which the fingerprints of secrets are made: a file of 32 bytes that only its owner may
/// read, outside the reports. Laptops that share it can tell whether each other's passwords are still the same.
public enum SiteKey {
  /// Its length in bytes.
  public static let length = 32

  /// The seal of the key in a file; a new key is made where there is none.
  /// - Parameters:
  ///   - path: The file; directories that lead to it are made.
  ///   - fresh: 32 bytes by chance, for a new key.
  /// - Throws: what stands in the way; `foreign` when the file is no key, `permissionDenied` when others may read it.
  public static func seal(at path: String, fresh: () -> [UInt8]) throws(JournalError) -> SecretSeal {
    seal(with: try key(at: path, fresh: fresh))
  }

  /// The seal of a key.
  static func seal(with bytes: [UInt8]) -> SecretSeal {
    let key = AuthenticationKey(bytes)
    let name = key.code(for: Array("roboprov/site-key/1".utf8)).prefix(8)
    return SecretSeal(key: name.hex()) { key.code(for: Array($0.utf8)).hex() }
  }

  private static func key(at path: String, fresh: () -> [UInt8]) throws(JournalError) -> [UInt8] {
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

  /// Makes a key so that it is there whole or not at all: of two runs that make one at once, both take the same.
  private static func make(at path: String, _ bytes: [UInt8]) throws(JournalError) -> [UInt8] {
    precondition(bytes.count == length, "a key of another length")
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let name = parts.last.map(String.init) ?? ""
    let parent = parts.dropLast().joined(separator: "/")
    let directory = try RunDirectory.makeAll(parent.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : parent)
    let temporary = ".\(name).\(getpid())"
    directory.remove(temporary)
    let file = try directory.create(temporary)
    defer { directory.remove(temporary) }
    try file.write(bytes)
    try file.sync()
    if try !directory.hardLink(temporary, as: name) { return try read(path) }
    try directory.sync()
    return bytes
  }
}
