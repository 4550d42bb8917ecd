import Foundation
import Model
import Testing

@testable import Application
@testable import RoboprovCLI

@Suite("`report --bundle` packs a record for support", .timeLimit(.minutes(60))) struct SupportBundleTests {
  private static let bundle = ["report", Site.building, "--bundle", "out.tar"]

  @Test(
    "a password is found as it is and as JSON, also where a combining mark follows an escaped character",
    arguments: ["plain word", "quo\"te\\ back", "comb\"\u{301}ining"])
  func encodedSecrets(password: String) throws {
    let search = SecretSearch([Secret(password)])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    #expect(search.finds(in: Array(try encoder.encode(["note": password]))))
    #expect(search.finds(in: Array("as \(password) is".utf8)))
    #expect(!search.finds(in: Array("nothing of it".utf8)))
  }

  @Test("an entry is a multiple of blocks, and names that it cannot hold are refused")
  func blocks() {
    for count in [0, 1, 511, 512, 513] {
      let entry = TarArchive.entry("a", in: "b", [UInt8](repeating: 1, count: count), modified: 0)
      #expect(entry?.count == 512 + (count + 511) / 512 * 512)
    }
    for (name, folder) in [(100, 155), (101, 155), (100, 156)] {
      let entry = TarArchive.entry(
        String(repeating: "n", count: name), in: String(repeating: "f", count: folder), [], modified: 0)
      #expect((entry != nil) == (name == 100 && folder == 155))
    }
  }

  @Test(
    "a clock that is far wrong gives the nearest time that the format has",
    arguments: [(-5, "00000000000"), (8, "00000000010"), (.max, "77777777777")])
  func clock(seconds: Int, field: String) throws {
    let entry = try #require(TarArchive.entry("a", in: "b", [], modified: seconds))
    #expect(Array(entry[136..<148]) == Array(field.utf8) + [0])
  }

  /// Extracts a bundle with another program than the one that wrote it.
  private static func files(of name: String, at site: Site) async throws -> [String: Data] {
    let root = site.directory.appending(path: "unpacked-\(name)")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
    let tar = try await site.runTool(["tar", "-xf", name, "-C", root.path])
    try #require(tar.status == 0 && tar.errors.isEmpty, "\(tar)")
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
      var isDirectory: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: "\(root.path)/\(path)", isDirectory: &isDirectory)
      if !isDirectory.boolValue { files[path] = FileManager.default.contents(atPath: "\(root.path)/\(path)") }
    }
    return files
  }

  @Test("a bundle has each journal byte for byte and the manifest without passwords, and is a record again")
  func whole() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      _ = try await premises.run(["apply", "building.yaml", "--simulate", "--yes", "--only", "Room 101"])
      _ = try await premises.run(["apply", "building.yaml", "--yes", "--force", "Room 101"])
      try site.write("reports/\(Site.building)/site.key", "0123456789abcdef0123456789abcdef")
      try await site.run(Self.bundle).expect(
        0, errors: "Wrote out.tar. The manifest: building.yaml, as the newest run")
      let files = try await Self.files(of: "out.tar", at: site)
      let journals = site.runs.map { "\(Site.building)/\($0)/journal.jsonl" }
      #expect(journals.count == 2 && Set(files.keys) == Set(journals + ["manifest.yaml"]))
      for name in journals {
        let path = site.directory.appending(path: "reports/\(name)").path
        #expect(files[name] == FileManager.default.contents(atPath: path), "\(name)")
      }
      let manifest = try String(contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
      #expect(
        String(decoding: files["manifest.yaml"] ?? Data(), as: UTF8.self)
          == manifest.replacingOccurrences(of: Site.password, with: "•••"))
      for reports in ["reports", "unpacked-out.tar"] {
        try await site.run(["status", Site.building, "--reports", reports]).expect(
          0, output: "All 2 rooms done")
      }

      let path = site.directory.appending(path: "out.tar").path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let before = FileManager.default.contents(atPath: path)
      try await site.run(Self.bundle).expect(64, errors: "out.tar exists")
      #expect(FileManager.default.contents(atPath: path) == before)
    }
  }

  @Test("a bundle of a damaged record contains it unchanged; a password in it stops it")
  func damaged() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let journal = try site.latest.appending(path: "journal.jsonl")
      var lines = try String(contentsOf: journal, encoding: .utf8).components(separatedBy: "\n")
      lines[4] = lines[4].replacingOccurrences(of: "\"at\":\"2", with: "\"at\":\"3")
      try Data(lines.joined(separator: "\n").utf8).write(to: journal)
      try await site.run(Self.bundle).expect(74, errors: "journal.jsonl:5: line 5 was changed")
      let files = try await Self.files(of: "out.tar", at: site)
      let name = try #require(files.keys.first { $0.hasSuffix("/journal.jsonl") })
      #expect(files[name] == FileManager.default.contents(atPath: journal.path))

      lines[4] = Site.password
      try Data(lines.joined(separator: "\n").utf8).write(to: journal)
      let refused = try await site.run(["report", Site.building, "--bundle", "other.tar"]).expect(
        errors: "journal.jsonl contains a password of the manifest")
      #expect(refused.status == 74 && !refused.errors.contains(Site.password), "\(refused)")
      #expect(!site.has("other.tar"))
    }
  }

  @Test("a bundle without a manifest says so")
  func withoutManifest() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let manifest = site.directory.appending(path: "building.yaml")
      try FileManager.default.removeItem(at: manifest)
      try await site.run(Self.bundle).expect(
        0, errors: "not in the bundle: building.yaml, which the newest run names, is not there")
      #expect(try await Self.files(of: "out.tar", at: site).count == 1)

      // A forged record may name a pipe, which must not block the command.
      try #require(mkfifo(manifest.path, 0o600) == 0)
      try await site.run(["report", Site.building, "--bundle", "pipe.tar"]).expect(0)
      #expect(try await Self.files(of: "pipe.tar", at: site).count == 1)
    }
  }

  @Test("a bundle needs a building on record and contains all its runs")
  func refused() async throws {
    try await Site.use { site in
      try await site.run(Self.bundle).expect(64, errors: "no run of harbour is on record")
      try await site.run(["report", Site.building, "some-run", "--bundle", "out.tar"]).expect(64)
      #expect(!site.has("out.tar"))
    }
  }
}
