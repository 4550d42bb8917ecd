import Bluetooth
import Model
import Testing

/// How values are sent, decoded by other code than they are encoded by.
@Suite("encodings") struct EncodingTests {
  /// A whole number as the machine itself has it in memory.
  private static func oracle(_ bytes: [UInt8], isSigned: Bool, _ order: WireEncoding.ByteOrder) -> Int? {
    let littleEndian = order == .littleEndian ? bytes : bytes.reversed()
    let isNegative = isSigned && (littleEndian.last ?? 0) > 127
    let filled = littleEndian + [UInt8](repeating: isNegative ? 255 : 0, count: 8 - bytes.count)
    let number = filled.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    return isSigned ? Int(Int64(bitPattern: number)) : Int(exactly: number)
  }

  private static func setting(_ kind: SettingDescription.Kind) -> SettingDescription {
    SettingDescription("x", "x", kind, isRequired: true, documentation: "")
  }

  @Test(
    "whole numbers of 8 to 64 bits, signed or not, in both byte orders, decode to what was encoded; others are refused",
    arguments: 1...8, [false, true])
  func numbers(count: Int, isSigned: Bool) throws {
    let setting = Self.setting(.integer(SettingDescription.integers))
    // The powers of two, their neighbours, and the decimal bounds.
    var numbers =
      [0, 1, -1] + [SettingDescription.integers.lowerBound, SettingDescription.integers.upperBound]
    for bit in 0..<59 { numbers += [-1, 0, 1].flatMap { [1 << bit + $0, -(1 << bit) + $0] } }
    let bits = 8 * count
    let end = bits > 62 ? Int.max : (1 << (isSigned ? bits - 1 : bits)) - 1
    let possible = (isSigned ? -end - 1 : 0)...end
    for order in WireEncoding.ByteOrder.allCases {
      let encoding = WireEncoding.number(bytes: count, isSigned: isSigned, order)
      for number in numbers {
        let bytes = setting.encode(.integer(number), encoding)
        #expect((bytes != nil) == possible.contains(number), "\(number) in \(encoding)")
        guard let bytes else { continue }
        #expect(bytes.count == count && Self.oracle(bytes, isSigned: isSigned, order) == number)
        #expect(setting.decode(bytes[...], encoding) == .integer(number))
      }
      for bytes in [[UInt8](repeating: 0xFF, count: count), [0x80] + [UInt8](repeating: 0, count: count - 1)]
      {
        let number = Self.oracle(bytes, isSigned: isSigned, order)
        #expect(setting.decode(bytes[...], encoding) == number.map { .integer($0) })
      }
      #expect(setting.decode([UInt8](repeating: 1, count: count + 1)[...], encoding) == nil)
    }
  }

  @Test(
    "decimal numbers are sent as whole steps",
    arguments: [
      ("0.1", "-5", [0xCE]), ("0.1", "-0.5", [0xFB]), ("0.1", "5.0", [0x32]), ("0.5", "21.5", [0x2B]),
      ("0.00390625", "-0.00390625", [0xFF]), ("2", "-6", [0xFD]), ("0.25", "0", [0]),
    ] as [(String, String, [UInt8])])
  func decimals(step: String, number: String, bytes: [UInt8]) throws {
    let step = try #require(DecimalStep(step))
    let setting = Self.setting(.decimal(-128...127, step: step))
    let value = try #require(setting.value(number))
    #expect(setting.violation(of: value) == nil)
    let encoding = WireEncoding.number(bytes: 1, isSigned: true, .bigEndian)
    #expect(setting.encode(value, encoding) == bytes)
    #expect(setting.decode(bytes[...], encoding) == value)
  }

  @Test(
    "what is no number of whole steps is refused",
    arguments: [
      "0.05", "1e1", "+1", "01", "1.", ".5", "-", "", "1,5", "12.8", "-12.9", "1.00", "99999999999999999999",
    ])
  func noDecimals(text: String) throws {
    let setting = Self.setting(.decimal(-128...127, step: try #require(DecimalStep("0.1"))))
    #expect(setting.value(text).flatMap { setting.violation(of: $0) } != nil)
  }

  @Test(
    "a step is a decimal number above 0",
    arguments: [
      ("0.5", true), ("1", true), ("0", false), ("-1", false), ("0.0", false), ("x", false), ("1.2.3", false),
    ])
  func steps(text: String, isStep: Bool) { #expect((DecimalStep(text) != nil) == isStep) }

  @Test(
    "texts of a fixed length, after their length, and alone",
    arguments: [
      (.filled(4), "ab", [0x61, 0x62, 0, 0]), (.filled(2), "ab", [0x61, 0x62]), (.filled(1), "ab", nil),
      (.counted, "ab", [2, 0x61, 0x62]), (.counted, "", [0]), (.utf8, "ä", [0xC3, 0xA4]),
      (.counted, String(repeating: "a", count: 256), nil), (.uint8, "ab", nil),
    ] as [(WireEncoding, String, [UInt8]?)])
  func texts(encoding: WireEncoding, text: String, bytes: [UInt8]?) {
    let setting = Self.setting(.text(bytes: 0...400))
    #expect(setting.encode(.text(text), encoding) == bytes)
    if let bytes { #expect(setting.decode(bytes[...], encoding) == .text(text)) }
  }

  @Test("bytes that are no text in their encoding decode to nothing")
  func noTexts() {
    let setting = Self.setting(.text(bytes: 0...9))
    for (encoding, bytes) in [
      (.filled(3), [0x61, 0, 0x62]), (.counted, [2, 0x61]), (.counted, []), (.utf8, [0xFF]),
    ] as [(WireEncoding, [UInt8])] {
      #expect(setting.decode(bytes[...], encoding) == nil)
    }
  }

  @Test(
    "a secret of any type has the bytes of its value, and is not decoded",
    arguments: [
      (
        .integer(0...999_999), "123456", .number(bytes: 4, isSigned: false, .littleEndian),
        [0x40, 0xE2, 1, 0]
      ),
      (.text(bytes: 0...9), "a1", .utf8, [0x61, 0x31]), (.bytes(2...2), "0x0aFF", .bytes(2), [0x0A, 0xFF]),
      (.choice([SettingChoice("on", meaning: "on", code: 7)]), "on", .uint8, [7]),
      (.duration(.seconds(1)...(.seconds(9)), step: .seconds(1)), "3s", .uint8, [3]),
    ] as [(SettingDescription.Kind, String, WireEncoding, [UInt8])])
  func secrets(kind: SettingDescription.Kind, text: String, encoding: WireEncoding, bytes: [UInt8]) {
    let setting = Self.setting(.secret(kind))
    #expect(setting.isSecret && setting.value(text)?.shown == nil)
    #expect(setting.encode(.secret(Secret(text)), encoding) == bytes)
    #expect(setting.decode(bytes[...], encoding) == nil)
    #expect(setting.violation(of: .secret(Secret(text))) == nil)
    let wrong = setting.violation(of: .secret(Secret("\u{1}1234567")))
    #expect(wrong != nil && !"\(wrong as Any)".contains("1234567"))
  }

  @Test(
    "the checks of a packet are those that their names mean",
    arguments: [
      ("xor8", "31"), ("sum8", "DD"), ("crc8", "F4"), ("crc16_ccitt", "29B1"), ("crc16_xmodem", "31C3"),
      ("crc16_modbus", "4B37"), ("crc32", "CBF43926"),
    ])
  func checks(name: String, value: String) throws {
    let kind = try #require(PacketCheck.Kind(rawValue: name))
    let bytes = PacketCheck(kind, .bigEndian).bytes(of: Array("123456789".utf8))
    #expect(
      bytes.map { String($0 >> 4, radix: 16, uppercase: true) + String($0 & 15, radix: 16, uppercase: true) }
        .joined() == value)
    #expect(PacketCheck(kind, .littleEndian).bytes(of: Array("123456789".utf8)) == bytes.reversed())
  }
}
