import Digest
import FoundationEssentials
import Journal
import Model
import Reporting

/// What came of reading a building's journals, kept from one `status` to the next. It may be deleted at any time. Nothing but
/// `status` reads it, and no report is made from it.
struct OverviewCheckpoint: Codable {
  /// Its name in the building's folder.
  static let fileName = "status.checkpoint"
  /// Of another format than this, or made by another version of roboprov, it is not used.
  private static let schema = "roboprov/checkpoint/2 \(Version.current)"

  /// A run that was read.
  struct Run: Hashable, Codable {
    /// Its id.
    var id: String
    /// Its journal, as it was when its chain was checked.
    var journal: JournalDigest
  }

  /// The runs that were read, in the order in which they began.
  private(set) var runs: [Run] = []
  /// The state after them.
  private(set) var record = BuildingRecord()
  /// What else an overview needs of them.
  private(set) var fold = BuildingOverviewFold()

  /// Takes in the next run.
  mutating func apply(_ journal: ReadJournal) {
    let record = journal.run.record
    self.record.apply(record.events)
    let recorded = RecordedRun(events: record.events, journalHash: record.lastHash)
    if let step = BuildingOverviewFold.Step(recorded) { fold.apply(step) }
    runs.append(Run(id: journal.run.id, journal: journal.digest))
  }

  /// Whether its runs are the first of these, and their journals have the same bytes as when they were read.
  func holds(for order: [BuildingListing.Entry]) -> Bool {
    guard runs.map(\.id) == order.prefix(runs.count).map(\.id) else { return false }
    return JournalDigest.ofJournals(at: order.prefix(runs.count).map(\.journal)) == runs.map(\.journal)
  }

  // MARK: The file: its schema, the SHA-256 of what follows, and that, each on a line

  /// The checkpoint of a building; an empty one where there is none that can be used.
  static func load(of building: String, in reports: String) -> OverviewCheckpoint {
    guard let text = BuildingDirectory.readBytes(fileName, of: building, in: reports) else { return Self() }
    let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3, lines[0].elementsEqual(schema.utf8),
      lines[1].elementsEqual(SHA256(of: Array(lines[2])).hex.utf8)
    else { return Self() }
    return (try? JSONDecoder().decode(Self.self, from: Data(lines[2]))) ?? Self()
  }

  /// Keeps it for the next time.
  /// - Throws: what stands in the way.
  func save(of building: String, in reports: String) throws {
    let body = [UInt8](try JSONEncoder().encode(self))
    let text = "\(Self.schema)\n\(SHA256(of: body).hex)\n\(String(decoding: body, as: UTF8.self))"
    try BuildingDirectory.writeReport(Self.fileName, text, of: building, in: reports)
  }
}
