import Families
import Foundation
import Manifest
import Model
import RecordedText
import Testing

/// The mistakes that people make, each a small manifest in Tests/Snapshots/Mistakes, with the recorded answer beside it:
/// the findings, then what `validate --fix` changes and what it leaves.
@Suite("Typing mistakes")
struct MistakeTests {
  private static let folder = projectFile("Tests/Snapshots/Mistakes")
  private static let names =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()

  /// The files of the folder, as corrected so far.
  private static func read(_ name: String, _ corrected: [String: [UInt8]]) throws -> ManifestReading {
    func bytes(_ file: String) -> [UInt8]? {
      corrected[file] ?? (try? Data(contentsOf: folder.appending(path: file))).map { Array($0) }
    }
    let tables = ["\(name).csv": bytes("\(name).csv")].compactMapValues(\.self)
    return readManifest(
      try #require(bytes("\(name).yaml")), file: "\(name).yaml", families: .builtIn,
      files: ManifestFiles { file, _ in
        tables[file].map { .success(.init(name: file, bytes: $0)) } ?? .failure(.missing)
      })
  }

  @Test("there are cases")
  func count() { #expect(Self.names.count >= 40) }

  @Test("a mistake is answered with its correction", arguments: names)
  func answer(name: String) throws {
    var reading = try Self.read(name, [:])
    var answer = reading.rendered
    #expect(!answer.isEmpty)
    var corrected: [String: [UInt8]] = [:]
    for _ in 0..<20 {
      let fixed = reading.fixed()
      if fixed.isEmpty { break }
      for text in fixed { corrected[text.name] = text.bytes }
      reading = try Self.read(name, corrected)
    }
    if !corrected.isEmpty {
      answer += "\n--fix makes it:\n\n"
      for (file, bytes) in corrected.sorted(by: { $0.key < $1.key }) {
        let before = try String(decoding: Data(contentsOf: Self.folder.appending(path: file)), as: UTF8.self)
          .lines
        let after = String(decoding: bytes, as: UTF8.self).lines
        answer += after.filter { !before.contains($0) }.map { "    \($0)\n" }.joined()
      }
      answer += "\n" + (reading.rendered.isEmpty ? "which can be applied.\n" : reading.rendered)
    }
    try expectRecorded(answer, in: Self.folder.appending(path: "\(name).txt"))
  }
}
