import Digest
import FoundationEssentials
import Journal
import Model
import Reporting

/// The result of reading a building's journals, kept from one `status` to the next. It may be deleted at any
/// time. Only `status` reads it; no report is made from it.
struct OverviewCheckpoint: Codable {
  /// Its name in the building's folder.
  static let fileName = "status.checkpoint"
  /// A checkpoint with another format, or from another version of roboprov, is not used.
  private static let schema = "roboprov/checkpoint/3 \(Version.current)"

  /// A run that was read.
  struct Run: Hashable, Codable {
    /// Its id.
    var id: String
    /// Its journal at the time when its chain was checked.
    var journal: JournalDigest
  }

  /// The runs that were read, in the order in which they began.
  private(set) var runs: [Run] = []
  /// The state after them.
  private(set) var record = BuildingRecord()
  /// The other data of these runs that an overview needs.
  private(set) var fold = BuildingOverviewFold()

  /// Adds the next run.
  mutating func apply(_ journal: ReadJournal) {
    let record = journal.run.record
    self.record.apply(record.events)
    let recorded = RecordedRun(events: record.events, journalHash: record.lastHash)
    if let step = BuildingOverviewFold.Step(recorded) { fold.apply(step) }
    runs.append(Run(id: journal.run.id, journal: journal.digest))
  }

  /// Whether its runs are the first of these, and their journals have the same bytes as at the time of
  /// reading.
  func holds(for order: [BuildingListing.Entry]) -> Bool {
    guard runs.map(\.id) == order.prefix(runs.count).map(\.id) else { return false }
    return JournalDigest.ofJournals(at: order.prefix(runs.count).map(\.journal)) == runs.map(\.journal)
  }

  // MARK: The file: its schema, the SHA-256 of the content, and the content, one line each

  /// The checkpoint of a building; an empty one if there is no usable one.
  static func load(of building: String, in reports: String) -> OverviewCheckpoint {
    guard let text = BuildingDirectory.readBytes(fileName, of: building, in: reports) else { return Self() }
    let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3, lines[0].elementsEqual(schema.utf8),
      lines[1].elementsEqual(SHA256(of: Array(lines[2])).hex.utf8)
    else { return Self() }
    return (try? JSONDecoder().decode(Self.self, from: Data(lines[2]))) ?? Self()
  }

  /// Saves it for the next `status`.
  /// - Throws: the reason why it cannot be written.
  func save(of building: String, in reports: String) throws {
    let body = [UInt8](try JSONEncoder().encode(self))
    let text = "\(Self.schema)\n\(SHA256(of: body).hex)\n\(String(decoding: body, as: UTF8.self))"
    try BuildingDirectory.writeReport(Self.fileName, text, of: building, in: reports)
  }
}
