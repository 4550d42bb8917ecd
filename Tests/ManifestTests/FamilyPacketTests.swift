import Bluetooth
import Foundation
import Manifest
import MarkedText
import Model
import RecordedText
import Source
import Testing

/// What family files say of packets, commands, answers, locks and secrets.
@Suite("Packets and commands of family files") struct FamilyPacketTests {
  /// A family with one characteristic.
  private static func text(_ holds: String, _ more: String = "") -> String {
    """
    family: x
    title: X
    service: 9A1E0000-52AA-4B3C-9D4E-5F60718293A4
    access: any_time
    recognise: [{ state: present, name: X }]
    settings:
      name: { type: text, bytes: 1..8 }
      nr: { type: integer, range: 0..255 }
    characteristics:
      - { uuid: 9A1E0001-52AA-4B3C-9D4E-5F60718293A4, \(holds) }
    status: { characteristic: 9A1E0002-52AA-4B3C-9D4E-5F60718293A4, saved: ok }
    proof: status
    \(more)

    """
  }

  private static func read(_ text: String) -> FamilyReading {
    readFamily(Array(text.utf8), file: "x.yaml", beside: FamilyCatalogue())
  }

  private static func hex(_ bytes: [UInt8]?) -> String? {
    bytes.map { $0.map { String(format: "%02X", $0) }.joined() }
  }

  /// The bytes were computed by other programs.
  @Test(
    "a packet has its parts in order",
    arguments: [
      ("{ nr: uint8, name: utf8 }", "016162"),
      ("[ '0xA501', { name: utf8_counted, padding: 2, nr: uint16_be } ]", "A501026162" + "0000" + "0001"),
      ("[ 'SET ', { nr: uint8 }, '0x00FF', { name: utf8 } ]", "53455420" + "01" + "00FF" + "6162"),
      ("{ name: utf8_8, nr: int64_le }", "6162000000000000" + "0100000000000000"),
      ("[ '0xA5', { length: uint8, nr: uint16_be, name: utf8, check: xor8 } ]", "A5040001" + "6162" + "A3"),
      (
        "[ '0xA5', { total: uint16_le, nr: uint8, name: utf8, check: crc16_modbus_le } ]",
        "A50800016162" + "MODBUS"
      ),
      ("[ '0x01', '0x02', { name: utf8_2, check: crc16_ccitt_be }, ]", nil),
    ] as [(String, String?)])
  func packets(holds: String, hex: String?) throws {
    let reading = Self.read(Self.text("holds: \(holds)"))
    guard let hex else {
      #expect(reading.family == nil)
      return
    }
    let family = try #require(reading.family, "\(reading.rendered)")
    let values: [SettingName: SettingValue] = ["nr": .integer(1), "name": .text("ab")]
    let bytes = try #require(family.encode(family.written[0], values))
    #expect(Self.hex(bytes) == hex.replacing("MODBUS", with: "0096"))
    #expect(family.decode(family.written[0], bytes) == values)
    #expect(family.decode(family.written[0], bytes.dropLast()) != values)
    guard holds.contains("check") else { return }
    for index in bytes.indices {
      var wrong = bytes
      wrong[index] ^= 0x10
      #expect(family.decode(family.written[0], wrong).isEmpty, "byte \(index)")
    }
  }

  @Test(
    "a command has the values of settings between its constants, and nothing in them ends a text",
    arguments: [
      (#"text: "SET $nr,$name\r\n""#, "SET 1,a\"b\\\r\n"), ("text: 'A$$B $nr $name'", "A$B 1 a\"b\\"),
      (
        "json: { cmd: set, nr: $nr, args: { name: $name, on: true, n: 5, s: '5' } }",
        #"{"cmd":"set","nr":1,"args":{"name":"a\"b\\","on":true,"n":5,"s":"5"}}"#
      ),
    ])
  func commands(command: String, written: String) throws {
    let reading = Self.read(Self.text(command))
    let family = try #require(reading.family, "\(reading.rendered)")
    let values: [SettingName: SettingValue] = ["nr": .integer(1), "name": .text("a\"b\\")]
    let bytes = try #require(family.encode(family.written[0], values))
    #expect(String(decoding: bytes, as: UTF8.self) == written)
    if command.hasPrefix("json") {
      let json = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
      #expect((json?["args"] as? [String: Any])?["name"] as? String == "a\"b\\")
    }
    #expect(family.written[0].isCommand && !family.isReadable(family.written[0]))
    let parts = try #require(family.written[0].parts(of: bytes))
    #expect(Set(parts.map(\.0)) == ["nr", "name"])
  }

  @Test("a JSON answer is named by its first value, and the others are compared")
  func answers() throws {
    let reading = Self.read(
      Self.text("json: { nr: $nr, name: $name }, answer: { cmd: set, result: { ok: true, nr: $nr } }"))
    let family = try #require(reading.family, "\(reading.rendered)")
    let answer = try #require(family.written[0].answer)
    for (status, comparison) in [
      (#"{"cmd":"set","result":{"ok":true,"nr":7}}"#, .equal),
      (#"{"cmd":"set","result":{"ok":"true","nr":"7"},"x":[]}"#, .equal),
      (#"{"cmd":"set","result":{"ok":false,"nr":7}}"#, .differs), (#"{"cmd":"set"}"#, .differs),
      (#"{"cmd":"set","result":{"ok":true,"nr":8}}"#, .differs), (#"{"cmd":"get"}"#, .other), ("set", .other),
      ("[1]", .other), ("{", .other), ("", .other),
    ] as [(String, StatusPattern.Comparison)] {
      #expect(answer.compare(Array(status.utf8), ["nr": .integer(7)]) == comparison, "\(status)")
    }
  }

  @Test(
    "a packet or command that cannot be built is one finding, at its place",
    arguments: [
      ("holds: { 1️⃣name: utf8, nr: uint8 }", "", "text can only be the last part"),
      ("holds: { nr: uint8, name: 1️⃣utf8_0 }", "", "`name` is none"),
      ("holds: { nr: uint8, name: 1️⃣utf8_513 }", "", "`name` is none"),
      ("holds: { nr: uint8, 1️⃣name: utf8_7 }", "", "does not hold every value"),
      ("holds: { 1️⃣nr: int8, name: utf8 }", "", "does not hold every value"),
      ("holds: { nr: uint8, 1️⃣check: xor8, name: utf8 }", "", "a check can only be the last"),
      ("holds: { nr: uint8, name: utf8, check: 1️⃣crc7 }", "", "`check` is none"),
      ("holds: { nr: uint8, name: utf8, check: 1️⃣crc32 }", "", "`check` is none"),
      ("holds: { length: 1️⃣int8, nr: uint8, name: utf8 }", "", "`length` is none"),
      ("holds: { nr: uint8, name: utf8, padding: 1️⃣0 }", "", "outside of 1…512"),
      ("1️⃣holds: [ { padding: 504, nr: uint8, name: utf8 } ]", "", "this value can have 513 bytes"),
      ("1️⃣holds: [ { length: uint8, padding: 250, nr: uint8, name: utf8 } ]", "", "bytes after its length"),
      ("holds: 1️⃣{}", "", "`holds` is a mapping"), ("holds: [ 1️⃣'0xA' ]", "", "neither text nor bytes"),
      ("holds: { nr: uint8, 1️⃣nmae: utf8 }", "", "no setting of this name"),
      ("text: 1️⃣'$name $nr'", "", "text can only be the last part of a line"),
      ("text: 1️⃣'$nr$name'", "", "nothing between two settings"), ("text: 1️⃣'$nr $nmae'", "", "is no setting"),
      ("json: { a: $nr, b: 1️⃣$nmae }", "", "is no setting"),
      ("json: { a: $nr, b: 1️⃣[$name] }", "", "a single value"),
      ("holds: { nr: uint8, name: utf8 }, 1️⃣text: '$nr'", "", "only one of"),
      ("1️⃣title: x", "", "without `holds`"),
      ("holds: { nr: uint8, name: utf8 }, answer: { a: 1️⃣$nmae }", "", "is no setting"),
    ])
  func wrong(holds: String, more: String, message: String) throws {
    let marked = MarkedText(Self.text(holds, more))
    let reading = Self.read(marked.text)
    #expect(reading.diagnostics.count == 1 && reading.family == nil, "\(reading.rendered)")
    let finding = try #require(reading.diagnostics.first)
    #expect(finding.message.contains(message), "\(reading.rendered)")
    if !holds.hasPrefix("1️⃣title"), let mark = marked[1] {
      #expect(finding.range.start.offset == mark.offset, "\(reading.rendered)")
    }
  }

  // MARK: Secrets and locks

  private static let lock = """
    family: x
    title: X
    service: 9A1E0000-52AA-4B3C-9D4E-5F60718293A4
    access: any_time
    recognise: [{ state: present, name: X }]
    settings:
      pin: { type: integer, range: 1000..9999, secret: true }
      key: { type: bytes, bytes: 2..2, secret: true, optional: true }
      nr: { type: integer, range: -9..9 }
    unlock: { characteristic: 9A1E0003-52AA-4B3C-9D4E-5F60718293A4, service: 180A, holds: { pin: uint16_le } }
    characteristics:
      - { uuid: 9A1E0001-52AA-4B3C-9D4E-5F60718293A4, holds: { nr: int8 } }
      - { uuid: 9A1E0002-52AA-4B3C-9D4E-5F60718293A4, service: 180A, holds: { key: bytes } }
    read_first: true
    read_back: true
    proof: read_back

    """

  private static func building(_ room: String, _ file: String = Self.lock) -> ManifestReading {
    Files(files: ["x.yaml": file]).read(
      """
      building: B
      families: x.yaml
      match: later
      rooms: [{ room: Lobby, profile: x, \(room) }]

      """)
  }

  @Test("a code that only unlocks is no setting, and secrets are treated as passwords")
  func secrets() throws {
    let reading = Self.building("nr: -3, pin: 1234, key: '0x0aFF'")
    #expect(reading.rendered == "")
    let building = try #require(reading.building)
    let room = building.rooms[0]
    #expect(room.settings.keys.sorted() == ["key", "nr"] && room.access.keys.sorted() == ["pin"])
    #expect(Set(room.secrets.map { $0.reveal() }) == ["1234", "0x0aFF"])
    let content = String(decoding: reading.content, as: UTF8.self)
    #expect(!content.contains("1234") && !content.contains("0aFF"))
    #expect(room.family.services == [room.family.service, "180A"])
    #expect(room.family.hidesBytes)
    #expect(room.planned(sealedBy: nil).settings.map(\.name).sorted() == ["key", "nr"])
    let fromEnvironment = try #require(Self.building("nr: 1, pin: { env: PIN }").building).rooms[0]
    #expect(fromEnvironment.secrets.map { $0.reference?.source } == [.environment("PIN")])
    let fromLabel = try #require(Self.building("nr: 1, pin: { labels: ./l.json }").building).rooms[0]
    #expect(fromLabel.awaitsLabel)
  }

  @Test(
    "a wrong secret is a finding without the secret",
    arguments: [
      ("nr: 1, pin: 99999", "99999"), ("nr: 1, pin: 12a4", "12a4"),
      ("nr: 1, pin: 1234, key: ABCDEF", "ABCDEF"),
      ("nr: 1, pin: 1234, key: wxyz", "wxyz"),
    ])
  func wrongSecret(room: String, secret: String) {
    let reading = Self.building(room)
    #expect(reading.building == nil && reading.diagnostics.count == 1, "\(reading.rendered)")
    #expect(reading.diagnostics.first?.message.hasSuffix("is no value of its setting") == true)
    #expect(!reading.rendered.contains(secret), "\(reading.rendered)")
  }

  @Test(
    "what contradicts itself is one finding",
    arguments: [
      (
        "nr: { type: integer, range: -9..9 }", "nr: { type: integer, range: -9..9, secret: true }",
        "can be read back"
      ),
      (
        "proof: read_back",
        "proof: read_back\nsave: { characteristic: 9A1E0009-52AA-4B3C-9D4E-5F60718293A4, write: x }",
        "does not show which"
      ),
      ("holds: { pin: uint16_le }", "holds: { pin: uint16_le }, answer: ok", "an `answer` without `status`"),
      ("holds: { key: bytes }", "holds: { key: bytes }, answer: ok", "an `answer` without `status`"),
      ("uuid: 9A1E0002-", "uuid: 9A1E0003-", "also that of"),
      ("1000..9999, secret: true", "1000..9999, secret: maybe", "`secret` is neither"),
      ("range: -9..9 }", "range: -9..9, step: 2 }", "has no `step`"),
      ("type: bytes, bytes: 2..2", "type: bytes", "without `bytes`"),
      ("type: integer, range: -9..9", "type: decimal, range: -9..9, step: 0", "above 0"),
      ("type: integer, range: -9..9", "type: decimal, range: -9.5..9, step: 1", "whole steps"),
      ("type: integer, range: -9..9", "type: decimal, range: -9..9, step: 0.01", "does not hold every value"),
    ])
  func contradictions(right: String, wrong: String, message: String) throws {
    try #require(Self.lock.contains(right))
    let reading = Self.read(Self.lock.replacing(right, with: wrong))
    #expect(reading.family == nil)
    #expect(reading.diagnostics.count == 1, "\(reading.rendered)")
    #expect(reading.diagnostics.first?.message.contains(message) == true, "\(reading.rendered)")
  }

  @Test("a file with one mistake in any word gives one finding, and it is in that line")
  func oneMistake() throws {
    for path in ["battery-tag", "lamp-controller", "valve", "zephyr-wifi", "eddystone-url"] {
      let text = try String(contentsOf: projectFile("manifests/families/\(path).yaml"), encoding: .utf8)
      let lines = text.components(separatedBy: "\n")
      for (index, line) in lines.enumerated() where !line.trimmingCharacters(in: .whitespaces).hasPrefix("#")
      {
        for word in [
          "integer", "uint8", "int8", "uint16_le", "uint32_le", "utf8", "true", "text", "choice", "present",
          "range", "holds", "uuid", "type", "values", "bytes", "factory", "secret", "state", "saved", "proof",
          "settings", "characteristic",
        ] {
          guard let place = line.range(of: "\\b\(word)\\b", options: .regularExpression) else { continue }
          var wrong = lines
          wrong[index] = line.replacingCharacters(in: place, with: "qqqqqqqq")
          let reading = Self.read(wrong.joined(separator: "\n"))
          #expect(reading.diagnostics.count == 1, "\(path), line \(index + 1), \(word): \(reading.rendered)")
          #expect(reading.diagnostics.first?.range.start.line == index + 1)
        }
      }
    }
  }
}
