import Bluetooth
import DBus
import Foundation
import Host
import Model
import Synchronization
import Testing
import VirtualTime

@testable import Application

@Suite("bounds of numbers, addresses and texts") struct BoundsTests {
  @Test("a message names three networks and ten passwords, and how many more there are")
  func names() {
    func wanted(_ name: String, _ networks: Int = 1) -> SecretResolver.Wanted {
      let reference = SecretReference(.environment(name), file: "m.yaml", line: 1, column: 1)
      return .init(reference: reference, networks: (1...networks).map { "N\($0)" }, descriptions: [])
    }
    #expect(SecretMessages.networks(of: wanted("V", 3)) == "N1, N2, N3")
    #expect(SecretMessages.networks(of: wanted("V", 5)) == "N1, N2, N3 and 2 more")
    let ten = "Rehearsal: made-up passwords replace V1, V2, V3, V4, V5, V6, V7, V8, V9, V10"
    #expect(SecretMessages.standIns((1...10).map { wanted("V\($0)") }) == ten)
    #expect(SecretMessages.standIns((1...12).map { wanted("V\($0)") }) == ten + " and 2 more")
  }

  @Test("a file with a password has 4096 bytes at most")
  func passwordFile() throws {
    let path = NSTemporaryDirectory() + "roboprov-password-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    for length in [4096, 4097] {
      try Data(repeating: UInt8(ascii: "x"), count: length).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      let read = Result { () throws(SecretError) in try SecretFile.read(path, besides: "m.yaml").count }
      #expect(read == (length > 4096 ? .failure(.tooLong) : .success(length)))
    }
  }

  @Test("a file of labels has 16 MiB at most", arguments: [1 << 24, (1 << 24) + 1] as [UInt64])
  func labelFile(length: UInt64) throws {
    let path = NSTemporaryDirectory() + "roboprov-labels-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data().write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.truncate(atOffset: length)
    try file.close()
    // It is read, and has no labels.
    let isRead = length == 1 << 24
    #expect(throws: isRead ? SecretError.notLabels(path) : .unreadable(path, reason: "it is too large")) {
      try LabelFile(path)
    }
  }

  @Test("a run's id has at most 32 characters of the computer's name, none of them special")
  func runName() {
    let name = "Anna's Laptop " + String(repeating: "x", count: 40)
    let surroundings = Surroundings(
      variables: [:], bus: .address("unix:path=/none"),
      computer: .init(name: name) { [UInt8](repeating: 0xAB, count: $0) },
      wall: { Date(timeIntervalSince1970: 1_795_392_000) }, write: { _, _ in })
    let run = Surroundings.$current.withValue(surroundings) { RunIdentity(operatedBy: "anna") }
    #expect(run.id == "20261123T000000Z-anna-s-laptop-xxxxxxxxxxxxxxxxxx-ababab")
  }

  @Test("the number of rooms that may fail is a number, or a share of all")
  func failures() {
    func limit(_ text: String, of rooms: Int = 250) -> Int? {
      FailureAllowance(argument: text)?.limit(of: rooms)
    }
    #expect(limit("0") == 0 && limit("5") == 5 && limit("1000000") == 1_000_000)
    #expect(limit("0%") == 0 && limit("1%") == 2 && limit("100%") == 250)
    for text in ["-1", "1000001", "101%", "-1%", "", "%", "5 %", "five"] {
      #expect(limit(text) == nil, "\(text)")
    }
  }

  @Test("the page looks at the record for a tenth of the time at most, and at least every 0.8 s")
  func pauses() {
    let looks = [0, 1, 22, 23, 50, 88, 89, 5000].map { PageServer.pause(after: .milliseconds($0)) }
    #expect(looks == [200, 200, 200, 207, 450, 792, 800, 800].map { .milliseconds($0) })
  }

  @Test("clients get a beat after 4 s without a change, and again every 4 s")
  func beat() async throws {
    let heard = Mutex<[String]>([])
    try await VirtualTime.run { clock in
      let note = { @Sendable (what: String) in
        heard.withLock { $0.append("\(what) \(clock.now.sinceZero / .milliseconds(1))") }
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await PageServer.follow(
            on: clock, { () -> String? in clock.now.sinceZero == .seconds(5) ? "page" : nil },
            show: { note($0) }, beat: { note("beat") })
        }
        try? await clock.sleep(for: .seconds(14))
        group.cancelAll()
      }
    }
    #expect(heard.withLock(\.self) == ["beat 4000.0", "page 5000.0", "beat 9000.0", "beat 13000.0"])
  }

  @Test("only this computer reaches its loopback addresses")
  func loopback() {
    for address in ["127.0.0.1", "127.0.1.1", "::1"] {
      #expect(PageServer.Place(address: address, port: 0).isLocal)
    }
    for address in ["192.168.1.127", "::", "0.0.0.0", "fe80::1"] {
      #expect(!PageServer.Place(address: address, port: 0).isLocal)
    }
  }
}
