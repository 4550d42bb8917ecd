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
    // It has the permissions of the file that it was to replace.
    #expect(fchmod(left.descriptor, 0o400) == 0)
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

  @Test("a new file that another process locks first is left to it, without waiting for it")
  func lockedByAnother() throws {
    let temporary = try TemporaryDirectory()
    let directory = try File.directory(temporary.path)
    var others: [Int32] = []
    defer { for other in others { close(other) } }
    let created = TemporaryFile.create(for: "a", in: directory.descriptor, at: temporary.path) {
      descriptor, operation in
      #expect(operation == LOCK_EX | LOCK_NB)
      if others.isEmpty {
        others.append(open("/proc/self/fd/\(descriptor)", O_WRONLY))
        #expect(flock(others[0], LOCK_EX) == 0)
      }
      return flock(descriptor, LOCK_EX | LOCK_NB)
    }
    defer { close(created.descriptor) }
    let names = try temporary.contents()
    #expect(created.descriptor >= 0 && names.count == 2 && names.last == created.name)
  }

  @Test(
    "a new file that another process has removed is made again; on a file system without locks it is used as it is"
  )
  func withoutLock() throws {
    let temporary = try TemporaryDirectory()
    let directory = try File.directory(temporary.path)
    var isRemoved = false
    let next = TemporaryFile.create(for: "a", in: directory.descriptor, at: temporary.path) {
      descriptor, operation in
      if !isRemoved { isRemoved = unlinkat(directory.descriptor, ".a.roboprov-\(getpid())-1", 0) == 0 }
      return flock(descriptor, operation)
    }
    defer { close(next.descriptor) }
    #expect(isRemoved && next.descriptor >= 0 && next.name == ".a.roboprov-\(getpid())-2")
    let unlocked = TemporaryFile.create(for: "b", in: directory.descriptor, at: temporary.path) { _, _ in
      errno = ENOLCK
      return -1
    }
    defer { close(unlocked.descriptor) }
    #expect(try temporary.contents() == [next.name, unlocked.name])
    try FileManager.default.removeItem(atPath: temporary.path)
    let none = TemporaryFile.create(for: "c", in: directory.descriptor, at: temporary.path)
    let code = errno
    #expect(none.descriptor < 0 && code == ENOENT)
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
