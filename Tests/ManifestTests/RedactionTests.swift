import Families
import Model
import Testing

@testable import Manifest

@Suite("A redacted manifest") struct RedactionTests {
  private static func redacted(_ text: String) -> String {
    ManifestReader.redacted(Array(text.utf8), file: "b.yaml", families: .builtIn)[0].text
  }

  private static let manifest = """
    building: Harbour House
    id: harbour
    wifi:
      guests: { ssid: Harbour Guests, password: correct horse }
      plant:
        ssid: Plant
        password: "a \\"quoted\\" one"
      folded:
        ssid: Folded
        password: >-
          battery
          staple
    # The old password was hunter22.
    defaults: { wifi: guests, retries: 2 }
    rooms:
      - { room: Lobby, minor: 101, address: "C4:7C:8D:00:00:01" } # key under the mat
      - room: Büro
        minor: 102
        address: C4:7C:8D:00:00:02

    """

  private static let secrets = [
    "correct horse", "quoted", "battery", "staple", "hunter22", "mat", "key under",
  ]

  @Test("redaction keeps every line and everything that is not a secret")
  func layout() {
    let text = Self.redacted(Self.manifest)
    let (before, after) = (
      Self.manifest.split(separator: "\n", omittingEmptySubsequences: false),
      text.split(
        separator: "\n", omittingEmptySubsequences: false)
    )
    #expect(before.count == after.count)
    for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
    #expect(after[3] == "  guests: { ssid: Harbour Guests, password: ••• }")
    #expect(after[6] == "    password: •••")
    #expect(after[13] == before[13])
    #expect(after[15] == "  - { room: Lobby, minor: 101, address: \"C4:7C:8D:00:00:01\" } •••")
    #expect(after[16...] == before[16...])
  }

  @Test(
    "redaction hides passwords in an invalid manifest too",
    arguments: ["rooms: [", "\t", "x: *nobody", "wifi: 3"])
  func broken(line: String) {
    let text = Self.redacted(Self.manifest + line + "\n")
    for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
    #expect(text.contains("building: Harbour House"))
  }

  @Test("redaction hides secrets in a file that is not a manifest")
  func foreign() {
    #expect(!Self.redacted("my password is correct horse").contains("correct"))
    #expect(!Self.redacted("secret: correct horse\n").contains("correct"))
    #expect(Self.redacted("") == "")
  }
}
