import Manifest
import VirtualBuilding

/// Mutates manifests: mistakes that people make, and some that they do not.
struct ManifestMutations {
  private var random: SeededGenerator
  /// Keys with values of their type.
  private let donors: [MutableManifest.Entry]
  private let keys: [String]

  init(seed: UInt64, donors: [MutableManifest]) {
    random = SeededGenerator(seed: seed)
    self.donors = donors.flatMap(\.entries)
    keys =
      Set(self.donors.map(\.key)).sorted() + ["<<", "colour", "Rooms", "rooms-from", "passwrd", "assign", ""]
  }

  /// Makes one or more changes to a manifest.
  mutating func mutated(_ manifest: MutableManifest) -> MutableManifest {
    var manifest = manifest
    for _ in 0..<(random.chance(0.75) ? 1 : Int.random(in: 2...3, using: &random)) {
      let number = Int.random(in: 0..<manifest.count, using: &random)
      var generator = self
      manifest.change(number) { generator.change(&$0) }
      self = generator
    }
    return manifest
  }

  private mutating func change(_ value: inout MutableManifest) {
    if random.chance(0.1) {
      value = random.chance(0.5) ? .list([value]) : .mapping([.init(key: pick(keys), value: value)])
      return
    }
    switch value {
    case .scalar(let text, let isPlain):
      switch Int.random(in: 0..<10, using: &random) {
      case 0: value = .scalar(text, isPlain: !isPlain)
      case 1: value = pick(donors).value
      case 2: value = .scalar(typo(text), isPlain: isPlain)
      default: value = scalar()
      }
    case .list(var items):
      switch Int.random(in: 0..<6, using: &random) {
      case 0: items = []
      case 1: items.append(items.first ?? scalar())
      case 2: items.append(scalar())
      case 3: items.append(pick(donors).value)
      case 4: if !items.isEmpty { items.remove(at: Int.random(in: items.indices, using: &random)) }
      default:
        value = scalar()
        return
      }
      value = .list(items)
    case .mapping(var entries):
      switch Int.random(in: 0..<8, using: &random) {
      case 0: value = scalar()
      case 1, 2:
        if !entries.isEmpty { entries.remove(at: Int.random(in: entries.indices, using: &random)) }
        value = .mapping(entries)
      case 3:
        guard !entries.isEmpty else { return value = .list([]) }
        let index = Int.random(in: entries.indices, using: &random)
        entries[index].key = random.chance(0.5) ? typo(entries[index].key) : pick(keys)
        value = .mapping(entries)
      case 4, 5:
        add(pick(donors), to: &entries)
        value = .mapping(entries)
      default:
        add(.init(key: pick(keys), value: random.chance(0.5) ? scalar() : pick(donors).value), to: &entries)
        value = .mapping(entries)
      }
    }
  }

  private mutating func add(_ entry: MutableManifest.Entry, to entries: inout [MutableManifest.Entry]) {
    entries.removeAll { $0.key == entry.key }
    entries.insert(entry, at: Int.random(in: 0...entries.count, using: &random))
  }

  private mutating func pick<Item>(_ items: [Item]) -> Item {
    items[Int.random(in: items.indices, using: &random)]
  }

  private mutating func typo(_ text: String) -> String {
    guard !text.isEmpty else { return "x" }
    var characters = Array(text)
    let index = Int.random(in: characters.indices, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: characters.remove(at: index)
    case 1: characters.insert(characters[index], at: index)
    case 2: characters[index] = pick(Array("-_ 9xZé"))
    default: characters = Array(text.uppercased())
    }
    return String(characters)
  }

  private mutating func scalar() -> MutableManifest {
    .scalar(pick(Self.texts), isPlain: random.chance(0.7))
  }

  private static let texts: [String] = [
    "", "~", "null", "true", "false", "yes", "x", " ", "a,b", " , ", "none", "any", "later", "address",
    // Numbers.
    "0", "1", "-1", "-0", "2", "19", "20", "21", "255", "256", "65535", "65536", "99999999", "1234567",
    "123456789012345678", "-1234567", "012", "0x10", "1e3", "1.5", "+1", "1_000", " 1",
    // Durations.
    "1ms", "0ms", "0s", "-1s", "500ms", "501ms", "99ms", "100ms", "40955ms", "40956ms", "40s", "41s", "1s",
    "3600s",
    "3601s", "60m", "61m", "3600000ms", "3600001ms", "010s", "15 s", "15", "1h", "1000000001ms",
    // Names of values.
    "robo-sensor", "iot-design-shop", "firefly", "own_address", "any_address", "medium", "Medium", "-6 dBm",
    "- 6DBM",
    "−6", "-6", "-23", "0 dBm", "+4 dBm",
    // Addresses and other names of adapters.
    "C4:7C:8D:00:00:FE", "c4-7c-8d-00-00-fe", "C4_7C_8D_00_00_FE", "C4:7C-8D:00:00:FE", "C47C8D0000FE",
    "C4:7C:8D:00:00", "00:00:00:00:00:00", "ff:FF:ff:FF:ff:FF", "hci0", "hci255", "hci256", "hci",
    // UUIDs.
    "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6",
    "2F234454CF6D4A0FADF2F4911BA9FFA6",
    "2F234454-CF6D-4A0F-ADF2-F4911BA9FFAG", "00000000-0000-0000-0000-000000000000", "FEAA",
    // Stable names.
    "harbour-house", "-a", "a-", "a--b", "Ü", "漢", "A_b", String(repeating: "a", count: 64),
    String(repeating: "b", count: 65),
    // Lengths in characters and in bytes, and control characters.
    String(repeating: "c", count: 32), String(repeating: "c", count: 33), String(repeating: "é", count: 20),
    String(repeating: "é", count: 33), String(repeating: "漢", count: 22), String(repeating: "d", count: 100),
    String(repeating: "d", count: 101), "a\tb", "a\nb", "ab\n", "\u{85}", "a\u{7F}", "1\n", "15s\n",
    "C4:7C:8D:00:00:FE\n",
    // Passwords.
    "eight888", "seven77", "pässwör", "päss", String(repeating: "0", count: 64),
    String(repeating: "0", count: 63) + "g",
    // Sources of passwords, and placeholders for them.
    "WIFI_PASSWORD", "wifi", "1A", "${WIFI_PASSWORD}", "{{ wifi }}", "<password>", "change-me-please",
    "ChangeMe", "changement",
    // Ranges.
    "Room {1..3}", "{", "Room {3..1}", "{7,9}", "{1..2} {3..4}", "Suite {A..C}\t",
  ]
}
