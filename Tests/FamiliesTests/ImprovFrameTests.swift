import Families
import Testing

@Suite("Frames of Improv devices") struct ImprovFrameTests {
  @Test("a command has its length and its checksum")
  func command() throws {
    let wifi = try #require(ImprovFrame(.wifi, strings: [Array("MyNet".utf8), Array("secret".utf8)]))
    #expect(wifi.bytes == [1, 13, 5] + Array("MyNet".utf8) + [6] + Array("secret".utf8) + [0x8C])
    #expect(ImprovFrame(.deviceInfo).bytes == [3, 0, 3])
    let longest = ImprovFrame(
      .wifi, strings: [[UInt8](repeating: 0xFF, count: 32), [UInt8](repeating: 0xFF, count: 64)])
    #expect(longest?.bytes.count == 101)
    #expect(ImprovFrame(.wifi, strings: [[UInt8](repeating: 0, count: 254)])?.bytes.count == 258)
    for count in [255, 256, 1000] {
      #expect(ImprovFrame(.wifi, strings: [[UInt8](repeating: 0, count: count)]) == nil)
    }
  }

  @Test("a frame is read as it is written, and nothing else is a frame")
  func read() throws {
    let frame = try #require(ImprovFrame(.wifi, strings: [Array("http://x/".utf8), []]))
    #expect(ImprovFrame.read(frame.bytes) == .success(frame))
    #expect(frame.strings == ["http://x/", ""])
    for count in 0..<frame.bytes.count {
      #expect(ImprovFrame.read(Array(frame.bytes.prefix(count))) == .failure(.truncated))
    }
    #expect(ImprovFrame.read(frame.bytes + [0]) == .failure(.tooLong))
    var wrong = frame.bytes
    wrong[3] ^= 1
    #expect(ImprovFrame.read(wrong) == .failure(.checksum))
    #expect(ImprovFrame(.scan, data: [4, 1, 2]).strings == nil, "the length is beyond the end")
    #expect(ImprovFrame(.scan).strings == [])
  }
}

/// What a device reports since a command, and what it shows.
@Suite("The answer of an Improv device") struct ImprovJudgeTests {
  private static let url = ImprovReport.result(ImprovFrame(.wifi, data: [1, 0x78]))
  private static let empty = ImprovReport.result(ImprovFrame(.wifi))
  private static let info = ImprovReport.result(ImprovFrame(.deviceInfo, data: [1, 0x78]))

  /// The answer to these reports: at once, or when nothing follows.
  private func answer(_ reports: [ImprovReport], isRepeated: Bool = false) -> ImprovAnswer? {
    var judge = ImprovJudge(isRepeated: isRepeated)
    for report in reports { if let answer = judge.take(report) { return answer } }
    return judge.answerWhenSilent
  }

  @Test(
    "reports and their meaning",
    arguments: [
      ([.error(0), .state(3), url], .joined(url: "x")),
      ([.state(3), .state(4), url], .joined(url: "x")),
      ([.state(3), .state(4)], .joined(url: nil)),
      ([.result(ImprovFrame(.wifi, data: [1, 0x78, 1, 0x79]))], .joined(url: "x")),
      // A string that is longer than its frame.
      ([.state(3), .result(ImprovFrame(.wifi, data: [9, 0x78]))], nil),
      ([url], .joined(url: "x")), ([empty], .joined(url: nil)),
      ([.state(3), .unreadable, .state(4)], .joined(url: nil)),
      // Its network returned by itself: nothing shows that it tried to join the room's.
      ([.state(4)], .unclear), ([.state(4), .error(4)], .notReady),
      ([.state(2)], nil), ([info], nil), ([.state(3)], nil), ([.state(9), .error(0)], nil), ([], nil),
      ([.state(3), .error(3), .state(2)], .failed(3)), ([.state(3), .state(2)], .failed(nil)),
      ([.state(3), .state(1)], .failed(nil)), ([.error(3)], .failed(3)),
      ([.error(1)], .lost), ([.state(3), .error(1)], .refused(1)), ([.error(2)], .refused(2)),
      ([.error(0xFF)], .refused(0xFF)),
      ([.error(77)], .refused(77)),
      ([.error(4)], .notReady), ([.state(1)], .notReady),
    ] as [([ImprovReport], ImprovAnswer?)])
  func meaning(of reports: [ImprovReport], is expected: ImprovAnswer?) {
    #expect(answer(reports) == expected)
  }

  @Test(
    "the reports of a device show whether it carries out the command",
    arguments: [
      ([], nil), ([.error(0)], nil), ([.error(3)], nil), ([.unreadable], nil), ([.state(2)], nil),
      ([.state(3)], true), ([.state(3), .error(2)], true), ([.state(3), .state(4)], true),
      ([.error(1)], false), ([.error(2)], false), ([.error(4)], false), ([.state(4)], false),
      ([.state(3), .error(4)], false), ([.error(2), .state(3)], false),
    ] as [([ImprovReport], Bool?)])
  func acceptance(of reports: [ImprovReport], is expected: Bool?) {
    var judge = ImprovJudge(isRepeated: false)
    for report in reports { _ = judge.take(report) }
    #expect(judge.isAccepted == expected)
  }

  @Test(
    "a device that refuses a repeated command may still carry out the first: then only a result shows success"
  )
  func repeated() {
    #expect(answer([.error(4)], isRepeated: true) == nil)
    #expect(answer([.error(4), .state(3), .state(4)], isRepeated: true) == .unclear)
    #expect(answer([.error(4), .state(3), .state(4), Self.url], isRepeated: true) == .joined(url: "x"))
    #expect(answer([.state(3), .state(4)], isRepeated: true) == .joined(url: nil))
  }
}
