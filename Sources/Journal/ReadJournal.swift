import FoundationEssentials
import Model

/// A journal that was read, with the digest of its bytes.
package struct ReadJournal: Sendable {
  package var run: BuildingArchive.Run
  package var digest: JournalDigest

  /// Reads journals on all cores.
  /// - Throws: when a journal cannot be read. Damage *in* a journal is part of the result.
  package static func read(_ entries: [BuildingListing.Entry]) throws(JournalError) -> [ReadJournal] {
    try Parallel.map(entries) { (entry) throws(JournalError) in
      let bytes = try File.reading(entry.journal).readAll()
      return ReadJournal(
        run: .init(id: entry.id, journal: entry.journal, record: JournalReader.read(bytes)),
        digest: JournalDigest(of: bytes))
    }
  }
}

extension BuildingListing {
  /// The runs in the order in which they began, from the first line of each journal. Runs whose first line
  /// cannot be decoded come first.
  /// - Throws: when a journal cannot be read.
  package func runsInOrder() throws(JournalError) -> [Entry] {
    let began = try Parallel.map(runs) { (entry) throws(JournalError) in
      try JournalReader.began(entry.journal)
    }
    return zip(runs, began).sorted { a, b in
      (a.1 ?? .distantPast, a.0.id) < (b.1 ?? .distantPast, b.0.id)
    }.map(\.0)
  }
}

extension JournalReader {
  /// The start time in the journal's first line; nil when the line cannot be decoded.
  fileprivate static func began(_ path: String) throws(JournalError) -> Date? {
    let file = try File.reading(path)
    var size = 1 << 16
    while size <= Self.longestLine {
      let bytes = try file.beginning(size)
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        let line = try? JSONDecoder().decode(Beginning.self, from: Data(bytes[..<end]))
        return line.flatMap { RunEvent.time($0.at) }
      }
      if bytes.count < size { return nil }
      size *= 4
    }
    return nil
  }

  /// The maximum length of a journal's first line, in bytes. Only a forged journal has a longer one.
  private static let longestLine = 1 << 24

  private struct Beginning: Decodable {
    var at: String
  }
}
