import Model
import Source
import YAML

extension ManifestDecoder {
  /// Decodes the building. The result is valid only if no error was found.
  mutating func building(_ root: YAMLNode?) -> Building? {
    let start = SourceRange(start: Mark(line: 1, column: 1), end: Mark(line: 1, column: 1))
    guard let root else {
      return refused(
        .emptyManifest, "the manifest is empty", at: start,
        advice: "it needs at least `building` and `rooms`; `roboprov init` writes one that explains every key"
      )
    }
    if isOther(root) { return nil }
    guard
      let fields = fields(of: root, "the manifest", known: Vocabulary.building, elsewhere: inTheRooms)
    else { return nil }
    checkVersion(fields)
    let hasFamilies = fields["families"].map { takeFamilies($0) } ?? true
    let name = buildingName(fields)
    let id = buildingID(fields, name: name)
    var networks = fields["wifi"].map { self.networks($0) } ?? [:]
    if let node = fields["include"] { include(node, into: &networks) }
    // Unused networks are checked too, because an installer may use one for the first time on site.
    check(networks)
    hosts = fields["hosts"].map { self.hosts($0) } ?? []
    adapters = fields["adapters"].map { self.adapters($0) } ?? []
    adapterAliases = Dictionary(
      adapters.compactMap { adapter in adapter.alias.map { ($0, adapter.reference) } },
      uniquingKeysWith: { first, _ in first })
    let policy = matchPolicy(fields)
    // What rooms can have follows from the families: an error in one is the only finding about it.
    guard hasFamilies else { return nil }
    scopes = [topScope(fields, networks)]
    let rooms = rooms(fields, networks: networks, policy)
    checkFloorsOfHosts(rooms)
    warnOfUnusedDefaults()
    warnOfSuspicious()
    guard let name, let id, let policy else { return nil }
    var building = Building(
      id: id, name: name, assignment: policy, adapters: adapters, rooms: rooms, families: families)
    building.hosts = hosts
    return building
  }

  /// Reports a file of another kind: without building and rooms, and with a key of that kind.
  private mutating func isOther(_ root: YAMLNode) -> Bool {
    let entries = root.entries ?? []
    let own = Vocabulary.roomLists + ["building"]
    if entries.contains(where: { own.contains($0.key) }) { return false }
    for (key, thing, advice) in [
      ("family", "is a family file", "name it under `families` in a manifest"),
      (
        "sensors", "is a scenario",
        "rehearse a manifest on it: roboprov apply building.yaml --simulate --scenario FILE"
      ),
    ] {
      guard let entry = entries.first(where: { $0.key == key }) else { continue }
      show(entry.keyRange)
      error(.misplacedKey, "this file \(thing), not a manifest", at: entry.keyRange, advice: advice)
      return true
    }
    return false
  }

  /// The finding for a room's key at the top of the manifest.
  private func inTheRooms(_ key: String) -> (code: DiagnosticCode, message: String, advice: String)? {
    guard vocabulary.isKeyOfRooms(key) || Vocabulary.defaults.contains(key) else { return nil }
    return (
      .misplacedKey, "`\(key)` cannot be at the top",
      vocabulary.isShareable(key)
        ? "put it under `defaults`, or into each room that needs it"
        : "put it into each room that needs it"
    )
  }

  private mutating func checkVersion(_ fields: Fields) {
    guard let node = fields["version"], let text = text(node, "version") else { return }
    if text != "1" {
      error(
        .unknownValue, "this version of roboprov reads manifests of version 1", at: node.range,
        advice: "write `version: 1`, or use a newer roboprov")
    }
  }

  private mutating func buildingName(_ fields: Fields) -> String? {
    guard
      let node = required(
        "building", in: fields, "the manifest has no `building`",
        advice: "give the building's name: building: …"),
      let text = plainText(node, "building")
    else { return nil }
    return isText(text, "building", of: ManifestLimits.buildingName, at: node.range) ? text : nil
  }

  private mutating func buildingID(_ fields: Fields, name: String?) -> String? {
    if let node = fields["id"] { return slug(node) }
    guard let name else { return nil }
    if let slug = Slug.make(of: name) { return slug }
    return refused(
      .noIdentifier, "no `id` can be made from the building's name",
      at: fields["building"]?.range ?? fields.head,
      advice: "give one: id: …, of a–z, 0–9 and hyphens")
  }

  private mutating func matchPolicy(_ fields: Fields) -> Building.Assignment? {
    guard let node = fields["match"] else { return .address }
    return word(
      node, "match", Building.Assignment.words, "`match` is neither `address`, `any` nor `later`",
      advice: { _ in nil })
  }

  /// Checks networks against the WiFi settings of the device families. Each is checked once, at its own
  /// place.
  mutating func check(_ networks: [String: Network]) {
    let ssid = families.setting(.wifiSSID)
    let password = families.setting(.wifiPassword)
    for (_, network) in networks.sorted(by: { $0.key < $1.key }) {
      if let ssid, let (text, range) = network.ssid {
        _ = check(.text(text), by: ssid, called: "ssid", at: range)
      }
      if let password, let (secret, range) = network.password {
        _ = check(.secret(secret), by: password, called: "password", at: range)
      }
    }
  }
}
