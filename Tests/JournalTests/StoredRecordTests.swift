import Foundation
import Testing

@testable import Journal
@testable import Model

/// A record and a key that were written once keep their meaning: a change of the format shows here.
@Suite("Stored records and keys") struct StoredRecordTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  @Test("the hash chain of the stored journal is valid")
  func sample() throws {
    let record = try JournalReader.read(Self.root + "/reports/sample/journal.jsonl")
    #expect(record.damage == nil)
    #expect(record.tornLine == nil)
    #expect(record.events.count > 100)
  }

  @Test("the stored journal encodes again to the same bytes")
  func sampleAgain() throws {
    let path = Self.root + "/reports/sample/journal.jsonl"
    var lines = JournalLines()
    let again = try JournalReader.read(path).events.flatMap { lines.line($0) + [UInt8(ascii: "\n")] }
    #expect(try Array(Data(contentsOf: URL(filePath: path))) == again)
  }

  @Test("a site key and a password always have the same name and fingerprint")
  func siteKey() {
    let seal = SiteKey.seal(with: Array(0..<32))
    #expect(seal.key == "0e031036073496e2")
    #expect(
      seal.fingerprint(of: Secret("correct horse"), .wifiPassword, in: "lobby")
        == "9a8aff93432fdb9aca4b699a65222006507e5af97c153bae54438675fe431b2b")
  }
}
