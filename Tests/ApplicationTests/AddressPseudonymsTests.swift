import Testing

@testable import Application

@Suite("pseudonyms replace device addresses in files") struct AddressPseudonymsTests {
  private static func replaced(_ text: String, knowing known: [UInt64] = [0xC47C_8D00_00AB]) -> String {
    var pseudonyms = AddressPseudonyms()
    for address in known { pseudonyms.note(address) }
    pseudonyms.learn(Array(text.utf8))
    return String(decoding: pseudonyms.replacing(Array(text.utf8)), as: UTF8.self)
  }

  @Test(
    "a pseudonym replaces an address in each of its notations",
    arguments: [
      ("C4:7C:8D:00:00:AB", "00:00:00:00:00:01"), ("c4:7c:8d:00:00:ab", "00:00:00:00:00:01"),
      ("C4-7C-8D-00-00-AB", "00-00-00-00-00-01"), ("C47C.8D00.00AB", "0000.0000.0001"),
      ("12 C4 7C 8D 00 00 AB", "12 00 00 00 00 00 01"), ("12 C4:7C:8D:00:00:AB", "12 00:00:00:00:00:01"),
      ("C4:7c:8D:00:00:Ab.", "00:00:00:00:00:01."),
      (
        "/org/bluez/hci0/dev_C4_7C_8D_00_00_AB/service0010",
        "/org/bluez/hci0/dev_00_00_00_00_00_01/service0010"
      ),
      ("x c47c8d0000ab y", "x 000000000001 y"), ("0215c47C8D0000abff", "0215000000000001ff"),
      ("C4:7C:8D:00:00:ABC4:7C:8D:00:00:AB", "C4:7C:8D:00:00:ABC4:7C:8D:00:00:AB"),
      ("be:C4:7C:8D:00:00:AB", "be:00:00:00:00:00:01"),
      ("\"C4:7C:8D:00:00:AB\",\"02:11:22:33:44:55\"", "\"00:00:00:00:00:01\",\"00:00:00:00:00:02\""),
      ("02:11:22:33:44:55 021122334455", "00:00:00:00:00:02 000000000002"),
      // A text that looks like a pseudonym gets its own pseudonym.
      ("00:00:00:00:00:01 C4:7C:8D:00:00:AB", "00:00:00:00:00:02 00:00:00:00:00:01"),
    ])
  func forms(text: String, expected: String) {
    #expect(Self.replaced(text) == expected)
  }

  @Test(
    "text that is not an address gets no pseudonym",
    arguments: [
      "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", "2026-11-21T09:00:00.123Z", "09:00:00:12", "C4:7C:8D:00:00",
      "C4:7C-8D:00:00:AB", "123456789012", "12 34 56 78 90 12", "1234.5678.9012", "C4:7C:8D:00:00:A", "", ":",
      "C4:",
      String(repeating: "0", count: 20) + "c47c8d0000ab" + String(repeating: "0", count: 32),
    ])
  func others(text: String) {
    #expect(Self.replaced(text) == text)
  }

  @Test("pseudonyms leave all other bytes unchanged, text or not")
  func bytes() {
    var pseudonyms = AddressPseudonyms()
    pseudonyms.note(0xC47C_8D00_00AB)
    let bytes = [0xFF, 0x00] + Array("C4:7C:8D:00:00:AB".utf8) + [0xC3, 0x28]
    #expect(pseudonyms.replacing(bytes) == [0xFF, 0x00] + Array("00:00:00:00:00:01".utf8) + [0xC3, 0x28])
  }
}
