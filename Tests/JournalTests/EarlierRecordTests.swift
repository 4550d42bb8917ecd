import Foundation
import Testing

@testable import Journal
@testable import Model

/// Records and keys of earlier versions keep their meaning.
@Suite("Records of earlier versions") struct EarlierRecordTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  @Test("the hash chain of a journal from an earlier version is valid")
  func sample() throws {
    let record = try JournalReader.read(Self.root + "/reports/sample/journal.jsonl")
    #expect(record.damage == nil)
    #expect(record.tornLine == nil)
    #expect(record.events.count > 100)
  }

  @Test("a journal from an earlier version encodes again to the same bytes")
  func sampleAgain() throws {
    let path = Self.root + "/reports/sample/journal.jsonl"
    var lines = JournalLines()
    let again = try JournalReader.read(path).events.flatMap { lines.line($0) + [UInt8(ascii: "\n")] }
    #expect(try Array(Data(contentsOf: URL(filePath: path))) == again)
  }

  @Test("a site key and a password have the same name and fingerprint as in earlier versions")
  func siteKey() {
    let seal = SiteKey.seal(with: Array(0..<32))
    #expect(seal.key == "0e031036073496e2")
    #expect(
      seal.fingerprint(of: Secret("correct horse"), .wifiPassword, in: "lobby")
        == "9a8aff93432fdb9aca4b699a65222006507e5af97c153bae54438675fe431b2b")
  }
}
