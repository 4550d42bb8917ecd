import Families
import Manifest
import Model
import Testing

/// A random generator with a sequence that depends only on its seed (SplitMix64).
struct Chance: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

@Suite("Passwords in findings")
struct SecrecyTests {
  /// The words of the passwords below; no other text contains them.
  private static let words = ["correct", "horse", "lake", "mountain", "boats", "pier", "zebra7", "quux99"]

  private static let manifest = """
    building: Harbour House
    wifi:
      guests: { ssid: "Harbour Guests", password: "correct horse" }
      staff:
        ssid: Harbour Staff
        password: lake-and-mountains
      plant:
        ssid: Plant
        password: |
          7-boats-at-the-pier
      office:
        ssid: Office
        password:
          env: WIFI_OFFICE
      vault: { ssid: Vault, password: { prompt: true } }
      cellar: { ssid: Cellar, password: { file: quux99quux99 } }
      attic: { ssid: Attic, password: { command: [pass, "correct horse"] } }
    defaults:
      wifi: staff
      profile: robo-sensor
      uuid: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6
      major: 1
      interval: 500ms
    rooms:
      - room: Lobby
        minor: 101
        address: C4:7C:8D:00:00:01
        wifi: { ssid: Inline, password: 'zebra7zebra7' }
      - { room: Bar, minor: 102, address: C4:7C:8D:00:00:02, wifi: { ssid: Bar, password: quux99quux99 } }
      - { room: Spa, minor: 103, address: C4:7C:8D:00:00:03 }
      - { room: Stair, profile: iot-design-shop, minor: 1, power: low, address: C4:7C:8D:00:00:04 }
      - room: Roof
        profile: iot-design-shop
        register: true
        minor: 2

    """

  private func leak(in text: String) -> String? {
    let shown = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn).rendered
    return Self.words.contains { shown.contains($0) } ? shown : nil
  }

  @Test(
    "a password in a wrong place is in no finding",
    arguments: [
      "wifi: correct-horse", "wifi: { correct-horse }", "wifi: { guests: correct-horse }",
      "wifi: { guests: [correct-horse] }", "wifi: { guests: { ssid: G, correct-horse } }",
      "wifi: { guests: { ssid: G, pasword: correct-horse } }",
      "wifi: { guests: { ssid: G, psk: correct-horse } }",
      "wifi: { guests: { ssid: G, PASSWORD: correct-horse } }", "wifi: { password: correct-horse }",
      "wifi: { guests: { ssid: correct-horse, password: correct-horse }, x: y }",
      "wifi: { guests: { ssid: G, password: correct-horse, password: lake-and-mountains } }",
      "wifi: { guests: { ssid: G, password: { a: correct-horse } } }",
      "wifi: { guests: { ssid: G, password: [correct-horse] } }",
      "wifi: { guests: { ssid: G, password: !correct horse } }",
      "wifi: { guests: { ssid: G, password: *correct-horse } }",
      "wifi: { guests: { ssid: G, password: &correct horse } }",
      "wifi: { guests: { ssid: G, password: @correct-horse } }",
      "wifi: { guests: { ssid: G, password: \"correct\\qhorse\" } }",
      "wifi: { guests: { ssid: G, password: correct: horse } }",
      "wifi: { guests: { ssid: G, password: horse # correct\n } }",
      "wifi: { guests: { ssid: G, password: &p correct-horse }, correct: *p }",
      "defaults: { wifi: correct-horse }", "defaults: { password: correct-horse }",
      "password: correct-horse", "passphrase: correct-horse", "defaults: { profile: { a: correct-horse } }",
      "wifi:\n  a:\n    password: |\n      room: correct\n      horse\n    ssid: [",
      "wifi:\n  a:\n    password: \"\n      room: correct\n      horse\n    ssid: x",
      "wifi:\n  a:\n    ssid: X\n\tpassword: correct-horse", "wifi:\n  a:\n  \tpassword: correct-horse",
      "wifi:\n  a:\n    ssid: X password: correct-horse",
      "wifi:\n  a:\n    ssid: X passwort correct-horse\n    x: y",
      "wifi:\n  a:\n    ssid: X\n    password: correct-horse\u{7}",
      "defaults:\n  profile: robo-sensor\n    password correct-horse",
      "defaults:\n  uuid: X\n    password correct-horse", "defaults:\n  power: low password: correct-horse",
      "rooms: [{ room: R, register: true, wifi: { ssid: G, password: correct-horse } }]",
      "rooms: [{ room: R, profile: iot-design-shop, password: correct-horse }]",
      "rooms: [{ room: R, profile: iot-design-shop, wifi: correct-horse }]",
      "rooms: [{ room: R, register: true, wifi: correct-horse }]",
      "wifi: { guests: { ssid: G, password: { env: correct-horse } } }",
      "wifi: { guests: { ssid: G, password: { env: correct_horse } } }",
      "wifi: { guests: { ssid: correct-horse, password: { env: correct-horse } } }",
      "wifi: { guests: { ssid: G, password: { env: [correct-horse], file: correct-horse } } }",
      "wifi: { guests: { ssid: G, password: { file: correct-horse, command: correct-horse } } }",
      "wifi: { guests: { ssid: G, password: { command: correct-horse } } }",
      "wifi: { guests: { ssid: G, password: { command: [correct-horse, []] } } }",
      "wifi: { guests: { ssid: G, password: { prompt: correct-horse } } }",
      "wifi: { guests: { ssid: G, password: { correct-horse } } }",
      "wifi: { guests: { ssid: G, password: { correct-horse: X, env: X } } }",
      "wifi: { guests: { ssid: G, password: \"${correct-horse}\" } }",
      "wifi: { guests: { ssid: G, password: <correct-horse> } }",
      "wifi: { guests: { ssid: G, password: change-me-correct-horse } }",
      "wifi: { guests: { ssid: G, pasword: { env: correct-horse } } }",
      "wifi:\n  a:\n    ssid: X\n    password:\n      env: correct-horse\n    x: y",
      "wifi:\n  a:\n    password:\n      env: correct-horse\n    ssid: [",
      "password: { env: correct-horse }", "defaults: { password: { env: correct-horse } }",
      "defaults: { wifi: { env: correct-horse } }", "uuid: { correct-horse: correct-horse }",
      "power: [correct-horse]", "rooms: [{ rom: password correct-horse }]",
      "rooms: [{ room: R, correct-horse: x }]",
      "wifi: { correct-horse: { ssid: G, password: correct-horse } }\nrooms: [{ room: R, wifi: corect-horse }]",
      "wifi: { guests: { ssid: correct-horse, password: { evn: X, file: correct-horse } } }",
      "wifi: { password: correct-horse }\nrooms: [{ room: correct-horse, x: y }]",
      "rooms: [{ room: correct-horse, profile: esp-idf, endpoints: correct-horse }]",
      "rooms: [{ room: correct-horse, profile: esp-idf, endpoints: { env: correct-horse } }]",
    ])
  func wrongPlace(text: String) {
    let shown = readManifest(Array((text + "\n").utf8), file: "b.yaml", families: .builtIn).rendered
    #expect(!shown.isEmpty)
    #expect(leak(in: text + "\n") == nil)
  }

  @Test("a password is in no finding of a randomly changed manifest", arguments: 0..<400)
  func mutated(seed: UInt64) {
    var chance = Chance(state: seed)
    var text = Self.manifest
    for _ in 0..<Int.random(in: 1...3, using: &chance) { text = Self.mutate(text, &chance) }
    let leak = leak(in: text)
    #expect(leak == nil, "seed \(seed):\n\(text)")
  }

  @Test("more than a quarter of the random changes of a manifest give findings")
  func effectiveMutations() {
    let wrong = (0..<400).filter { seed in
      var chance = Chance(state: UInt64(seed))
      return !readManifest(
        Array(Self.mutate(Self.manifest, &chance).utf8), file: "b.yaml", families: .builtIn
      ).diagnostics
        .isEmpty
    }
    #expect(wrong.count > 100)
  }

  private static func mutate(_ text: String, _ chance: inout Chance) -> String {
    var characters = Array(text)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let place = Int.random(in: characters.indices, using: &chance)
    let line = Int.random(in: lines.indices, using: &chance)
    switch Int.random(in: 0..<9, using: &chance) {
    case 0: characters.remove(at: place)
    case 1:
      characters.insert(Array("{}[]:,\"'#&*!|>- \t\nx\u{0}").randomElement(using: &chance) ?? "x", at: place)
    case 2: characters.swapAt(place, max(0, place - 1))
    case 3:
      lines.swapAt(line, Int.random(in: lines.indices, using: &chance))
      return lines.joined(separator: "\n")
    case 4:
      lines.remove(at: line)
      return lines.joined(separator: "\n")
    case 5:
      lines.insert(lines[line], at: line)
      return lines.joined(separator: "\n")
    case 6:
      lines[line] = "  " + lines[line]
      return lines.joined(separator: "\n")
    case 7:
      // Joins two lines.
      if line + 1 < lines.count { lines[line] += lines.remove(at: line + 1) }
      return lines.joined(separator: "\n")
    default:
      return String(text.prefix(place) + text.dropFirst(place + Int.random(in: 1...8, using: &chance)))
    }
    return String(characters)
  }
}
