import Provisioning
import Testing

@Suite struct SettingTests {
  private func violation(_ name: SettingName, _ value: SettingValue) throws -> SettingViolation? {
    try #require(RoboSensor().settings.first { $0.name == name }).violation(of: value)
  }

  @Test(arguments: [0, 1, 65535]) func takesEveryMinor(number: Int) throws {
    #expect(try violation(.minor, .integer(number)) == nil)
  }

  @Test(arguments: [-1, 65536, Int.min, Int.max]) func refusesMinorsThatDoNotFit(number: Int) throws {
    #expect(try violation(.minor, .integer(number)) == .outOfRange(number, allowed: 0...65535))
  }

  @Test(
    arguments: [
      ("a", nil), (String(repeating: "x", count: 32), nil),
      ("", .wrongLength(bytes: 0, allowed: 1...32)),
      (String(repeating: "x", count: 33), .wrongLength(bytes: 33, allowed: 1...32)),
      // 11 characters, 33 bytes: what counts on air is bytes.
      (String(repeating: "漢", count: 11), .wrongLength(bytes: 33, allowed: 1...32)),
      ("a\u{0}b", .controlCharacter), ("a\nb", .controlCharacter), ("a\u{9F}b", .controlCharacter),
    ] as [(String, SettingViolation?)])
  func countsTheBytesOfAnSSID(text: String, expected: SettingViolation?) throws {
    #expect(try violation(.wifiSSID, .text(text)) == expected)
  }

  @Test(
    arguments: [
      ("", nil), ("12345678", nil), (String(repeating: "p", count: 63), nil),
      (String(repeating: "0aF", count: 21) + "9", nil),
      ("1234567", .badPassword(bytes: 7)),
      (String(repeating: "p", count: 64), .badPassword(bytes: 64)),
      (String(repeating: "0", count: 65), .badPassword(bytes: 65)),
      ("passw\u{7}ord", .controlCharacter),
    ] as [(String, SettingViolation?)])
  func takesPassphrasesKeysAndOpenNetworks(password: String, expected: SettingViolation?) throws {
    #expect(try violation(.wifiPassword, .secret(Secret(password))) == expected)
  }

  @Test func refusesAValueOfAnotherType() throws {
    #expect(try violation(.minor, .text("7")) == .wrongType)
    #expect(try violation(.wifiPassword, .text("in the clear")) == .wrongType)
  }

  @Test func aSecretShowsItselfNowhere() {
    let secret = Secret("hunter22")
    var dumped = ""
    dump(secret, to: &dumped)
    dump(SettingValue.secret(secret), to: &dumped)
    let shown = "\(secret) \(String(reflecting: secret)) \(SettingValue.secret(secret)) \(dumped)"
    #expect(!shown.contains("hunter22"))
    #expect(SettingValue.secret(secret).shown == nil)
    #expect(secret.reveal() == "hunter22")
  }

  @Test func theRedactorTakesTheLongestSecretFirst() {
    let redactor = Redactor([Secret("pass"), Secret(""), Secret("password1"), Secret("pass")])
    #expect(redactor("error: bad password1 or pass, passed") == "error: bad ••• or •••, •••ed")
    #expect(redactor("nothing here") == "nothing here")
  }

  @Test func theRedactorIsNotMisledByWhatJoinsASecret() {
    let redactor = Redactor([Secret("hunter22")])
    for text in ["hunter22\u{301}", "x\u{200D}hunter22\u{FE0F}", "\rhunter22\n", "hunter22hunter22"] {
      #expect(!redactor(text).unicodeScalars.map(String.init).joined().contains("hunter22"))
    }
    #expect(redactor("hunter22\u{301}!").unicodeScalars.starts(with: "•••".unicodeScalars))
  }
}
