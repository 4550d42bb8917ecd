import Provisioning
import YAML

/// What holds for a room that does not say otherwise.
struct RoomDefaults {
  var profile: (any DeviceProfile)?
  var wifi: WiFiChoice?
  var retries = 2
  var timeouts: [Stage: Duration] = [:]
  /// Settings that rooms have in common, where their profile takes them.
  var settings: [String: YAMLNode] = [:]
}

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
    guard let fields = fields(of: root, "the manifest", known: Vocabulary.building) else { return nil }
    let name = buildingName(fields)
    let id = buildingID(fields, name: name)
    let networks = fields["wifi"].map { self.networks($0) } ?? [:]
    // Networks that no room refers to are checked too: their first use may be the day on site.
    check(networks)
    let defaults =
      fields["defaults"].map { self.defaults($0, networks) } ?? .init(profile: DeviceProfiles.all.first)
    let assignment = assignment(fields)
    let rooms = rooms(fields, networks: networks, defaults: defaults, assignment: assignment)
    guard let name, let id, let assignment else { return nil }
    return Building(id: id, name: name, assignment: assignment, rooms: rooms)
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

  private mutating func defaults(_ node: YAMLNode, _ networks: [String: Network]) -> RoomDefaults {
    var defaults = RoomDefaults(profile: DeviceProfiles.all.first)
    if node.isNull { return defaults }
    guard
      let fields = fields(of: node, "`defaults`", known: Vocabulary.defaults + Vocabulary.shareableSettings)
    else { return defaults }
    if let node = fields["profile"] { defaults.profile = profile(node) }
    if let node = fields["wifi"] {
      defaults.wifi = choice(node, of: networks)
      if node.entries != nil, case .network(let network)? = defaults.wifi { check([":": network]) }
    }
    if let node = fields["retries"] { defaults.retries = integer(node, "retries", in: 0...20) ?? 2 }
    if let node = fields["timeouts"] { defaults.timeouts = timeouts(node) }
    for key in Vocabulary.shareableSettings {
      guard let node = fields[key] else { continue }
      // Judged once, where it stands: it is good when it suits every profile that has a setting of that name.
      let descriptions = DeviceProfiles.all.flatMap(\.settings).filter { $0.name.rawValue == key }
      let isGood = Set(descriptions.map(\.kind)).count == 1 && setting(node, descriptions[0]) != nil
      if isGood { defaults.settings[key] = node }
    }
    return defaults
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

  /// Holds a value against its description; what is wrong becomes a finding, without the value.
  mutating func check(
    _ value: SettingValue, by description: SettingDescription, called key: String, at range: SourceRange
  ) -> Bool {
    guard let violation = description.violation(of: value) else { return true }
    var advice: String?
    let message: String
    switch violation {
    case .wrongType:
      message = "`\(key)` takes another kind of value"
    case .outOfRange(let number, let allowed):
      message = "`\(key)` is \(number), outside of \(allowed.lowerBound)…\(allowed.upperBound)"
    case .wrongLength(0, _):
      message = "`\(key)` is empty"
    case .wrongLength(let bytes, let allowed):
      message = "`\(key)` has \(bytes) bytes; \(allowed.lowerBound)…\(allowed.upperBound) are possible"
      if case .text(let text) = value, text.utf8.count != text.count {
        advice = "letters beyond a–z take more than one byte each in UTF-8"
      }
    case .controlCharacter:
      message = "`\(key)` contains a control character"
      advice = "a line break or a tab, perhaps from a text of several lines"
    case .reserved:
      message = "`\(key)` is a UUID that no device may be given"
      advice = "it is the factory's, or none at all: make one of your own with `uuidgen`"
    case .noChoice(let choices):
      message = "`\(key)` is none of the values there are"
      advice = "one of: " + choices.map { "\($0.name) (\($0.meaning))" }.joined(separator: ", ")
    case .outOfBounds(let duration, let allowed):
      message =
        "`\(key)` is \(duration.written), outside of \(allowed.lowerBound.written)…\(allowed.upperBound.written)"
    case .betweenSteps(let duration, let below, let above):
      message = "`\(key)` is \(duration.written), which the device cannot be told exactly"
      advice = "the nearest that it can: \(below.written) and \(above.written)"
    case .badPassword(let bytes):
      message = "`password` has \(bytes) bytes; a WiFi password has 8…63, or is a key of 64 hex digits"
      advice = "for an open network leave `password` out"
    }
    error(message, at: range, advice: advice)
    return false
  }
}
