import Digest

/// Length and hash of a journal: two journals with equal digests hold the same events.
package struct JournalDigest: Hashable, Sendable, Codable {
  /// The journal's length.
  package var bytes: Int
  /// SHA-256 in lower-case hex.
  package var sha256: String

  init(of journal: [UInt8]) {
    bytes = journal.count
    sha256 = SHA256(of: journal).hex
  }

  /// The digests of the journals, in the order of `paths`; nil for a journal that cannot be read.
  package static func ofJournals(at paths: [String]) -> [JournalDigest?] {
    Parallel.map(paths) { path in
      (try? File.reading(path).readAll()).map { JournalDigest(of: $0) }
    }
  }
}
