import Digest
import Foundation
import Model
import Testing

@testable import Application
@testable import RoboprovCLI

@Suite("`report bundle` packs a record for support", .timeLimit(.minutes(60))) struct SupportBundleTests {
  private static let bundle = ["report", Site.building, "--bundle", "out.zip"]

  @Test(
    "a password is found as JSON and as markup, also where a combining mark follows an escaped character",
    arguments: ["plain word", "quo\"te\\ back", "comb\"\u{301}ining", "ampers&\u{301}and <\u{301}tag"])
  func encodedSecrets(password: String) throws {
    let search = SecretSearch([Secret(password)])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    #expect(search.finds(in: Array(try encoder.encode(["note": password]))))
    let markup = password.unicodeScalars.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;"][$0] ?? String($0) }
    #expect(search.finds(in: Array("<p>\(markup.joined())</p>".utf8)))
    #expect(!search.finds(in: Array("nothing of it".utf8)))
  }

  /// A fake system journal with this text.
  private static func environment(_ site: Site, journal text: String?) throws -> [String: String] {
    let folder = site.directory.appending(path: "bin")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // A link to a program: one that is written just now cannot be executed while another thread starts processes.
    let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../Interop/fake-journalctl").standardizedFileURL
    let link = folder.appending(path: "journalctl")
    if !FileManager.default.fileExists(atPath: link.path) {
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: program)
    }
    var environment = ["PATH": "\(folder.path):/usr/bin:/bin"]
    if let text {
      try site.write("system-journal", text)
      environment["FAKE_JOURNAL"] = site.directory.appending(path: "system-journal").path
    }
    return environment
  }

  /// Extracts a zip with another program than the one that wrote it.
  private static func files(of name: String, at site: Site) async throws -> [String: Data] {
    let test = try await site.runTool(["unzip", "-tq", name])
    try #require(test.status == 0, "\(test)")
    let folder = "unzipped-\(UUID().uuidString)"
    let unzip = try await site.runTool([
      "/usr/bin/python3", "-c", "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])",
      name,
      folder,
    ])
    try #require(unzip.status == 0, "\(unzip)")
    let check = try await site.runTool([
      "sh", "-c", "cd \(folder) && grep -E '^[0-9a-f]{64}  ' README.txt | sha256sum --strict -c",
    ])
    #expect(check.status == 0, "\(check)")
    let root = site.directory.appending(path: folder).path
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
      var isDirectory: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isDirectory)
      if !isDirectory.boolValue { files[path] = FileManager.default.contents(atPath: "\(root)/\(path)") }
    }
    return files
  }

  private static func text(_ data: Data?) -> String { String(decoding: data ?? Data(), as: UTF8.self) }

  /// Checks that the README lists each other file with its hash.
  private static func expectList(_ files: [String: Data]) {
    let readme = text(files["README.txt"])
    for (name, data) in files where name != "README.txt" {
      #expect(readme.contains("\(SHA256(of: Array(data)).hex)  \(name)\n"), "\(name)")
    }
    #expect(readme.components(separatedBy: "\n").count { $0.hasPrefix("Content") } == 1)
  }

  @Test("a bundle has the record byte for byte, the manifest without passwords, and a list of contents")
  func whole() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      _ = try await premises.run(["apply", "building.yaml", "--simulate", "--yes", "--only", "Room 101"])
      let environment = try Self.environment(
        site, journal: "Nov 21 bluetoothd[7]: Failed to set mode: 0x03\n")
      let made = try await site.run(Self.bundle, environment: environment)
      #expect(made.status == 0 && made.errors.contains("Wrote out.zip"), "\(made)")
      let files = try await Self.files(of: "out.zip", at: site)
      var expected: Set<String> = [
        "README.txt", "manifest.yaml", "bluetooth-service.log", "versions.txt",
      ]
      for path in try FileManager.default.subpathsOfDirectory(atPath: site.folder.path) {
        let file = site.folder.appending(path: path)
        let kind = try FileManager.default.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType
        if kind != .typeRegular || path.hasPrefix("rehearsals/") || path.hasPrefix(".")
          || path.hasPrefix("latest/")
        {
          continue
        }
        expected.insert("record/\(path)")
        #expect(files["record/\(path)"] == FileManager.default.contents(atPath: file.path), "\(path)")
      }
      #expect(Set(files.keys) == expected)
      #expect(expected.contains { $0.hasSuffix("/devices/room-101.log") })
      #expect(expected.contains { $0.hasSuffix("/journal.jsonl") })
      Self.expectList(files)

      let manifest = try String(contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
      #expect(
        Self.text(files["manifest.yaml"]) == manifest.replacingOccurrences(of: Site.password, with: "•••"))
      #expect(Self.text(files["bluetooth-service.log"]).contains("Failed to set mode: 0x03"))
      #expect(Self.text(files["bluetooth-service.log"]).contains("--unit=bluetooth"))
      let versions = Self.text(files["versions.txt"])
      for word in ["roboprov \(Version.current)", "Linux", "libdbus 1.", "zlib 1.", "BlueZ 5.66"] {
        #expect(versions.contains(word), "\(versions)")
      }
      let readme = Self.text(files["README.txt"])
      #expect(readme.contains("none: all journals are complete"))
      #expect(readme.contains("searched for the 1 password of the manifest: no file contains one"))
      #expect(readme.contains("building.yaml, as the newest run had it"))
      for (name, data) in files { #expect(!Self.text(data).contains(Site.password), "\(name)") }

      let path = site.directory.appending(path: "out.zip").path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let before = FileManager.default.contents(atPath: path)
      let again = try await site.run(Self.bundle, environment: environment)
      #expect(again.status == 64 && again.errors.contains("out.zip exists"), "\(again)")
      #expect(FileManager.default.contents(atPath: path) == before)
    }
  }

  @Test("a bundle without addresses contains no address in any notation")
  func withoutAddresses() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      let journal = """
        bluetoothd[7]: src/device.c: /org/bluez/hci0/dev_C4_7C_8D_00_00_01 failed
        bluetoothd[7]: c4:7c:8d:00:00:02 and C4-7C-8D-00-00-02 and c47c8d000001
        """
      try site.write("reports/\(Site.building)/site.key", "0123456789abcdef0123456789abcdef")
      let made = try await site.run(
        Self.bundle + ["--without-addresses"], environment: try Self.environment(site, journal: journal))
      #expect(made.status == 0, "\(made)")
      let files = try await Self.files(of: "out.zip", at: site)
      Self.expectList(files)
      #expect(!files.keys.contains { $0.hasSuffix("site.key") })
      #expect(Self.text(files["README.txt"]).contains("- site.key: left out;"))
      let journals = files.keys.filter { $0.hasSuffix("journal.jsonl") }
      let real = try site.latest.appending(path: "journal.jsonl")
      let adapter = try #require(
        try String(contentsOf: real, encoding: .utf8).firstMatch(
          of: #/"adapter":"(?<address>[0-9A-F:]{17})"/#)?.address)
      for address in ["C4:7C:8D:00:00:01", "C4:7C:8D:00:00:02", String(adapter)] {
        for separator in [":", "-", "_", ""] {
          let form = address.replacingOccurrences(of: ":", with: separator).lowercased()
          for (name, data) in files {
            #expect(!Self.text(data).lowercased().contains(form), "\(form) is in \(name)")
          }
        }
      }
      // Each address has one pseudonym in all files, and all other text is unchanged.
      let log = Self.text(files["bluetooth-service.log"])
      let match = try #require(log.firstMatch(of: #/dev_(?<one>[0-9_]{17}) failed/#))
      let one = match.one.replacingOccurrences(of: "_", with: ":")
      #expect(log.contains("and " + one.replacingOccurrences(of: ":", with: "")))
      let text = Self.text(files[journals.first ?? ""])
      #expect(text.contains("\"\(one)\""))
      #expect(text.split(separator: "\n").allSatisfy { JSON(String($0)) != nil })
      #expect(Self.text(files["manifest.yaml"]).contains("address: \"\(one)\""))
      let readme = Self.text(files["README.txt"])
      #expect(readme.contains("replaced with pseudonyms: 3 ("), "\(readme)")
      #expect(readme.contains("do not verify here"))
    }
  }

  @Test("a bundle of a damaged record contains it unchanged and names the damaged line")
  func damaged() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let journal = try site.latest.appending(path: "journal.jsonl")
      var lines = try String(contentsOf: journal, encoding: .utf8).components(separatedBy: "\n")
      lines[4] = lines[4].replacingOccurrences(of: "\"at\":\"2", with: "\"at\":\"3")
      try Data(lines.joined(separator: "\n").utf8).write(to: journal)
      let made = try await site.run(Self.bundle, environment: try Self.environment(site, journal: nil))
      #expect(made.status == 74, "\(made)")
      #expect(made.errors.contains("journal.jsonl:5: line 5 was changed"), "\(made)")
      let files = try await Self.files(of: "out.zip", at: site)
      let name = try #require(files.keys.first { $0.hasSuffix("/journal.jsonl") })
      #expect(files[name] == FileManager.default.contents(atPath: journal.path))
      let readme = Self.text(files["README.txt"])
      #expect(readme.contains("line 5 was changed after it was written. The bundle has it unchanged"))
      #expect(readme.contains("the Bluetooth service's messages: none. No journal files were found."))
      #expect(files["bluetooth-service.log"] == nil)
    }
  }

  @Test("a bundle without a manifest says so; a password in a file of the record stops it")
  func secrets() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let environment = try Self.environment(site, journal: "it said \(Site.password)\n")
      let refused = try await site.run(Self.bundle, environment: environment)
      #expect(refused.status == 74, "\(refused)")
      #expect(
        refused.errors.contains("bluetooth-service.log contains a password of the manifest"), "\(refused)")
      #expect(!refused.errors.contains(Site.password))
      #expect(!site.has("out.zip") && !site.has(".out.zip.partial"))

      try FileManager.default.removeItem(at: site.directory.appending(path: "building.yaml"))
      let quiet = try Self.environment(site, journal: "nothing\n")
      let made = try await site.run(Self.bundle, environment: quiet)
      #expect(made.status == 0, "\(made)")
      let files = try await Self.files(of: "out.zip", at: site)
      #expect(files["manifest.yaml"] == nil)
      let readme = Self.text(files["README.txt"])
      #expect(readme.contains("not in the bundle: building.yaml, which the newest run names, is not there"))
      #expect(readme.contains("were not searched for them"))

      // A forged record may name a pipe, which must not block the command.
      try #require(mkfifo(site.directory.appending(path: "building.yaml").path, 0o600) == 0)
      let pipe = try await site.run(["report", Site.building, "--bundle", "pipe.zip"], environment: quiet)
      #expect(pipe.status == 0, "\(pipe)")
      #expect(try await Self.files(of: "pipe.zip", at: site)["manifest.yaml"] == nil)
    }
  }

  @Test("a bundle needs a building on record and contains all its runs")
  func refused() async throws {
    try await Site.use { site in
      let none = try await site.run(Self.bundle)
      #expect(none.status == 64 && none.errors.contains("no run of harbour is on record"), "\(none)")
      let run = try await site.run(["report", Site.building, "some-run", "--bundle", "out.zip"])
      #expect(run.status == 64, "\(run)")
      let addresses = try await site.run(["report", Site.building, "--without-addresses"])
      #expect(addresses.status == 64, "\(addresses)")
      #expect(!site.has("out.zip"))
    }
  }
}

extension Site {
  /// The building's folder.
  fileprivate var folder: URL { directory.appending(path: "reports/\(Self.building)") }
}
