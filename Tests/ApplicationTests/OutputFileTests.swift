import Foundation
import Testing

@testable import Application

@Suite("files for the operator") struct OutputFileTests {
  private struct Refused: Error {}

  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "roboprov-out-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private static func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
  }

  @Test("a new file gets its name when it is complete, and only its owner can read it")
  func complete() throws {
    try Self.withFolder { folder in
      let file = folder.appending(path: "out")
      try OutputFile.create(file.path) { write in
        try write([1, 2])
        #expect(try Self.names(in: folder) == [])
        try write([3])
      }
      #expect(try Data(contentsOf: file) == Data([1, 2, 3]))
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out"])
    }
  }

  @Test("a new file that cannot be completed leaves nothing")
  func refused() throws {
    try Self.withFolder { folder in
      #expect(throws: Refused.self) {
        try OutputFile.create(folder.appending(path: "out").path) { write in
          try write([1])
          throw Refused()
        }
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(left == [])
    }
  }

  @Test("a new file replaces none, also none that another program makes meanwhile", arguments: [false, true])
  func existing(isLink: Bool) throws {
    try Self.withFolder { folder in
      let file = folder.appending(path: "out")
      let failure = #expect(throws: CommandFailure.self) {
        try OutputFile.create(file.path) { write in
          try write([1])
          if isLink {
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "nowhere")
          } else {
            try Data([9]).write(to: file)
          }
        }
      }
      #expect(failure?.message.contains("File exists") == true)
      let names = try Self.names(in: folder)
      #expect(names == ["out"])
      #expect(FileManager.default.contents(atPath: file.path) == (isLink ? nil : Data([9])))
    }
  }
}
