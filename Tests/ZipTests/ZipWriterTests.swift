import Foundation
import Testing

@testable import Zip

@Suite("A zip archive") struct ZipWriterTests {
  private static func within<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "roboprov-zip-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
  }

  private static let files: [(name: String, bytes: [UInt8])] = [
    ("record/run-1/journal.jsonl", Array(repeating: 0x41, count: 200_000)), ("empty", []),
    ("record/all", (0...255).map { UInt8($0) }),
  ]

  private static func write(_ path: String) throws {
    let zip = try ZipWriter(path)
    for file in files { try zip.add(file.name, file.bytes, modified: 1_795_251_600) }
    try zip.finish()
  }

  @Test("an archive has the added files in order and mode 0600, and is reproducible")
  func whole() throws {
    try Self.within { folder in
      let path = folder + "/a.zip"
      try Self.write(path)
      let script = """
        import json, sys, zipfile
        with zipfile.ZipFile(sys.argv[1]) as z:
            assert z.testzip() is None
            print(json.dumps([[i.filename, z.read(i).hex()] for i in z.infolist()]))
        """
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
      process.arguments = ["-c", script, path]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let data = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      let read = try JSONDecoder().decode([[String]].self, from: data)
      #expect(
        read == Self.files.map { [$0.name, $0.bytes.map { String(format: "%02x", $0) }.joined()] })
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      try Self.write(folder + "/b.zip")
      #expect(
        FileManager.default.contents(atPath: path) == FileManager.default.contents(atPath: folder + "/b.zip"))
    }
  }

  @Test("an archive never replaces a file, and an unfinished one leaves nothing behind")
  func kept() throws {
    try Self.within { folder in
      let path = folder + "/a.zip"
      try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: ZipError(.exists, path)) { try Self.write(path) }
      let other = folder + "/b.zip"
      do {
        let zip = try ZipWriter(other)
        try zip.add("x", [1], modified: 0)
      }
      let late = folder + "/c.zip"
      let zip = try ZipWriter(late)
      try Data("mine, too".utf8).write(to: URL(fileURLWithPath: late))
      #expect(throws: ZipError(.exists, late)) { try zip.finish() }
      #expect(FileManager.default.contents(atPath: late) == Data("mine, too".utf8))
      #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
      let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }
      #expect(left.sorted() == ["a.zip", "c.zip"])
      #expect(!FileManager.default.fileExists(atPath: folder + "/.b.zip.partial"))
    }
  }

  @Test(
    "an archive that cannot be created throws the reason",
    arguments: ["/nowhere/a.zip", "/proc/a.zip", "/tmp/"])
  func refused(path: String) {
    #expect(throws: ZipError.self) { try Self.write(path) }
  }
}
