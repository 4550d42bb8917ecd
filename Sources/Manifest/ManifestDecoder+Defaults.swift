import Families
import Model
import YAML

/// What holds for a room that does not say otherwise.
struct RoomDefaults {
  var profile: (any DeviceFamily)?
  var wifi: WiFiChoice?
  var retries = 2
  var proof = ProofAddress.own
  var timeouts: [Stage: WrittenTimeout] = [:]
  /// Settings that rooms have in common, where their profile takes them.
  var settings: [String: SharedSetting] = [:]
  /// Where `wifi` stands, when it names a network.
  var wifiKey: SourceRange?
  /// Where `proof` stands.
  var proofKey: SourceRange?
}

extension ManifestDecoder {
  mutating func defaults(_ node: YAMLNode, _ networks: [String: Network]) -> RoomDefaults {
    var defaults = RoomDefaults(profile: DeviceProfiles.all.first)
    if node.isNull { return defaults }
    guard
      let fields = fields(
        of: node, "`defaults`", known: Vocabulary.defaults + Vocabulary.shareableSettings,
        elsewhere: { key in
          Vocabulary.isKeyOfRooms(key)
            ? (
              "`\(key)` cannot stand under `defaults`", "no two rooms have it in common: give it to each room"
            )
            : nil
        })
    else { return defaults }
    if let node = fields["profile"] { defaults.profile = profile(node) }
    if let entry = fields.entries["wifi"] {
      defaults.wifi = choice(entry.value, of: networks)
      if case .network(let network)? = defaults.wifi {
        defaults.wifiKey = entry.keyRange
        if entry.value.entries != nil { check([":": network]) }
      }
    }
    if let entry = fields.entries["proof"] {
      defaults.proof = proofAddress(entry.value) ?? .own
      defaults.proofKey = entry.keyRange
    }
    if let node = fields["retries"] { defaults.retries = integer(node, "retries", in: 0...20) ?? 2 }
    if let node = fields["timeouts"] { defaults.timeouts = timeouts(node) }
    defaults.settings = sharedSettings(fields)
    return defaults
  }

  /// Says which defaults no room could take: they were meant for something.
  /// - Parameter kinds: the kinds of rooms that there are.
  mutating func warnOfUnused(_ defaults: RoomDefaults, by kinds: [RoomKind]) {
    // Where a profile is not known, nobody knows what its rooms would take.
    guard !kinds.isEmpty, kinds.allSatisfy({ $0.profile != nil }) else { return }
    func takers(of name: SettingName) -> String {
      let takers: [any DeviceFamily] = DeviceProfiles.all.filter { $0.settings.contains { $0.name == name } }
      return takers.listed
    }
    func isTaken(_ name: SettingName) -> Bool { kinds.contains { $0.takes(name) } }

    if let range = defaults.wifiKey, !isTaken(.wifiSSID) {
      warning(
        "no room here takes `wifi`", at: range,
        advice: "\(takers(of: .wifiSSID)) does: check `profile`, or leave it out")
    }
    if let range = defaults.proofKey, !kinds.contains(where: \.isProvedByBeacon) {
      warning(
        "no room here takes `proof`", at: range,
        advice: "it is for devices that a beacon proves: check `profile`, or leave it out")
    }
    for key in Vocabulary.shareableSettings {
      let name = SettingName(rawValue: key)
      guard let shared = defaults.settings[key], !isTaken(name) else { continue }
      warning(
        "no room here takes `\(key)`", at: shared.entry.keyRange,
        advice: "\(takers(of: name)) does: check `profile`, or leave it out")
    }
    for stage in Stage.allCases {
      guard let timeout = defaults.timeouts[stage], !kinds.contains(where: { $0.stages.contains(stage) })
      else { continue }
      warning(
        "no room here has a stage `\(stage.rawValue)`", at: timeout.keyRange,
        advice: "check `profile`, or leave it out")
    }
  }
}
