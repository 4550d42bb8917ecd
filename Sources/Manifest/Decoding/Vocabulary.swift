import Families
import Model

/// The keys of the format, and what may be shown of their values.
package enum Vocabulary {
  static let building = [
    "version", "building", "id", "include", "wifi", "adapters", "match", "profile", "retries", "timeouts",
    "beacon", "wifi_check", "defaults", "rooms", "rooms_from", "floors", "groups",
  ]
  /// Those of them that could be under `defaults` as well.
  static let topDefaults = ["profile", "retries", "timeouts", "beacon", "wifi_check"]
  /// Those of them that describe rooms.
  static let roomLists = ["rooms", "rooms_from", "floors", "groups"]
  /// Without the settings that rooms may have in common.
  static let defaults = ["profile", "wifi", "wifi_check", "beacon", "proof", "retries", "timeouts"]
  /// Without the settings of its profile.
  static let room = [
    "room", "id", "floor", "tags", "profile", "address", "near", "register", "wifi", "wifi_check", "beacon",
    "proof",
    "retries", "timeouts",
  ]
  /// Without the settings that its rooms may have in common.
  static let floor = ["floor", "tags"] + defaults + ["rooms", "rooms_from", "groups"]
  /// Without the settings that its rooms may have in common.
  static let group = ["group", "tags"] + defaults + ["rooms", "rooms_from"]
  static let network = ["ssid", "password"]
  static let passwordSources = ["env", "file", "command", "prompt"]
  static let adapter = ["address", "slots", "place"]
  /// Under `rooms_from`.
  static let table = ["file", "columns", "ignore"]
  static let beacon = ["uuid", "major"]
  static let stages = Stage.allCases.map(\.rawValue)

  /// Settings that have keys of their own making; every other setting's key is its name.
  static let settingsWithOtherKeys: Set<SettingName> = [.roomName, .wifiSSID, .wifiPassword]

  /// Every key that may be shown, also in a file that could not be read.
  static let all: Set<String> = Set(
    building + defaults + room + floor + group + network + adapter + table + beacon + stages
  ).union(DeviceProfiles.all.flatMap { settingKeys(of: $0) })

  /// The keys of rooms that a column of a table can give: those that take a single value.
  static let columns: [String] = {
    var keys = room.filter { $0 != "timeouts" && $0 != "beacon" }
    for key in DeviceProfiles.all.flatMap({ settingKeys(of: $0) }) where !keys.contains(key) {
      keys.append(key)
    }
    return keys
  }()

  /// The keys of rooms with devices of a family; of any family, where it is not known.
  static func keys(ofRoomsWith profile: (any DeviceFamily)?) -> [String] {
    profile.map { keysByProfile[$0.id] ?? room } ?? room + DeviceProfiles.all.flatMap { settingKeys(of: $0) }
  }

  private static let keysByProfile: [ProfileID: [String]] = Dictionary(
    uniqueKeysWithValues: DeviceProfiles.all.map { ($0.id, room + settingKeys(of: $0)) })

  /// The keys of settings that rooms may have in common, whatever their profile.
  static let shareableSettings: [String] = {
    let shareable = DeviceProfiles.all.flatMap(\.settings).filter { $0.isShareable && !$0.isSecret }
    var keys: [String] = []
    for key in shareable.map(\.name.rawValue) where !keys.contains(key) { keys.append(key) }
    return keys
  }()

  /// The keys whose values hold no secret and are text.
  static let openValues: Set<String> = all.subtracting([
    "wifi", "password", "defaults", "rooms", "adapters", "beacon", "timeouts", "floors", "groups", "columns",
    "ignore",
  ])

  /// The settings that are written to the devices of a profile and that they have on air: their identity.
  static let settingsOnAir: [ProfileID: [SettingName]] = Dictionary(
    uniqueKeysWithValues: DeviceProfiles.all.map {
      ($0.id, $0.settings.filter { $0.isOnAir && $0.isWritten }.map(\.name))
    })

  /// The keys of a profile's settings, in its order.
  static func settingKeys(of profile: any DeviceFamily) -> [String] {
    profile.settings.filter(isPlain).map(\.name.rawValue)
  }

  /// Whether a setting stands in a room under its own name.
  static func isPlain(_ setting: SettingDescription) -> Bool {
    !settingsWithOtherKeys.contains(setting.name) && !setting.isSecret && setting.isWritten
  }

  /// Whether it is a key that rooms have, of whatever profile.
  static func isKeyOfRooms(_ key: String) -> Bool {
    room.contains(key) || DeviceProfiles.all.contains { settingKeys(of: $0).contains(key) }
  }

  /// Whether rooms may have it in common.
  static func isShareable(_ key: String) -> Bool {
    defaults.contains(key) || shareableSettings.contains(key)
  }

  /// Whether a text has a word that speaks of a secret, misspelt or not.
  static func speaksOfSecrets(_ text: String) -> Bool { SecretWords.areSpoken(in: text) }

  /// The known key that is certainly meant: in other letters (`Rooms`, `rooms-from`), or by its former name.
  static func otherSpelling(of key: String, among known: [String]) -> String? {
    if key == "assign", known.contains("match") { return "match" }
    return self.key(spelt: key, among: known)
  }

  /// The known key that a text is, whatever its case, with hyphens or blanks for underscores.
  static func key(spelt text: String, among known: [String]) -> String? {
    guard text.utf8.count <= 40 else { return nil }
    let key = String(text.lowercased().map { $0 == "-" || $0 == " " ? "_" : $0 })
    return known.contains(key) ? key : nil
  }

  /// The known word that a misspelt one is nearest to, if it is near at all.
  package static func nearest(to word: String, of known: [String]) -> String? {
    guard word.utf8.count <= 40 else { return nil }
    let lowercase = word.lowercased()
    return known.map { ($0, distance(lowercase, $0.lowercased(), limit: 3)) }
      .filter { $0.1 <= max(1, min(3, $0.0.count / 3)) && $0.1 < $0.0.count }
      .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  /// How many insertions, deletions, replacements and swaps of neighbours lie between two words; anything above
  /// `limit` where they differ in length by more than that.
  static func distance(_ a: String, _ b: String, limit: Int) -> Int {
    let a = Array(a)
    let b = Array(b)
    guard abs(a.count - b.count) <= limit else { return limit + 1 }
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1] + [Int](repeating: 0, count: b.count)
      for j in b.indices {
        row[j + 1] = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1)
        }
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
