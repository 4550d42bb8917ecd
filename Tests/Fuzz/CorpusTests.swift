import Foundation
import Model
import RecordedText
import Synchronization
import Testing
import VirtualBuilding

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

  @Test(
    "what each target makes of its inputs, and of others that differ from them in one place, is what is on record",
    arguments: FuzzTarget.all.map(\.name))
  func readings(name: String) throws {
    let target = try #require(FuzzTarget[name: name])
    var lines = ""
    for (file, bytes) in try Self.inputs(of: name) {
      lines += "\(file): \(Self.reading(of: bytes, by: target))"
      var generator = SeededGenerator(seed: 1).split(file)
      for _ in 0..<Self.neighbours(of: bytes, for: name) {
        lines += " " + Self.reading(of: bytes.neighbour(&generator), by: target).suffix(6)
      }
      lines += "\n"
    }
    try expectRecorded(lines, in: projectFile("Tests/Snapshots/Readings/\(name).txt"))
  }

  /// A corpus, and the files of that kind that the project ships or has for its tests.
  private static func inputs(of name: String) throws -> [(file: String, bytes: [UInt8])] {
    var inputs: [(file: String, bytes: [UInt8])] = []
    for path in ["Tests/Fuzz/Corpora/\(name)"] + (shipped[name] ?? []) {
      let folder = projectFile(path)
      for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
        guard path.hasPrefix("Tests/Fuzz") || file.hasSuffix(".yaml") else { continue }
        inputs.append((file, Array(try Data(contentsOf: folder.appending(path: file)))))
      }
    }
    return inputs
  }

  private static let shipped = [
    "manifest": ["manifests", "manifests/invalid", "Tests/Snapshots/Mistakes"],
    "family": ["manifests/families", "Tests/DescribedFamilies"], "scenario": ["manifests"],
  ]

  /// Readers of files that people write get more; those of whole records take long.
  private static func neighbours(of bytes: [UInt8], for name: String) -> Int {
    switch name {
    case "family": 40
    case "manifest", "scenario": 12
    case "record": 1
    default: bytes.count > 8000 ? 1 : 10
    }
  }

  private static func reading(of bytes: [UInt8], by target: FuzzTarget) -> String {
    let seen = Mutex(Fingerprint())
    let receive = { @Sendable (words: String) in seen.withLock { $0.add(words.utf8) } }
    Observation.$receiver.withValue(receive) {
      do {
        try target.check(bytes)
      } catch {
        receive("\(error)")
      }
    }
    return seen.withLock { "\($0)" }
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

extension [UInt8] {
  /// These bytes with a change in one place, as a slip of a person or of the radio makes it.
  fileprivate func neighbour(_ generator: inout SeededGenerator) -> [UInt8] {
    guard !isEmpty else { return [.random(in: 0...255, using: &generator)] }
    var bytes = self
    let place = Int.random(in: indices, using: &generator)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0, 1: bytes.removeLine(at: place)
    case 2: bytes.remove(at: place)
    case 3: bytes.insert(bytes[place], at: place)
    case 4: bytes[place] ^= 1 << UInt8.random(in: 0..<7, using: &generator)
    case 5: bytes.removeSubrange(place...)
    case 6: bytes.replaceWord(at: place, by: Self.words.randomElement(using: &generator) ?? "")
    default:
      bytes.replaceWord(
        at: place, by: String(decoding: word(at: .random(in: indices, using: &generator)), as: UTF8.self))
    }
    return bytes
  }

  private static let words = [
    "0", "-1", "65536", "1.5", "30s", "yes", "x", "~", "[]", "\"\"", "AA:BB:CC:DD:EE:FF", "é",
  ]

  private mutating func removeLine(at place: Int) {
    let start = self[..<place].lastIndex(of: 10).map { $0 + 1 } ?? 0
    let end = self[place...].firstIndex(of: 10).map { $0 + 1 } ?? count
    removeSubrange(start..<end)
  }

  private func range(ofWordAt place: Int) -> Range<Int> {
    func isEnd(_ byte: UInt8) -> Bool { byte <= 0x20 || ":,[]{}\"".utf8.contains(byte) }
    let start = self[..<place].lastIndex(where: isEnd).map { $0 + 1 } ?? 0
    return start..<Swift.max(start, self[place...].firstIndex(where: isEnd) ?? count)
  }

  private func word(at place: Int) -> ArraySlice<UInt8> { self[range(ofWordAt: place)] }

  private mutating func replaceWord(at place: Int, by word: String) {
    replaceSubrange(range(ofWordAt: place), with: Array(word.utf8))
  }
}
