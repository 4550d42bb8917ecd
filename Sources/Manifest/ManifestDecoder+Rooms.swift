import Bluetooth
import Provisioning
import YAML

/// Where something that must be unique was first seen.
private struct Claims<Value: Hashable> {
  private var places: [Value: SourceRange] = [:]

  /// The place that has the value already; nil for whoever comes first.
  mutating func claim(_ value: Value, _ range: SourceRange) -> SourceRange? {
    if let place = places[value] { return place }
    places[value] = range
    return nil
  }
}

/// What no two rooms may have in common.
struct RoomClaims {
  fileprivate var ids = Claims<String>()
  fileprivate var names = Claims<String>()
  fileprivate var identities = Claims<Proof>()
  fileprivate var addresses = Claims<BluetoothAddress>()
}

extension ManifestDecoder {
  mutating func rooms(
    _ fields: Fields, networks: [String: Network], defaults: RoomDefaults, assignment: Building.Assignment?
  ) -> [Room] {
    guard let node = fields["rooms"] else {
      error(
        "the manifest has no `rooms`", at: fields.head, advice: "list them: rooms:, then `- room: …` for each"
      )
      return []
    }
    guard let items = node.items else {
      let message = node.isNull ? "`rooms` lists no room" : "`rooms` is a list"
      error(
        message, at: fields.entries["rooms"]?.keyRange ?? node.range,
        advice: "begin each room with `- room: …`")
      return []
    }
    if items.isEmpty { error("`rooms` lists no room", at: node.range) }
    var claims = RoomClaims()
    return items.compactMap { item in
      room(item, networks: networks, defaults: defaults, assignment: assignment, claims: &claims)
    }
  }

  private mutating func room(
    _ node: YAMLNode, networks: [String: Network], defaults: RoomDefaults, assignment: Building.Assignment?,
    claims: inout RoomClaims
  ) -> Room? {
    // Which keys a room has depends on its profile: that one is read first, and quietly.
    let written = node.entries?.first { $0.key == "profile" }?.value
    let profile = written.map { self.profile($0) } ?? defaults.profile
    guard let fields = fields(of: node, "a room", known: Vocabulary.room + Self.settingKeys(of: profile))
    else {
      return nil
    }
    let name = roomName(fields, profile: profile, claims: &claims)
    let id = roomID(fields, name: name, claims: &claims)
    let isRegistered = isRegistered(fields, profile: profile)
    let address = address(fields, assignment: isRegistered ? .any : assignment, claims: &claims)
    var settings = plainSettings(fields, profile: profile, isRegistered: isRegistered, defaults: defaults)
    claimIdentity(settings, fields, profile, &claims)
    if let name, profile?.settings.contains(where: { $0.name == .roomName }) == true {
      settings[.roomName] = .text(name)
    }
    if isRegistered {
      if let node = fields["wifi"] { neverWritten(node, "wifi") }
    } else {
      settings.merge(wifiSettings(fields, networks: networks, defaults: defaults, profile: profile)) { $1 }
    }
    let retries = fields["retries"].map { integer($0, "retries", in: 0...20) } ?? defaults.retries
    let stages = isRegistered ? [.search] : profile?.stages ?? Stage.allCases
    let own = fields["timeouts"].map { self.timeouts($0, of: stages) } ?? [:]
    guard let profile, let name, let id, let retries else { return nil }
    var timeouts = profile.timeouts(for: settings)
    for (stage, duration) in defaults.timeouts.merging(own, uniquingKeysWith: { $1 }) {
      timeouts[stage] = duration
    }
    return Room(
      id: RoomID(rawValue: id), name: name, profile: profile.id, address: address,
      isRegistered: isRegistered, settings: settings, timeouts: timeouts, retries: retries)
  }

  /// Where the profile is not known, that has been said: its rooms may have any profile's keys.
  private static func settingKeys(of profile: (any DeviceProfile)?) -> [String] {
    (profile.map { [$0] } ?? DeviceProfiles.all).flatMap { Vocabulary.settingKeys(of: $0) }
  }

  private mutating func roomName(
    _ fields: Fields, profile: (any DeviceProfile)?, claims: inout RoomClaims
  ) -> String? {
    guard let node = fields["room"] else {
      error("a room without a name", at: fields.head, advice: "give it one: room: …")
      return nil
    }
    guard let text = text(node, "room") else { return nil }
    // A family that takes no name still needs one for people.
    let description =
      profile?.settings.first { $0.name == .roomName }
      ?? SettingDescription(
        .roomName, "room name", .text(bytes: 1...64), isRequired: true, documentation: "Name of the room.")
    guard check(.text(text), by: description, called: "room", at: node.range) else { return nil }
    if let first = claims.names.claim(text, node.range) {
      findings.append(
        Diagnostic(
          .warning, "another room has the same name, on line \(first.start.line)", at: node.range,
          notes: [.init("the first of that name", at: first)],
          advice: "in reports and on the sensors nobody will tell them apart"))
    }
    return text
  }

  private mutating func roomID(_ fields: Fields, name: String?, claims: inout RoomClaims) -> String? {
    if let node = fields["id"] {
      guard let id = slug(node) else { return nil }
      if let first = claims.ids.claim(id, node.range) {
        error(
          "another room has this `id`, on line \(first.start.line)", at: node.range,
          notes: [.init("the first with it", at: first)])
      }
      return id
    }
    guard let name, let range = fields["room"]?.range else { return nil }
    guard let id = Slug.make(of: name) else {
      error(
        "no `id` can be made from this room's name", at: range,
        advice: "give one: id: …, of a–z, 0–9 and hyphens")
      return nil
    }
    if let first = claims.ids.claim(id, range) {
      let shown = presentable(id).map { ", `\($0)`" } ?? ""
      error(
        "this room's `id`\(shown), made from its name, is also that of the room on line \(first.start.line)",
        at: range, notes: [.init("the first with it", at: first)],
        advice: "give one of them an `id` of its own")
    }
    return id
  }

  private mutating func address(
    _ fields: Fields, assignment: Building.Assignment?, claims: inout RoomClaims
  ) -> BluetoothAddress? {
    guard let node = fields["address"] else {
      if assignment == .address {
        error(
          "a room without `address`", at: fields.head,
          advice:
            "give the address on its sensor's label, or write `assign: any` at the top to let such rooms "
            + "take any sensor that nobody claims")
      }
      return nil
    }
    guard let text = text(node, "address") else { return nil }
    guard let address = BluetoothAddress(text), address.rawValue != 0, address.rawValue != 0xFFFF_FFFF_FFFF
    else {
      error(
        "`address` is not the address of a device", at: node.range,
        advice: "six pairs of hex digits with colons between them: C4:7C:8D:00:00:01")
      return nil
    }
    if let first = claims.addresses.claim(address, node.range) {
      error(
        "another room has the address \(address), on line \(first.start.line)", at: node.range,
        notes: [.init("the first with it", at: first)])
    }
    return address
  }

  /// Whether a room's device was configured elsewhere, and is only looked for.
  private mutating func isRegistered(_ fields: Fields, profile: (any DeviceProfile)?) -> Bool {
    guard let node = fields["register"], let text = text(node, "register") else { return false }
    switch text {
    case "false":
      return false
    case "true":
      if let profile, !profile.hasIdentity {
        error(
          "a \(profile.title) cannot be registered", at: node.range,
          advice: "on air it does not tell which one it is; leave `register` out and have it provisioned")
      }
      return true
    default:
      error("`register` is neither `true` nor `false`", at: node.range)
      return false
    }
  }

  private mutating func neverWritten(_ node: YAMLNode, _ key: String) {
    error(
      "a registered room takes no `\(key)`", at: node.range,
      advice: "its device was configured elsewhere and is never written: leave `\(key)` out")
  }

  /// The settings that stand under their own names, in the room or for all rooms.
  private mutating func plainSettings(
    _ fields: Fields, profile: (any DeviceProfile)?, isRegistered: Bool, defaults: RoomDefaults
  ) -> [SettingName: SettingValue] {
    var settings: [SettingName: SettingValue] = [:]
    for description in profile?.settings ?? [] {
      if Vocabulary.settingsWithOtherKeys.contains(description.name) || description.isSecret { continue }
      let key = description.name.rawValue
      let own = fields[key]
      if isRegistered, !description.isOnAir {
        if let own { neverWritten(own, key) }
        continue
      }
      if let node = own {
        settings[description.name] = setting(node, description)
      } else if let node = defaults.settings[key] {
        settings[description.name] = value(node, description)
      } else if description.isRequired {
        error("a room without `\(key)`", at: fields.head, advice: description.documentation)
      }
    }
    return settings
  }

  /// No two devices may be the same on air.
  private mutating func claimIdentity(
    _ settings: [SettingName: SettingValue], _ fields: Fields, _ profile: (any DeviceProfile)?,
    _ claims: inout RoomClaims
  ) {
    guard let profile, profile.hasIdentity,
      profile.settings.allSatisfy({ !$0.isOnAir || settings[$0.name] != nil }),
      case .beacon(let identity) = profile.proof(of: settings), let range = fields["minor"]?.range,
      let first = claims.identities.claim(.beacon(identity), range)
    else { return }
    error(
      "another room has the minor \(identity.minor), on line \(first.start.line)", at: range,
      notes: [.init("the first with it", at: first)])
  }

  private mutating func wifiSettings(
    _ fields: Fields, networks: [String: Network], defaults: RoomDefaults, profile: (any DeviceProfile)?
  ) -> [SettingName: SettingValue] {
    let own = fields["wifi"]
    var choice = defaults.wifi
    if let own {
      choice = self.choice(own, of: networks)
      if own.entries != nil, case .network(let network)? = choice { check([":": network]) }
    }
    guard case .network(let network)? = choice else { return [:] }
    guard profile?.settings.contains(where: { $0.name == .wifiSSID }) == true else {
      if let own, profile != nil {
        error("this profile takes no WiFi", at: own.range, advice: "leave `wifi` out")
      }
      return [:]
    }
    guard let ssid = network.ssid?.text, let password = network.password?.secret else { return [:] }
    return [.wifiSSID: .text(ssid), .wifiPassword: .secret(password)]
  }
}
