import Model
import Source
import YAML

extension ManifestDecoder {
  /// The outermost scope: `defaults`, and the keys of `defaults` that are also allowed at the top.
  mutating func topScope(_ fields: Fields, _ networks: [String: Network]) -> RoomScope {
    let vocabulary = vocabulary
    var top = Fields(head: fields.head)
    for key in Vocabulary.topDefaults {
      if let entry = fields.entry(key) { top.add(entry) }
    }
    if let node = fields["defaults"], !node.isNull,
      let inner = self.fields(
        of: node, "`defaults`", known: Vocabulary.defaults + vocabulary.shareableSettings,
        elsewhere: { key in
          vocabulary.isKeyOfRooms(key)
            ? (
              .misplacedKey, "`\(key)` cannot be under `defaults`",
              "rooms cannot share it: give it to each room"
            ) : nil
        })
    {
      for entry in inner.all {
        if let first = top.entry(entry.key) {
          error(
            .duplicateKey, "`\(entry.key)` is at the top of the manifest, too", at: entry.keyRange,
            notes: [.init("there", at: first.keyRange)], advice: "keep one of them")
        }
        top.add(entry)
      }
    }
    var own = defaults(top, networks)
    if own.profile == nil {
      own.profile = ChosenProfile(family: families.all.first.flatMap { vocabulary.shared[$0.id] })
    }
    return RoomScope(own: own, defaults: own)
  }

  mutating func defaults(_ fields: Fields, _ networks: [String: Network]) -> RoomDefaults {
    var defaults = RoomDefaults()
    if let node = fields["profile"] { defaults.profile = ChosenProfile(family: profile(node)) }
    if let entry = fields.entry("wifi") {
      defaults.wifi = choice(entry.value, of: networks) ?? .invalid
      if case .network? = defaults.wifi { defaults.wifiKey = entry.keyRange }
    }
    if let entry = fields.entry("proof") {
      defaults.proof = proofAddress(entry.value)
      defaults.proofKey = entry.keyRange
    }
    if let entry = fields.entry("wifi_check") {
      defaults.checksWiFi = checksWiFi(entry.value)
      defaults.wifiCheckKey = entry.keyRange
    }
    if let node = fields["retries"] {
      defaults.retries = integer(node, "retries", in: ManifestLimits.retries)
    }
    if let node = fields["timeouts"] { defaults.timeouts = timeouts(node) }
    takeBeacon(fields, into: &defaults.beacon)
    defaults.settings = sharedSettings(fields)
    return defaults
  }

  /// Decodes a floor or a group with its rooms.
  /// - Parameters:
  ///   - key: `floor` or `group`, the key of the scope's name.
  ///   - outer: The index of the enclosing scope.
  mutating func scope(
    _ node: YAMLNode, _ key: String, in outer: Int, _ networks: [String: Network], _ drafts: inout RoomDrafts
  ) {
    let vocabulary = vocabulary
    let known = (key == "floor" ? Vocabulary.floor : Vocabulary.group) + vocabulary.shareableSettings
    guard
      let fields = fields(
        of: node, "a \(key)", known: known,
        elsewhere: { other in
          vocabulary.isKeyOfRooms(other)
            ? (.misplacedKey, "`\(other)` cannot be in a \(key)", "give it to each room") : nil
        })
    else { return }
    let around = scopes[outer]
    let own = defaults(fields, networks)
    var scope = RoomScope(outer: outer, own: own, defaults: own.over(around.defaults), floor: around.floor)
    scope.tags = around.tags
    if let name = name(fields, key) {
      if key == "floor" {
        scope.floor = name
      } else {
        scope.group = name
        scope.tags.append(name)
      }
    }
    scope.tags += tags(fields)
    let number = scopes.count
    scopes.append(scope)
    guard fields["rooms"] != nil || fields["rooms_from"] != nil || fields["groups"] != nil else {
      error(
        .noRooms, "a \(key) without rooms", at: fields.head,
        advice: "list them under `rooms`, or name a table: rooms_from: …")
      return
    }
    collect(fields, in: number, networks, &drafts)
  }

  private mutating func name(_ fields: Fields, _ key: String) -> String? {
    required(key, in: fields, "a \(key) without a name", advice: "give it one: \(key): …")
      .flatMap { label($0, key) }
  }

  /// The tags of a mapping: a list, or a text with commas.
  mutating func tags(_ fields: Fields) -> [String] {
    guard let node = fields["tags"] else { return [] }
    if let text = node.text, text.utf8.contains(UInt8(ascii: ",")) {
      _ = self.text(node, "tags")
      return text.split(separator: ",").map { $0.trimmingBlanks }.filter {
        !$0.isEmpty && isText($0, "tags", of: ManifestLimits.label, at: node.range)
      }
    }
    return (node.items ?? [node]).compactMap { label($0, "tags") }
  }

  /// Decodes a short text for people, such as a floor or a tag.
  mutating func label(_ node: YAMLNode, _ key: String) -> String? {
    guard let text = plainText(node, key) else { return nil }
    return isText(text, key, of: ManifestLimits.label, at: node.range) ? text : nil
  }

  /// Warns about defaults that no room of their scope takes.
  mutating func warnOfUnusedDefaults() {
    for scope in scopes {
      // With an unknown profile the settings of its rooms are unknown too.
      guard !scope.kinds.isEmpty, scope.kinds.allSatisfy({ $0.profile != nil }) else { continue }
      warnOfUnused(scope.own, by: scope.kinds)
    }
  }

  private mutating func warnOfUnused(_ defaults: RoomDefaults, by kinds: [RoomKind]) {
    let families = families
    func takers(of name: SettingName) -> String { families.families(with: name).listed + " does" }
    func isTaken(_ name: SettingName) -> Bool { kinds.contains { $0.takes(name) } }

    if !isTaken(.wifiSSID) { warnOfUnused("wifi", at: defaults.wifiKey, takers(of: .wifiSSID)) }
    if !kinds.contains(where: \.isProvedByBeacon) {
      warnOfUnused("proof", at: defaults.proofKey, "it is for devices that a beacon proves")
    }
    if !kinds.contains(where: \.canCheckWiFi) {
      warnOfUnused("wifi_check", at: defaults.wifiCheckKey, "it is for devices that can list networks")
    }
    if !isTaken(.beaconUUID) { warnOfUnused("beacon", at: defaults.beacon.key, takers(of: .beaconUUID)) }
    for key in vocabulary.shareableSettings {
      let name = SettingName(rawValue: key)
      if !isTaken(name) { warnOfUnused(key, at: defaults.settings[key]?.entry.keyRange, takers(of: name)) }
    }
    for stage in Stage.allCases {
      guard let timeout = defaults.timeouts[stage], !kinds.contains(where: { $0.stages.contains(stage) })
      else { continue }
      warning(
        .unusedDefault, "no room here has a stage `\(stage.rawValue)`", at: timeout.keyRange,
        advice: "check `profile`, or leave it out")
    }
  }

  /// - Parameter range: The place of the key; nil when the scope does not have it.
  private mutating func warnOfUnused(_ key: String, at range: SourceRange?, _ purpose: String) {
    guard let range else { return }
    warning(
      .unusedDefault, "no room here takes `\(key)`", at: range,
      advice: "\(purpose): check `profile`, or leave it out")
  }
}

extension Substring {
  /// The text without spaces at either end.
  fileprivate var trimmingBlanks: String {
    var text = self.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
