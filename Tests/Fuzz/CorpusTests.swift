import Foundation
import Model
import Testing

@Suite("Fuzz corpora") struct CorpusTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpora")

  @Test(
    "every input of a corpus satisfies the properties of its target", arguments: FuzzTarget.all.map(\.name))
  func replays(name: String) throws {
    let target = try #require(FuzzTarget[name: name])
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.folder.appending(path: name), includingPropertiesForKeys: nil)
    #expect(!files.isEmpty)
    for file in files.sorted(by: { $0.path < $1.path }) {
      do {
        try target.check(Array(try Data(contentsOf: file)))
      } catch {
        Issue.record("\(name)/\(file.lastPathComponent): \(error)")
      }
    }
  }

  /// Numbers that integers and times do not hold, or whose sums and products they do not hold.
  private static let extremes = [
    "9223372036854775807", "-9223372036854775808", "99999999999999999999", "1e308", "-1",
  ]

  @Test(
    "no number in an input ends its reader: each is replaced by extremes",
    arguments: FuzzTarget.all.map(\.name))
  func numbers(name: String) throws {
    let target = try #require(FuzzTarget[name: name])
    let folder = Self.folder.appending(path: name)
    var known: Set<[UInt8]> = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
      let bytes = Array(try Data(contentsOf: folder.appending(path: file)))
      var end = 0
      while let start = bytes[end...].firstIndex(where: Self.isDigit) {
        end = bytes[start...].firstIndex { !Self.isDigit($0) } ?? bytes.count
        // Numbers that follow the same characters have the same meaning.
        guard known.insert(Array(bytes[max(0, start - 12)..<start])).inserted, known.count < 500 else {
          continue
        }
        for extreme in Self.extremes {
          let changed = bytes[..<start] + extreme.utf8 + bytes[end...]
          #expect(throws: Never.self, "\(name)/\(file): \(extreme) at \(start)") {
            try target.check(Array(changed))
          }
        }
      }
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  @Test(
    "the corpora of records contain every kind of fact and every reason", arguments: ["journal", "record"])
  func kinds(name: String) throws {
    let folder = Self.folder.appending(path: name)
    let text = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }.joined()
    for kind in Fact.Kind.allCases { #expect(text.contains("\"kind\":\"\(kind.rawValue)\"")) }
    for code in FailureReason.Code.allCases { #expect(text.contains("\"code\":\"\(code.rawValue)\"")) }
  }

  @Test("every corpus belongs to a target and is small")
  func size() throws {
    let files = FileManager.default
    let names = try files.contentsOfDirectory(atPath: Self.folder.path).sorted()
    #expect(names == FuzzTarget.all.map(\.name).sorted())
    for name in names {
      let inputs = try files.contentsOfDirectory(
        at: Self.folder.appending(path: name), includingPropertiesForKeys: [.fileSizeKey])
      let bytes = try inputs.map { try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }.reduce(0, +)
      #expect(inputs.count <= 110, "\(name) has \(inputs.count) inputs")
      #expect(bytes <= 300_000, "\(name) has \(bytes) bytes")
    }
  }
}
