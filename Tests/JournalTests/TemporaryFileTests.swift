import Foundation
import Glibc
import Model
import Testing

@testable import Journal

@Suite("Files that are written under another name")
struct TemporaryFileTests {
  @Test("one that a process left is removed; one of a process that is there, and any other file, stays")
  func abandoned() throws {
    let temporary = try TemporaryDirectory()
    let directory = try File.directory(temporary.path)
    func create(_ name: String) -> (descriptor: Int32, name: String) {
      TemporaryFile.create(for: name, in: directory.descriptor, at: temporary.path)
    }
    let living = [create("a.yaml"), create("a.yaml")]
    #expect(living.allSatisfy { $0.descriptor >= 0 } && living[0].name != living[1].name)
    #expect(try temporary.mode(living[0].name) == 0o600)
    let left = create("labels.roboprov-x.json")
    close(left.descriptor)
    var kept = [
      "a.yaml", ".a.yaml.roboprov-", ".a.yaml.roboprov-1", "a.yaml.roboprov-1-1", ".a.yaml.roboprov-1-x",
      ".a.yaml.roboprov-1-1~", ".a.yaml.roboprov-1--1",
    ]
    for name in kept { try temporary.write("x", name) }
    // What is no plain file is not ours, whatever its name.
    kept += [".b.roboprov-1-1", ".c.roboprov-1-1", ".d.roboprov-1-1"]
    #expect(mkdir(temporary.path + "/.b.roboprov-1-1", 0o700) == 0)
    #expect(symlink("a.yaml", temporary.path + "/.c.roboprov-1-1") == 0)
    #expect(mkfifo(temporary.path + "/.d.roboprov-1-1", 0o600) == 0)
    let reader = open(temporary.path + "/.d.roboprov-1-1", O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    TemporaryFile.removeAbandoned(in: temporary.path)
    #expect(try temporary.contents() == (kept + living.map(\.name)).sorted())
    for file in living { close(file.descriptor) }
    let next = create("b.yaml")
    defer { close(next.descriptor) }
    #expect(try temporary.contents() == (kept + [next.name]).sorted())
  }

  @Test("what is left of a new site key is removed, and the key is not")
  func siteKey() throws {
    let temporary = try TemporaryDirectory()
    let key = temporary.path + "/site.key"
    let fresh = { [UInt8](repeating: 7, count: SiteKey.length) }
    let seal = try SiteKey.seal(at: key, fresh: fresh)
    #expect(try temporary.contents() == ["site.key"])
    // Killed between the link and the removal.
    #expect(link(key, temporary.path + "/.site.key.roboprov-1-1") == 0)
    #expect(try SiteKey.seal(at: key, fresh: { [] }).key == seal.key)
    #expect(try temporary.contents() == ["site.key"])
  }
}
