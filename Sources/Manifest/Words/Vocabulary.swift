package import Model

/// The keys of the format and of the settings of device families, and the keys whose values may be shown.
package struct Vocabulary: Sendable {
  static let building = [
    "version", "building", "id", "include", "families", "wifi", "hosts", "adapters", "match", "profile",
    "retries",
    "timeouts",
    "beacon", "wifi_check", "defaults", "rooms", "rooms_from", "floors", "groups",
  ]
  /// Keys at the top that are also allowed under `defaults`.
  static let topDefaults = ["profile", "retries", "timeouts", "beacon", "wifi_check"]
  /// Keys at the top that list rooms.
  static let roomLists = ["rooms", "rooms_from", "floors", "groups"]
  /// Without the settings that rooms may share.
  static let defaults = ["profile", "wifi", "wifi_check", "beacon", "proof", "retries", "timeouts"]
  /// Without the settings of the room's profile.
  static let room = [
    "room", "id", "floor", "tags", "profile", "address", "device", "near", "register", "wifi", "wifi_check",
    "beacon",
    "proof",
    "retries", "timeouts",
  ]
  /// Without the settings that rooms may share.
  static let floor = ["floor", "tags"] + defaults + ["rooms", "rooms_from", "groups"]
  /// Without the settings that rooms may share.
  static let group = ["group", "tags"] + defaults + ["rooms", "rooms_from"]
  static let network = ["ssid", "password", "hidden"]
  static let passwordSources = ["env", "file", "command", "prompt"]
  /// The sources of what is on a device's label.
  package static let labelSources = passwordSources + ["labels"]
  static let host = ["ssh", "adapters", "floors"]
  static let adapter = ["address", "slots", "place"]
  /// The keys under `rooms_from`.
  static let table = ["file", "columns", "ignore"]
  static let beacon = ["uuid", "major"]
  static let stages = Stage.allCases.map(\.rawValue)

  /// The settings whose key differs from their name.
  static let settingsWithOtherKeys: Set<SettingName> = [.roomName, .wifiSSID, .wifiPassword]

  /// The device families, whose settings are keys.
  package let families: FamilyCatalogue
  /// Every key that may be shown, also in a file that cannot be parsed.
  let all: Set<String>
  /// The keys of rooms that a table column can give: those with a single value.
  package let columns: [String]
  /// The keys of settings that rooms may share, over all families.
  package let shareableSettings: [String]
  let secretKeys: SecretKeys
  /// The keys whose value is text without a secret.
  let openValues: Set<String>
  /// The settings that number devices, over all families.
  package let counted: [SettingDescription]
  package let settingKeys: [String]
  private let keysByFamily: [FamilyID: [String]]
  /// The families for rooms, which are many and share them.
  let shared: [FamilyID: Shared<DeviceFamily>]

  package init(_ families: FamilyCatalogue) {
    self.families = families
    settingKeys = families.all.flatMap(Self.settingKeys).uniqued
    all = Set(
      Self.building + Self.defaults + Self.room + Self.floor + Self.group + Self.network + Self.host
        + Self.adapter
        + Self.table + Self.beacon + Self.stages + settingKeys)
    let secretSettings = families.all.flatMap(\.givenSettings).filter(\.isSecret)
    let secrets = secretSettings.map(\.name.rawValue)
    secretKeys = SecretKeys(
      texts: Set(secrets + ["password"]),
      mappings: Set(secretSettings.filter { $0.reservedNames != nil }.map(\.name.rawValue)))
    // A table holds no secrets: people pass tables on.
    let single = Self.room.filter { $0 != "timeouts" && $0 != "beacon" }
    columns = (single + settingKeys.filter { !secrets.contains($0) }).uniqued
    shareableSettings =
      families.all.flatMap(\.givenSettings).filter { $0.isShareable && Self.isPlain($0) }.map(\.name.rawValue)
      .uniqued
    openValues = all.subtracting([
      "wifi", "password", "defaults", "rooms", "hosts", "adapters", "beacon", "timeouts", "floors", "groups",
      "columns",
      "ignore",
    ]).subtracting(secrets)
    counted = families.all.compactMap(\.countedSetting).reduce(into: []) { counted, setting in
      if !counted.contains(where: { $0.name == setting.name }) { counted.append(setting) }
    }
    shared = Dictionary(uniqueKeysWithValues: families.all.map { ($0.id, Shared($0)) })
    keysByFamily = Dictionary(
      uniqueKeysWithValues: families.all.map { ($0.id, Self.room + Self.settingKeys(of: $0)) })
  }

  /// The keys of rooms of this family; of any family when it is unknown.
  func keys(ofRoomsWith family: FamilyID?) -> [String] {
    family.flatMap { keysByFamily[$0] } ?? Self.room + settingKeys
  }

  /// The keys of a family's settings, in its order.
  static func settingKeys(of family: DeviceFamily) -> [String] {
    family.givenSettings.filter(isPlain).map(\.name.rawValue)
  }

  /// Whether the setting's key in a room is its name.
  static func isPlain(_ setting: SettingDescription) -> Bool {
    !settingsWithOtherKeys.contains(setting.name) && setting.isWritten
  }

  func isKeyOfRooms(_ key: String) -> Bool { Self.room.contains(key) || settingKeys.contains(key) }

  /// Whether rooms may share it.
  func isShareable(_ key: String) -> Bool { Self.defaults.contains(key) || shareableSettings.contains(key) }

  /// Whether a text has a word for a secret, also a misspelt one.
  static func mentionsSecrets(_ text: String) -> Bool { SecretWords.occur(in: text) }

  /// The known key that a differently spelt one certainly means (`Rooms`, `rooms-from`), or the new name of a
  /// renamed key.
  static func otherSpelling(of key: String, among known: [String]) -> String? {
    if key == "assign", known.contains("match") { return "match" }
    return self.key(spelt: key, among: known)
  }

  /// The known key that equals the text up to case, and with hyphens or spaces as underscores.
  static func key(spelt text: String, among known: [String]) -> String? {
    let key = String(text.lowercased().map { $0 == "-" || $0 == " " ? "_" : $0 })
    return known.contains(key) ? key : nil
  }

  /// The known word with the smallest edit distance, if it is similar enough.
  package static func nearest(to word: String, of known: [String]) -> String? {
    guard word.utf8.count <= 40 else { return nil }
    let (lowercase, most) = (word.lowercased(), 3)
    return known.map { ($0, distance(lowercase, $0.lowercased(), limit: most)) }
      .filter { $0.1 <= max(1, min(most, $0.0.count / 3)) && $0.1 < $0.0.count }
      .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours between two words. Above
  /// `limit` when their lengths differ by more than `limit`.
  static func distance(_ a: String, _ b: String, limit: Int) -> Int {
    let a = Array(a)
    let b = Array(b)
    guard (a.count - b.count).magnitude <= limit else { return .max }
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var steps = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { steps = min(steps, beforeLast[j - 1] + 1) }
        row.append(steps)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}

extension [String] {
  /// The distinct elements in their order.
  var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}

struct SecretKeys {
  /// Those whose text is secret.
  let texts: Set<String>
  /// Those of mappings from names to secret texts.
  let mappings: Set<String>
}
