import Model
import Testing

@Suite("forms of texts") struct TextFormatTests {
  @Test(
    "a static address is a host's in a network",
    arguments: [
      ("192.168.1.20/24", true), ("10.0.0.1/8", true), ("172.16.0.5/30", true),
      ("192.168.1.20", false), ("192.168.1.20/31", false), ("192.168.1.20/7", false),
      ("192.168.1.20/024", false),
      // The network, and its broadcast.
      ("192.168.1.0/24", false), ("192.168.1.255/24", false), ("172.16.0.4/30", false),
      ("192.168.1.256/24", false), ("192.168.1/24", false), ("192.168.01.20/24", false),
      ("0.0.0.1/24", false),
      ("127.0.0.1/24", false), ("224.0.0.1/24", false), ("192.168.1.20/24/1", false), ("", false),
      ("/", false),
      ("１92.168.1.20/24", false), ("192.168.1.-1/24", false),
    ])
  func interface(text: String, isValid: Bool) {
    #expect(TextFormat.interface.isMet(by: text) == isValid)
    #expect((IPv4Interface(text) != nil) == isValid)
  }

  @Test(
    "the mask of a static address is that of its prefix",
    arguments: [(8, "255.0.0.0"), (24, "255.255.255.0"), (30, "255.255.255.252")])
  func mask(length: Int, mask: String) throws {
    let interface = try #require(IPv4Interface("10.1.2.1/\(length)"))
    #expect(interface.mask.description == mask && interface.address.description == "10.1.2.1")
  }

  @Test(
    "a server is a name or an address, and a port",
    arguments: [
      ("mqtt.local:1883", true), ("10.1.2.3:1", true), ("a:65535", true), ("mqtt.local", false),
      (":1883", false),
      ("mqtt.local:0", false), ("mqtt.local:65536", false), ("mqtt local:1883", false),
      ("mqtt://a:1883", false),
      ("mqtt.local:1883x", false), ("bü.local:1883", false),
    ])
  func server(text: String, isValid: Bool) {
    #expect(TextFormat.server.isMet(by: text) == isValid)
  }

  @Test("the example of each form has it", arguments: TextFormat.allCases)
  func examples(format: TextFormat) {
    #expect(format.isMet(by: format.example))
    let description = SettingDescription(
      "x", "x", .text(bytes: 1...64), isRequired: false, format: format, documentation: "X.")
    #expect(description.violation(of: .text(format.example)) == nil)
    #expect(description.violation(of: .text("neither")) == .badFormat(format))
  }
}
