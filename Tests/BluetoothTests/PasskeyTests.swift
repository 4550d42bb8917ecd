import Testing

@testable import Bluetooth

@Suite("A passkey") struct PasskeyTests {
  @Test("six digits are one, whatever the first is")
  func digits() {
    for (text, number) in [("123456", 123_456), ("012345", 12_345), ("000000", 0), ("999999", 999_999)] {
      #expect(Passkey(text)?.number == UInt32(number))
    }
  }

  @Test(
    "nothing else is one",
    arguments: ["", "12345", "1234567", "12345a", " 12345", "-12345", "12 345", "１２３４５６", "12345٣"])
  func unreadable(text: String) {
    #expect(Passkey(text) == nil)
  }

  @Test("it shows in no text of it, and of nothing that contains it")
  func hidden() throws {
    let passkey = try #require(Passkey("123456"))
    var dumped = ""
    dump(Pairing.Method.passkey(passkey), to: &dumped)
    for text in ["\(passkey)", String(reflecting: passkey), "\(Pairing.Method.passkey(passkey))", dumped] {
      #expect(!text.contains("123456"), "\(text)")
    }
  }
}
