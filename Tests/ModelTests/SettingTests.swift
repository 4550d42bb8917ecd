import Bluetooth
import Families
import Model
import SampleFacts
import Testing

@Suite("setting values") struct SettingTests {
  private func violation(_ name: SettingName, _ value: SettingValue) throws -> SettingViolation? {
    try #require(DeviceFamily.roboSensor.settings.first { $0.name == name }).violation(of: value)
  }

  @Test("every minor from 0 to 65535 is valid", arguments: [0, 1, 65535])
  func minors(number: Int) throws {
    #expect(try violation(.minor, .integer(number)) == nil)
  }

  @Test("a minor outside 0 to 65535 is out of range", arguments: [-1, 65536, Int.min, Int.max])
  func minorOutOfRange(number: Int) throws {
    #expect(try violation(.minor, .integer(number)) == .outOfRange(number, allowed: 0...65535))
  }

  @Test(
    "an SSID has 1 to 32 bytes and no control characters",
    arguments: [
      ("a", nil), (String(repeating: "x", count: 32), nil),
      ("", .wrongLength(bytes: 0, allowed: 1...32)),
      (String(repeating: "x", count: 33), .wrongLength(bytes: 33, allowed: 1...32)),
      // 11 characters, 33 bytes: the limit is in bytes.
      (String(repeating: "漢", count: 11), .wrongLength(bytes: 33, allowed: 1...32)),
      ("a\u{0}b", .controlCharacter), ("a\nb", .controlCharacter), ("a\u{9F}b", .controlCharacter),
    ] as [(String, SettingViolation?)])
  func ssid(text: String, expected: SettingViolation?) throws {
    #expect(try violation(.wifiSSID, .text(text)) == expected)
  }

  @Test(
    "a WiFi password is a passphrase, a key, or empty",
    arguments: [
      ("", nil), ("12345678", nil), (String(repeating: "p", count: 63), nil),
      (String(repeating: "0aF", count: 21) + "9", nil),
      ("1234567", .badPassword(bytes: 7)),
      (String(repeating: "p", count: 64), .badPassword(bytes: 64)),
      (String(repeating: "0", count: 65), .badPassword(bytes: 65)),
      ("passw\u{7}ord", .controlCharacter),
    ] as [(String, SettingViolation?)])
  func wifiPassword(password: String, expected: SettingViolation?) throws {
    #expect(try violation(.wifiPassword, .secret(Secret(password))) == expected)
  }

  @Test(
    "bytes are those of a text, or after `hex:` those of its digits",
    arguments: [
      ("floor plan", Array("floor plan".utf8), nil), ("hex:0A7f", [0x0A, 0x7F], nil),
      ("hex:0a 7F:00", [0x0A, 0x7F, 0], nil), ("Hex:0A7F", Array("Hex:0A7F".utf8), nil),
      ("hex: 0A", [0x0A], nil), ("hex:0A7", nil, .badHex), ("hex:0x0A", nil, .badHex),
      ("hex:0G", nil, .badHex),
      ("hex:", [], .wrongLength(bytes: 0, allowed: 1...10)),
      ("", [], .wrongLength(bytes: 0, allowed: 1...10)),
      ("hex:" + String(repeating: "00", count: 10), [UInt8](repeating: 0, count: 10), nil),
      (
        "hex:" + String(repeating: "00", count: 11), [UInt8](repeating: 0, count: 11),
        .wrongLength(bytes: 11, allowed: 1...10)
      ), ("hex:0A\n", nil, .controlCharacter),
    ] as [(String, [UInt8]?, SettingViolation?)])
  func bytes(text: String, bytes: [UInt8]?, expected: SettingViolation?) {
    let description = SettingDescription(
      "endpoints.custom-data", "endpoint", .secretBytes(1...10), isRequired: false, documentation: "A value.")
    #expect(Secret(text).bytes == bytes)
    #expect(description.violation(of: .secret(Secret(text))) == expected && description.isSecret)
  }

  @Test(
    "a passkey is six digits",
    arguments: [
      ("012345", nil), ("999999", nil), ("12345", .badPasskey), ("1234567", .badPasskey),
      ("12345a", .badPasskey), ("", .badPasskey), ("12345\n", .controlCharacter),
    ] as [(String, SettingViolation?)])
  func passkey(text: String, expected: SettingViolation?) {
    let description = SettingDescription(
      .passkey, "passkey", .passkey, isRequired: true, documentation: "The passkey.")
    #expect(description.violation(of: .secret(Secret(text))) == expected)
    #expect(description.isSecret && description.value(text) == .secret(Secret(text)))
  }

  @Test("a value of another type is rejected")
  func wrongType() throws {
    #expect(try violation(.minor, .text("7")) == .wrongType)
    #expect(try violation(.wifiPassword, .text("in the clear")) == .wrongType)
    #expect(try violation(.minor, .secret(Secret("12345678"))) == .wrongType)
  }

  @Test(
    "a WiFi passphrase is no key",
    arguments: [
      (0, nil), (7, .badPassphrase(bytes: 7)), (8, nil), (63, nil), (64, .badPassphrase(bytes: 64)),
    ] as [(Int, SettingViolation?)])
  func wifiPassphrase(count: Int, expected: SettingViolation?) throws {
    let password = try #require(DeviceFamily.espIDF[.wifiPassword])
    #expect(password.violation(of: .secret(Secret(String(repeating: "0", count: count)))) == expected)
  }

  private func beacon(_ name: SettingName) throws -> SettingDescription {
    try #require(DeviceFamily.iotDesignShop.settings.first { $0.name == name })
  }

  @Test(
    "a choice is given by its name or its meaning",
    arguments: [
      ("medium", "medium"), ("-6 dBm", "medium"), ("-6dBm", "medium"), ("-6", "medium"), ("−6 DBM", "medium"),
      ("low", "low"), ("-23 dBm", "low"), ("high", "high"), ("0 dBm", "high"),
      // 0 is the code of "low" and the dBm value of "high", so it is ambiguous.
      ("0", nil), ("1", nil), ("6", nil), ("Medium", nil), ("", nil), ("-", nil), ("dBm", nil), ("-60", nil),
    ] as [(String, String?)])
  func choice(text: String, name: String?) throws {
    let power = try beacon(.power)
    let value = try #require(power.value(text))
    if let name { #expect(value == .text(name)) }
    #expect((power.violation(of: value) == nil) == (name != nil))
  }

  @Test(
    "a UUID setting takes only the long form with hyphens",
    arguments: [
      ("2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", true), ("2f234454-cf6d-4a0f-adf2-f4911ba9ffa6", true),
      // The short forms of services, and other formats.
      ("180F", false), ("12345678", false), ("2F234454CF6D4A0FADF2F4911BA9FFA6", false),
      ("{2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6}", false), ("2F234454-CF6D-4A0F-ADF2-F4911BA9FFAG", false),
      ("", false),
    ])
  func uuidForm(text: String, isOne: Bool) throws {
    #expect((try beacon(.uuid).value(text) != nil) == isOne)
  }

  @Test(
    "the factory UUID and the zero UUID are reserved",
    arguments: ["2173E519-9155-4862-AB64-7953AB146156", "00000000-0000-0000-0000-000000000000"])
  func reservedUUIDs(text: String) throws {
    let uuid = try beacon(.uuid)
    #expect(uuid.violation(of: try #require(uuid.value(text))) == .reserved)
  }

  @Test(
    "an interval outside the limits of the radio is out of bounds",
    arguments: [
      (100, nil), (500, nil), (30_000, nil), (40_955, nil),
      (99, .milliseconds(100)...(.milliseconds(40_955))),
      (40_956, .milliseconds(100)...(.milliseconds(40_955))),
      (20, .milliseconds(100)...(.milliseconds(40_955))), (0, .milliseconds(100)...(.milliseconds(40_955))),
      (-5, .milliseconds(100)...(.milliseconds(40_955))),
    ] as [(Int, ClosedRange<Duration>?)])
  func intervalLimits(milliseconds: Int, allowed: ClosedRange<Duration>?) throws {
    let interval = Duration.milliseconds(milliseconds)
    #expect(
      try beacon(.interval).violation(of: .duration(interval))
        == allowed.map { .outOfBounds(allowed: $0) })
  }

  @Test(
    "an interval between two steps is rejected with the nearest valid ones",
    arguments: [(101, 100, 105), (104, 100, 105), (40_954, 40_950, 40_955)])
  func nearestSteps(milliseconds: Int, below: Int, above: Int) throws {
    let description = try beacon(.interval)
    let interval = Duration.milliseconds(milliseconds)
    #expect(
      description.violation(of: .duration(interval))
        == .betweenSteps(interval, below: .milliseconds(below), above: .milliseconds(above)))
    for nearest in [below, above] {
      let value = try #require(description.value("\(nearest)ms"))
      #expect(description.violation(of: value) == nil)
    }
  }

  @Test("a step of whole milliseconds stays as it is")
  func wholeStep() {
    let fade = SettingDescription(
      "fade", "fade", .duration(.zero...(.seconds(1)), step: .milliseconds(100)), isRequired: false,
      documentation: "")
    #expect(
      fade.violation(of: .duration(.milliseconds(150)))
        == .betweenSteps(.milliseconds(150), below: .milliseconds(100), above: .milliseconds(200)))
  }

  @Test(
    "a shareable setting has the same kind in every family",
    arguments: FamilyCatalogue.builtIn.all.flatMap(\.settings).filter(\.isShareable))
  func shareableSettings(setting: SettingDescription) {
    let namesakes = FamilyCatalogue.builtIn.all.flatMap(\.settings).filter {
      $0.name == setting.name && $0.isShareable
    }
    #expect(namesakes.allSatisfy { $0.kind == setting.kind })
  }

  @Test("a secret does not appear in descriptions, dumps or displayed values")
  func hiddenSecret() {
    let secret = Secret("hunter22")
    var dumped = ""
    dump(secret, to: &dumped)
    dump(SettingValue.secret(secret), to: &dumped)
    let shown = "\(secret) \(String(reflecting: secret)) \(SettingValue.secret(secret)) \(dumped)"
    #expect(!shown.contains("hunter22"))
    #expect(SettingValue.secret(secret).shown == nil)
    #expect(secret.reveal() == "hunter22")
  }

  @Test("the redactor replaces the longest secret first")
  func longestSecretFirst() {
    let redactor = Redactor([Secret("pass"), Secret(""), Secret("password1"), Secret("pass")])
    #expect(redactor("error: bad password1 or pass, passed") == "error: bad ••• or •••, •••ed")
    #expect(redactor("nothing here") == "nothing here")
  }

  @Test("combining characters around a secret do not prevent redaction")
  func combiningCharacters() {
    let redactor = Redactor([Secret("hunter22")])
    for text in ["hunter22\u{301}", "x\u{200D}hunter22\u{FE0F}", "\rhunter22\n", "hunter22hunter22"] {
      #expect(!redactor(text).unicodeScalars.map(String.init).joined().contains("hunter22"))
    }
    #expect(redactor("hunter22\u{301}!").unicodeScalars.starts(with: "•••".unicodeScalars))
  }
}

@Suite("recognition rules") struct RecognitionRuleTests {
  @Test(
    "a service identifies a family unless one of its rules wants a name, too",
    arguments: [
      ([.identity], false), ([.name("Key")], true), ([.namePrefix("Key")], true), ([], false),
    ] as [([RecognitionRule.Condition], Bool)])
  func shared(others: [RecognitionRule.Condition], isShared: Bool) {
    var family = DeviceFamily.firefly
    var rule = RecognitionRule(.present, .service(family.service))
    rule.conditions += others
    family.recognition = [rule]
    #expect(family.isServiceShared == isShared)
    family.recognition[0].conditions.removeFirst()
    #expect(!family.isServiceShared, "no rule wants the service")
  }
}

@Suite("values of characteristics") struct CharacteristicTests {
  @Test("a value has its parts in order, and zeros for what the session computes")
  func encoded() {
    func bytes(_ minor: Int?, _ fields: CharacteristicDescription.Field...) -> [UInt8]? {
      let description = CharacteristicDescription(BluetoothUUID(short: 0x1234), "test", fields)
      var values: [SettingName: SettingValue] = [.roomName: .text("Bar")]
      values[.minor] = minor.map { .integer($0) }
      return DeviceFamily.roboSensor.encode(description, values)
    }
    let (big, little) = (WireEncoding.uint16(.bigEndian), WireEncoding.uint16(.littleEndian))
    #expect(bytes(258, .init(.minor, big), .init(.minor, little)) == [1, 2, 2, 1])
    #expect(
      bytes(258, .init(nil, .uint8), .init(.minor, big), .init(nil, .uint16(.bigEndian))) == [0, 1, 2, 0, 0])
    #expect(bytes(258, .init(nil, .utf8), .init(.roomName, .utf8)) == Array("Bar".utf8))
    #expect(bytes(255, .init(.minor, .uint8)) == [255] && bytes(256, .init(.minor, .uint8)) == nil)
    #expect(bytes(65_535, .init(.minor, big)) == [255, 255] && bytes(65_536, .init(.minor, big)) == nil)
    #expect(bytes(nil, .init(.minor, big)) == nil, "a setting is missing")
  }

  @Test("a value is decoded only if it has the length of its parts, or a part of any length")
  func decoded() {
    func values(_ bytes: [UInt8], _ fields: CharacteristicDescription.Field...) -> [SettingName: SettingValue]
    {
      DeviceFamily.roboSensor.decode(
        CharacteristicDescription(BluetoothUUID(short: 0x1234), "test", fields), bytes)
    }
    let minor = CharacteristicDescription.Field(.minor, .uint16(.bigEndian))
    #expect(values([9, 1, 2], .init(nil, .uint8), minor) == [.minor: .integer(258)])
    for bytes: [UInt8] in [[], [1], [9, 1], [9, 1, 2, 3]] {
      #expect(values(bytes, .init(nil, .uint8), minor).isEmpty, "\(bytes)")
    }
    let name = CharacteristicDescription.Field(.roomName, .utf8)
    #expect(values([1, 2] + "Bar".utf8, minor, name) == [.minor: .integer(258), .roomName: .text("Bar")])
    #expect(values([1], minor, name)[.minor] == nil)
  }
}
