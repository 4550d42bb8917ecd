import Hex
import Testing

@Suite("Hexadecimal") struct HexTests {
  @Test(
    "bytes are written as two digits each",
    arguments: [([], ""), ([0], "00"), ([0x0F, 0xA0, 0xFF], "0fa0ff")] as [([UInt8], String)])
  func bytesToText(bytes: [UInt8], text: String) {
    #expect(bytes.hex() == text)
    #expect(bytes.hex(uppercase: true) == text.uppercased())
    #expect([UInt8](hex: text) == bytes)
    #expect([UInt8](hex: text.uppercased()) == bytes)
  }

  @Test("every byte value survives writing and parsing")
  func everyByte() {
    let all = Array(UInt8.min...UInt8.max)
    #expect([UInt8](hex: all.hex()) == all)
  }

  @Test(
    "a text with other characters or an odd number of digits is refused",
    arguments: ["0", "000", "0g", "0x", " 00", "0 ", "-1", "+1", "٠٠", "é0"])
  func refusals(text: String) {
    #expect([UInt8](hex: text) == nil)
  }

  @Test(
    "numbers are padded with zeros",
    arguments: [(0, 4, "0000"), (13, 2, "0D"), (0xABC, 4, "0ABC"), (0x12345, 4, "12345")])
  func numbers(number: Int, digits: Int, text: String) {
    #expect(number.hex(digits: digits, uppercase: true) == text)
  }
}
