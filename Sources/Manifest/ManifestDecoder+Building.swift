import Families
import Model
import YAML

extension ManifestDecoder {
  /// The building. What comes of it is good only if no error was found.
  mutating func building(_ root: YAMLNode?) -> Building? {
    let start = SourceRange(start: Mark(line: 1, column: 1), end: Mark(line: 1, column: 1))
    guard let root else {
      error(
        "the manifest is empty", at: start,
        advice:
          "it needs at least `building` and `rooms`; `manifests/example-building.yaml` explains every key")
      return nil
    }
    let inTheRooms: Elsewhere = { key in
      Vocabulary.isKeyOfRooms(key) || Vocabulary.defaults.contains(key)
        ? (
          "`\(key)` cannot stand at the top",
          Vocabulary.isShareable(key)
            ? "put it under `defaults`, or into each room that it is for"
            : "put it into each room that it is for"
        ) : nil
    }
    guard let fields = fields(of: root, "the manifest", known: Vocabulary.building, elsewhere: inTheRooms)
    else { return nil }
    let name = buildingName(fields)
    let id = buildingID(fields, name: name)
    let networks = fields["wifi"].map { self.networks($0) } ?? [:]
    // Networks that no room refers to are checked too: their first use may be the day on site.
    check(networks)
    let defaults =
      fields["defaults"].map { self.defaults($0, networks) } ?? .init(profile: DeviceProfiles.all.first)
    let assignment = assignment(fields)
    let slots = fields["adapters"].map { self.slots($0) } ?? [:]
    let (rooms, kinds) = rooms(fields, networks: networks, defaults: defaults, assignment: assignment)
    warnOfUnused(defaults, by: kinds)
    guard let name, let id, let assignment else { return nil }
    return Building(id: id, name: name, assignment: assignment, slots: slots, rooms: rooms)
  }

  private mutating func buildingName(_ fields: Fields) -> String? {
    guard let node = fields["building"] else {
      error(
        "the manifest has no `building`", at: fields.head, advice: "give the building's name: building: …")
      return nil
    }
    guard let text = text(node, "building") else { return nil }
    let description = SettingDescription(
      "building", "name of the building", .text(bytes: 1...100), isRequired: true,
      documentation: "Name of the building.")
    return check(.text(text), by: description, called: "building", at: node.range) ? text : nil
  }

  private mutating func buildingID(_ fields: Fields, name: String?) -> String? {
    if let node = fields["id"] { return slug(node) }
    guard let name else { return nil }
    if let slug = Slug.make(of: name) { return slug }
    error(
      "no `id` can be made from the building's name", at: fields["building"]?.range ?? fields.head,
      advice: "give one: id: …, of a–z, 0–9 and hyphens")
    return nil
  }

  private mutating func assignment(_ fields: Fields) -> Building.Assignment? {
    guard let node = fields["assign"] else { return .address }
    guard let text = text(node, "assign") else { return nil }
    if let assignment = Building.Assignment(rawValue: text) { return assignment }
    let known = ["address", "any"]
    error(
      "`assign` is neither `address` nor `any`", at: node.range,
      advice: Vocabulary.nearest(to: text, of: known).map { "did you mean `\($0)`?" })
    return nil
  }

  /// Holds networks against the settings of every profile that takes them; each is judged once, where it stands.
  mutating func check(_ networks: [String: Network]) {
    let settings = DeviceProfiles.all.flatMap(\.settings)
    let ssid = settings.first { $0.name == .wifiSSID }
    let password = settings.first { $0.name == .wifiPassword }
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
