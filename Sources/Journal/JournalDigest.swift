import Digest

/// A journal's bytes, in short: two journals with the same digest hold the same events.
public struct JournalDigest: Hashable, Sendable, Codable {
  /// How many bytes it has.
  public var bytes: Int
  /// SHA-256 of them, lower-case hex.
  public var sha256: String

  /// The digest of these bytes.
  init(of journal: [UInt8]) {
    bytes = journal.count
    sha256 = SHA256(of: journal).hex
  }

  /// The digests of these journals, in their order; nil of one that cannot be read.
  public static func ofJournals(at paths: [String]) -> [JournalDigest?] {
    Parallel.map(paths) { path in
      (try? File.reading(path).readAll()).map { JournalDigest(of: $0) }
    }
  }
}
