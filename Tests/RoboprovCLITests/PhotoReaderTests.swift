import Application
import Foundation
import Host
import HostileReader
import Testing

@Suite("The process that reads photos")
struct PhotoReaderTests {
  /// A picture whose first pixels are these.
  private static func picture(_ first: [UInt8]) throws(PhotoProblem) -> GreyPicture {
    try GreyPicture(width: 32, height: 2, pixels: first + Array(repeating: 255, count: 64 - first.count))
  }

  /// The program with another library in the place of zxing-cpp, which does what the picture says.
  private func read(
    _ deed: hostile_deed, _ second: UInt8 = 0, library: URL = Self.library,
    within limit: Duration = .seconds(60)
  ) async throws -> [String] {
    let place = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    try FileManager.default.createSymbolicLink(
      at: place.appending(path: "libZXing.so.3"), withDestinationURL: library)
    if library != Self.library {
      try FileManager.default.createSymbolicLink(
        at: place.appending(path: "libZXing.so.2"), withDestinationURL: library)
    }
    let reader = PhotoReader(
      command: [
        "/usr/bin/env", "LD_LIBRARY_PATH=\(place.path)", Invocation.program.path, PhotoReader.argument,
      ], within: limit)
    return try await reader.texts(in: Self.picture([UInt8(deed.rawValue), second]))
  }

  private static let library = Invocation.program.deletingLastPathComponent().appending(
    path: "libHostileReader.so")

  @Test("it knows nothing of the environment, and its memory is bounded")
  func knowledge() async throws {
    let known = try #require(try await read(hostile_reads).first).split(separator: " ")
    #expect(known.first == "0")
    let filled = try #require(known.last.flatMap { Int($0) })
    #expect((64..<512).contains(filled), "MiB")
  }

  @Test(
    "what needs a right ends it",
    arguments: [
      hostile_opens_a_file, hostile_makes_a_file, hostile_opens_a_socket, hostile_forks, hostile_executes,
      hostile_kills_its_parent, hostile_maps_its_input, hostile_takes_a_signal,
    ])
  func right(_ deed: hostile_deed) async throws {
    await #expect(throws: PhotoProblem.failed(.killed(SIGSYS))) { try await read(deed) }
    #expect(!FileManager.default.fileExists(atPath: "/tmp/hostile-reader"))
  }

  @Test("one that does not end is killed")
  func endless() async throws {
    await #expect(throws: PhotoProblem.tooLong) {
      try await read(hostile_does_not_end, within: .milliseconds(300))
    }
  }

  @Test("one that crashes, or writes without end, is a failure")
  func failing() async throws {
    let crash = await #expect(throws: PhotoProblem.self) { try await read(hostile_crashes) }
    #expect(crash?.words.hasPrefix("reading the photo ended with signal") == true)
    await #expect(throws: PhotoProblem.failed(.killed(SIGTERM))) {
      try await read(hostile_writes_without_end)
    }
  }

  @Test("texts are bounded in number and length")
  func bounds() async throws {
    #expect(try await read(hostile_finds_much).map(\.utf8.count) == [4000], "each once")
    #expect(try await read(hostile_finds_much, 1) == [])
  }

  @Test("without the library it says what to install")
  func missing() async throws {
    let noLibrary = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try Data().write(to: noLibrary)
    await #expect(throws: PhotoProblem.noLibrary) { try await read(hostile_reads, library: noLibrary) }
    #expect(PhotoProblem.noLibrary.advice.contains("apt-get install libzxing3"))
  }

  @Test(
    "what is no picture is refused",
    arguments: [
      (0, 0, 0), (0, 5, 0), (-3, -3, 9), (3, 3, 8), (3, 3, 10), (2001, 1000, 2_001_000), (8193, 1, 8193),
      (Int.max, 2, 0),
      (1 << 32, 1 << 32, 0),
    ])
  func refused(width: Int, height: Int, count: Int) {
    #expect(throws: PhotoProblem.noPicture) {
      try GreyPicture(width: width, height: height, pixels: Array(repeating: 0, count: count))
    }
  }

  @Test(
    "so it is by the process itself",
    arguments: ["", "abc", "\u{1}\0\0\0\u{2}\0\0\0x", "\u{1}\0\0\0\u{1}\0\0\0xx"])
  func refusedInside(input: String) throws {
    let run = Process()
    let pipe = Pipe()
    run.executableURL = Invocation.program
    run.arguments = [PhotoReader.argument]
    run.standardInput = pipe
    try run.run()
    try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try pipe.fileHandleForWriting.close()
    run.waitUntilExit()
    #expect(run.terminationStatus == 42)
  }
}
