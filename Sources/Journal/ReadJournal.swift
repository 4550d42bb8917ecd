import FoundationEssentials
import Model

/// A journal that was read, with the digest of its bytes.
public struct ReadJournal: Sendable {
  /// The run.
  public var run: BuildingArchive.Run
  /// The digest of the bytes that were read.
  public var digest: JournalDigest

  /// Reads journals, on all cores at once.
  /// - Throws: when one cannot be read. What is wrong *in* a journal is part of the result.
  public static func read(_ entries: [BuildingListing.Entry]) throws(JournalError) -> [ReadJournal] {
    try Parallel.map(entries) { (entry) throws(JournalError) in
      let bytes = try File.reading(entry.journal).readAll()
      return ReadJournal(
        run: .init(id: entry.id, journal: entry.journal, record: JournalReader.read(bytes)),
        digest: JournalDigest(of: bytes))
    }
  }
}

extension BuildingListing {
  /// The runs in the order in which they began, by the first lines of their journals; those whose first line cannot be read
  /// come first.
  /// - Throws: when a journal cannot be read.
  public func runsInOrder() throws(JournalError) -> [Entry] {
    let began = try Parallel.map(runs) { (entry) throws(JournalError) in
      try JournalReader.began(entry.journal)
    }
    return zip(runs, began).sorted { a, b in
      (a.1 ?? .distantPast, a.0.id) < (b.1 ?? .distantPast, b.0.id)
    }.map(\.0)
  }
}

extension JournalReader {
  /// When the run of a journal began, by its first line; nil where that cannot be read.
  fileprivate static func began(_ path: String) throws(JournalError) -> Date? {
    let file = try File.reading(path)
    var size = 1 << 16
    while true {
      let bytes = try file.beginning(size)
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        let line = try? JSONDecoder().decode(Beginning.self, from: Data(bytes[..<end]))
        return line.flatMap { RunEvent.time($0.at) }
      }
      if bytes.count < size { return nil }
      size *= 4
    }
  }

  private struct Beginning: Decodable {
    var at: String
  }
}
