import Model
import Testing

@Suite("names") struct NameTests {
  /// What has a name, with texts at the limits of what it can be.
  struct Kind: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var isName: @Sendable (String) -> Bool
    var valid: [String]
    var invalid: [String]
  }

  private static func text(_ count: Int, of letter: String = "a") -> String {
    String(repeating: letter, count: count)
  }

  private static let endpoints = SettingDescription(
    "endpoints", "endpoint", .secret(.text(bytes: 0...9)), isRequired: false, reservedNames: ["prov"],
    documentation: "Data.")

  static let kinds = [
    Kind(
      testDescription: "a destination of ssh", isName: { HostDescription.isDestination($0) },
      valid: ["gw3", "GW", "gw-", "pi@gw3", "ssh://pi@gw5:2222", "[fe80::1%eth0]", text(255)],
      invalid: ["", "-x", "pi@-x", "pi@", "@gw3", "ssh://-x", "a b", "gäst", text(256)]),
    Kind(
      testDescription: "an environment variable", isName: { SecretSource.isEnvironmentName($0) },
      valid: ["A", "A2", "_", text(100, of: "A")], invalid: ["", "2A", "a", "A-", text(101, of: "A")]),
    Kind(
      testDescription: "a file", isName: { $0.isFileName }, valid: ["a", "x.", "A-1_b", text(200)],
      invalid: ["", ".x", "a/b", "ä", text(201)]),
    Kind(
      testDescription: "an entry of a mapping", isName: { endpoints.canHaveEntry($0) },
      valid: ["a", "a.b_c-9", text(32)], invalid: ["", "A", "prov", text(33)]),
    Kind(
      testDescription: "a device", isName: { DeviceReference.violation(ofName: $0) == nil },
      valid: ["A", "Büro 1", text(29)], invalid: ["", " ", "\u{200D}", "a\u{202E}", "a\n", text(30)]),
  ]

  @Test("a name has the characters and the length that its kind permits", arguments: kinds)
  func limits(kind: Kind) {
    for text in kind.valid { #expect(kind.isName(text), "\(text)") }
    for text in kind.invalid { #expect(!kind.isName(text), "\(text)") }
  }

  @Test("a blank name counts as empty")
  func blank() {
    #expect(DeviceReference.violation(ofName: " ") == .wrongLength(bytes: 0, allowed: 1...29))
  }

  @Test("an entry of a mapping is a setting of its own, which has no entries")
  func entries() {
    let entry = Self.endpoints.entry("cert")
    #expect(entry.name == "endpoints.cert" && entry.reservedNames == nil)
    #expect(Self.endpoints.entryName(of: "endpoints.cert") == "cert")
    #expect(Self.endpoints.entryName(of: "endpoints") == nil && Self.endpoints.entryName(of: "x.cert") == nil)
    #expect(entry.entryName(of: "endpoints.cert.x") == nil)
  }
}
