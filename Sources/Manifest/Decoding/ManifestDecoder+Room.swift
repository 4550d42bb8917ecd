import Bluetooth
import Model
import Source
import YAML

/// The places of values that must be unique.
private struct Claims<Value: Hashable> {
  private var places: [Value: SourceRange]

  /// - Parameter count: The expected number of values.
  init(expecting count: Int = 0) { places = Dictionary(minimumCapacity: count) }

  /// Records a value; returns the place of an earlier equal value, or nil.
  mutating func claim(_ value: Value, _ range: SourceRange) -> SourceRange? {
    guard let first = places.updateValue(range, forKey: value) else { return nil }
    places[value] = first
    return first
  }
}

/// The places of names, compared with and without case.
private struct NameClaims {
  private var folded: [String: (name: String, range: SourceRange)]
  /// Names that differ only in case from an earlier name.
  private var others = Claims<String>()

  init(expecting count: Int) { folded = Dictionary(minimumCapacity: count) }

  /// Records a name; returns the place of an equal name, else of one that differs only in case, or nil.
  mutating func claim(_ name: String, _ range: SourceRange) -> (place: SourceRange, isSame: Bool)? {
    let lowercase = name.lowercased()
    guard let first = folded.updateValue((name, range), forKey: lowercase) else { return nil }
    folded[lowercase] = first
    if first.name == name { return (first.range, true) }
    if let same = others.claim(name, range) { return (same, true) }
    return (first.range, false)
  }
}

/// The values that must differ between rooms.
struct RoomClaims {
  fileprivate var ids: Claims<String>
  fileprivate var names: NameClaims
  fileprivate var identities: Claims<DeviceIdentity>
  fileprivate var addresses: Claims<BluetoothAddress>
  fileprivate var deviceNames: Claims<String>

  /// - Parameter count: The number of rooms.
  init(of count: Int) {
    (ids, names) = (Claims(expecting: count), NameClaims(expecting: count))
    (identities, addresses) = (Claims(expecting: count), Claims(expecting: count))
    deviceNames = Claims()
  }
}

extension ManifestDecoder {
  /// Decodes a room; nil, with findings, when something is missing.
  mutating func room(
    _ draft: RoomDraft, of kind: RoomKind, networks: [String: Network], _ policy: Building.Assignment?,
    claims: inout RoomClaims
  ) -> Room? {
    let fields = draft.fields
    let scope = scopes[draft.scope]
    let defaults = scope.defaults
    let name = roomName(fields, profile: kind.profile, claims: &claims)
    let id = roomID(fields, name: name, claims: &claims)
    let near = near(fields, of: kind)
    let deviceName = deviceName(fields, of: kind, claims: &claims)
    let isFound = kind.isRegistered || fields["near"] != nil || fields["device"] != nil
    let address = address(fields, policy: isFound ? .any : policy, claims: &claims)
    if !isFound { warnIfNeverTaken(fields, of: kind, policy) }
    if kind.isRegistered, fields["address"] == nil, let entry = fields.entry("register") {
      warning(
        .registeredWithoutAddress, "any device with this beacon counts for this room", at: entry.keyRange,
        advice: "give the `address` of its device")
    }
    var settings = plainSettings(fields, of: kind, defaults.settings)
    settings.merge(beaconSettings(fields, of: kind, defaults.beacon)) { $1 }
    claimIdentity(settings, fields, kind, &claims)
    if let name, kind.takes(.roomName) { settings[.roomName] = .text(name) }
    let network = network(fields, of: kind, networks: networks, defaults: defaults)
    if let ssid = network?.ssid?.text, let password = network?.password?.secret {
      settings[.wifiSSID] = .text(ssid)
      settings[.wifiPassword] = .secret(password)
    }
    if kind.isRegistered, let entry = fields.entry("retries") { neverWritten(entry) }
    let proofAddress = proofAddress(fields, of: kind, defaults)
    let checksWiFi = checksWiFi(fields, of: kind, defaults)
    let retries =
      fields["retries"].map { integer($0, "retries", in: ManifestLimits.retries) } ?? (defaults.retries ?? 2)
    let own = fields["timeouts"].map { self.timeouts($0, of: kind) } ?? [:]
    let floor = fields["floor"].flatMap { label($0, "floor") } ?? scope.floor
    let tags = scope.tags + self.tags(fields)
    guard let shared = kind.profile, let name, let id, let retries else { return nil }
    let profile = shared.value
    if let address { evidence.note(address, at: fields["address"]?.range) }
    if let counted = profile.countedSetting?.name, let value = settings[counted], !draft.isOfRange {
      evidence.note(value, counted, of: name, at: fields[counted.rawValue]?.range)
    }
    let access = settings.filter { name, _ in
      profile.access.contains { $0.name == name || $0.entryName(of: name) != nil }
    }
    for name in access.keys { settings[name] = nil }
    var room = Room(
      id: RoomID(rawValue: id), name: name, floor: floor, group: scope.group, tags: tags.uniqued,
      family: profile,
      address: address, deviceName: deviceName,
      near: near, isRegistered: kind.isRegistered, proofAddress: proofAddress, checksWiFi: checksWiFi,
      isNetworkHidden: network?.isHidden ?? false, settings: settings, access: access,
      timeouts: timeouts(of: profile, with: settings, defaults.timeouts.merging(own) { $1 }),
      retries: retries)
    room.sharedFamily = shared
    room.nameLabel()
    if let rule = profile.security { checkSecurity(of: access, by: rule, fields, defaults) }
    noteUnprotected(room, fields, defaults)
    if room.awaitsLabel, let entry = fields.entry("address") {
      error(
        .badSecretSource, "a room with an `address` takes no secret from a file of labels",
        at: entry.keyRange,
        advice:
          "a label has the name of its device: leave `address` out, and read the label (`roboprov capture`)")
    }
    return room
  }

  private mutating func noteUnprotected(_ room: Room, _ fields: Fields, _ defaults: RoomDefaults) {
    let isByFamily = room.access[.pairing] == nil
    switch room.pairingDemand {
    case .unneeded, .passkey: return
    case .ifAsked, .justWorks: break
    }
    // That of a built-in family is no choice of the manifest.
    guard !room.isRegistered, !isByFamily || room.family.digest != nil else { return }
    let key = SettingName.pairing.rawValue
    let entry = isByFamily ? fields.entry("profile") : fields.entry(key) ?? defaults.settings[key]?.entry
    evidence.unprotected.append(entry?.keyRange ?? fields.head)
  }

  private mutating func checkSecurity(
    of access: [SettingName: SettingValue], by rule: SecurityRule, _ fields: Fields, _ defaults: RoomDefaults
  ) {
    func entry(_ name: SettingName) -> YAMLNode.Entry? {
      fields.entry(name.rawValue) ?? defaults.settings[name.rawValue]?.entry
    }
    if rule.isContradictory(access), let lower = entry(rule.setting), let strongest = entry(rule.ofStrongest)
    {
      error(
        .contradictorySecurity, "only devices of security \(rule.strongest) have a `\(rule.ofStrongest)`",
        at: lower.keyRange, notes: [.init("the `\(rule.ofStrongest)`", at: strongest.keyRange)],
        advice: "leave `\(rule.setting)` out, or, if the device has a lower security, `\(rule.ofStrongest)`")
    }
    if rule.isGuessable(access), let secret = entry(rule.secret) {
      evidence.guessable.append((rule.secret, secret.keyRange))
    }
  }

  /// What a room's name may be. A room has a name even if its device does not take one.
  static func name(ofRoomsWith profile: DeviceFamily?) -> SettingDescription {
    profile?[.roomName]
      ?? SettingDescription(
        .roomName, "room name", .text(bytes: ManifestLimits.label), isRequired: true,
        documentation: "Name of the room.")
  }

  private mutating func roomName(
    _ fields: Fields, profile: Shared<DeviceFamily>?, claims: inout RoomClaims
  ) -> String? {
    guard let node = required("room", in: fields, "a room without a name", advice: "give it one: room: …"),
      let text = plainText(node, "room")
    else { return nil }
    let description = Self.name(ofRoomsWith: profile?.value)
    guard check(.text(text), by: description, called: "room", at: node.range) else { return nil }
    switch claims.names.claim(text, node.range) {
    case nil: break
    case (let first, isSame: true)?:
      warning(
        .duplicateRoom, "another room has the same name, \(texts.words(for: first, from: node.range))",
        at: node.range,
        notes: [.init("the first of that name", at: first)],
        advice: "give one of them another name, to distinguish them in reports and on the devices")
    case (let first, isSame: false)?:
      warning(
        .similarRoom,
        "another room's name differs only in capital letters, \(texts.words(for: first, from: node.range))",
        at: node.range, notes: [.init("the other room", at: first)], advice: "give one of them another name")
    }
    return text
  }

  private mutating func roomID(_ fields: Fields, name: String?, claims: inout RoomClaims) -> String? {
    if let node = fields["id"] {
      guard let id = slug(node) else { return nil }
      reportDuplicate(
        claims.ids.claim(id, node.range), .duplicateIdentifier, "another room has this `id`,", at: node.range)
      return id
    }
    guard let name, let range = fields["room"]?.range else { return nil }
    guard let id = Slug.make(of: name) else {
      return refused(
        .noIdentifier, "no `id` can be made from this room's name", at: range,
        advice: "give one: id: …, of a–z, 0–9 and hyphens")
    }
    if let first = claims.ids.claim(id, range) {
      let shown = presentable(id).map { ", `\($0)`" } ?? ""
      reportDuplicate(
        first, .duplicateIdentifier,
        "this room's `id`\(shown), made from its name, is also that of the room", at: range,
        advice: "give one of them an `id` of its own")
    }
    return id
  }

  /// Warns that `match: any` never assigns a device to a room whose family does not show on air whether it is
  /// provisioned. The room may still have a device on record.
  private mutating func warnIfNeverTaken(
    _ fields: Fields, of kind: RoomKind, _ policy: Building.Assignment?
  ) {
    guard policy == .any, fields["address"] == nil, let profile = kind.profile?.value, !profile.hasIdentity
    else { return }
    warning(
      .neverMatched, "`match: any` never takes \(profile.withArticle)", at: fields.head,
      advice:
        "it sends no identity on air: give its address, or the adapter next to it: "
        + "near: hci0")
  }

  /// The name of a room's device, which stands for its address.
  private mutating func deviceName(
    _ fields: Fields, of kind: RoomKind, claims: inout RoomClaims
  ) -> String? {
    guard let entry = fields.entry("device"), let name = plainText(entry.value, "device"),
      isHint(entry, fields, of: kind)
    else { return nil }
    let violation = DeviceReference.violation(ofName: name)
    guard report(violation, of: .text(name), called: "device", at: entry.value.range) else { return nil }
    reportDuplicate(
      claims.deviceNames.claim(name, entry.value.range), .duplicateAddress,
      "another room has the same `device`,", at: entry.value.range)
    return name
  }

  /// Whether a room of this kind takes a key that helps to find its device (`near`, `device`). Warns if the room has an
  /// address, which makes the key needless.
  mutating func isHint(_ entry: YAMLNode.Entry, _ fields: Fields, of kind: RoomKind) -> Bool {
    if kind.isRegistered {
      neverWritten(entry)
      return false
    }
    if let address = fields.entry("address") {
      warning(
        .redundantHint, "`\(entry.key)` has no effect in a room with an address", at: entry.keyRange,
        notes: [.init("its address", at: address.keyRange)], advice: "leave one of them out")
    }
    return true
  }

  /// Reports a value that an earlier room has, too.
  /// - Parameters:
  ///   - first: The place of the earlier one; nil if there is none.
  ///   - message: The text before the words for that place.
  private mutating func reportDuplicate(
    _ first: SourceRange?, _ code: DiagnosticCode, _ message: @autoclosure () -> String,
    at range: SourceRange, advice: String? = nil
  ) {
    guard let first else { return }
    error(
      code, "\(message()) \(texts.words(for: first, from: range))", at: range,
      notes: [.init("the first with it", at: first)], advice: advice)
  }

  private mutating func address(
    _ fields: Fields, policy: Building.Assignment?, claims: inout RoomClaims
  ) -> BluetoothAddress? {
    guard let node = fields["address"] else {
      if policy == .address, !labelsFollow {
        error(
          .missingAddress, "a room without `address`", at: fields.head,
          advice:
            "read its label with `roboprov capture`, or add the address on it, or the adapter in the room "
            + "(near: hci0). Or write at the top `match: later` to leave such rooms until their labels are read, "
            + "or `match: any` to take any device that no other room names")
      }
      return nil
    }
    guard let text = text(node, "address") else { return nil }
    if let inner = BluetoothAddress(inEUI64: text), inner.isPossible {
      return refused(
        .badAddress, "`address` is an EUI-64, which has 8 bytes", at: node.range,
        advice: "is it the device with \(inner)? That is the address without the FF:FE in its middle",
        fix: replace(node, with: inner.description)?.asking("Is \(text) the device with \(inner)?"))
    }
    guard let address = BluetoothAddress(text), address.isPossible else {
      let odd = OddCharacter(in: text) { $0.isASCII && ($0.isHexDigit || ":-_. ".contains($0)) }
      return refused(
        .badAddress, "`address` is not the address of a device", at: node.range,
        advice: Self.advice(on: text, odd),
        fix: odd.flatMap { BluetoothAddress($0.corrected) == nil ? nil : replace(node, with: $0.corrected) })
    }
    warnOfOtherMeaning(node, "address")
    reportDuplicate(
      claims.addresses.claim(address, node.range), .duplicateAddress,
      "another room has the address \(address),", at: node.range)
    return address
  }

  /// What a text lacks to be an address.
  private static func advice(on text: String, _ odd: OddCharacter?) -> String {
    if text.isInScientificNotation {
      return
        "a spreadsheet made a number of it: format the column as text there, and enter the addresses again"
    }
    let usual = "write 12 hex digits (0–9, A–F), as on the label: C4:7C:8D:00:00:01 or C47C8D000001"
    if let odd { return "\(odd.words): \(usual)" }
    let digits = text.count { $0.isASCII && $0.isHexDigit }
    let complete = 12
    guard digits > 0, digits != complete, text.allSatisfy({ !$0.isLetter || $0.isHexDigit })
    else { return usual }
    let isShort = digits < complete && text.allSatisfy(\.isNumber)
    return "it has \(digits) hex digit\(digits == 1 ? "" : "s"): \(usual)"
      + (isShort ? ". A spreadsheet drops leading zeros: format the column as text there" : "")
  }

  /// The address from which a beacon proves a room's device.
  private mutating func proofAddress(
    _ fields: Fields, of kind: RoomKind, _ defaults: RoomDefaults
  ) -> ProofAddress {
    value(
      of: "proof", fields, of: kind, isTaken: kind.isProvedByBeacon, defaults.proof, "no beacon proves it"
    ) { $0.proofAddress($1) } ?? .own
  }

  /// The value of a key that the devices of some families take, from the room or its scope; nil without one, and with
  /// an error.
  private mutating func value<Value>(
    of key: String, _ fields: Fields, of kind: RoomKind, isTaken: Bool, _ shared: Value?, _ reason: String,
    _ decode: (inout Self, YAMLNode) -> Value?
  ) -> Value? {
    guard let entry = fields.entry(key) else { return isTaken ? shared : nil }
    if isTaken { return decode(&self, entry.value) }
    if kind.isRegistered {
      neverWritten(entry)
    } else {
      error(
        .unsupportedKey, "\(kind.words) takes no `\(key)`", at: entry.keyRange,
        advice: "\(reason): leave `\(key)` out")
    }
    return nil
  }

  /// Decodes `own_address` or `any_address`; nil, with an error, otherwise.
  mutating func proofAddress(_ node: YAMLNode) -> ProofAddress? {
    let proof = word(
      node, "proof", ProofAddress.words, "`proof` is neither `own_address` nor `any_address`",
      advice: { _ in
        "`any_address`: this firmware changes its address, so a beacon from another one counts"
      })
    if proof == .any {
      warning(
        .proofFromAnyAddress, "the beacon of another device may count as the proof", at: node.range,
        advice: "use it only for firmware that is known to change its address")
    }
    return proof
  }

  /// Whether a room's device must receive its network before it is written.
  private mutating func checksWiFi(_ fields: Fields, of kind: RoomKind, _ defaults: RoomDefaults) -> Bool {
    value(
      of: "wifi_check", fields, of: kind, isTaken: kind.canCheckWiFi, defaults.checksWiFi,
      "it cannot list networks"
    ) { $0.checksWiFi($1) } ?? false
  }

  mutating func checksWiFi(_ node: YAMLNode) -> Bool? {
    truth(node, "wifi_check", "`true`: a device is only written if it receives its network")
  }

  /// Decodes `true` or `false`. Another Boolean of YAML is an error, but is understood, so that the rest is
  /// decoded as meant; nil, with an error, for any other text.
  mutating func truth(_ node: YAMLNode, _ key: String, _ advice: String) -> Bool? {
    guard let text = text(node, key) else { return nil }
    if let value = Bool(text) { return value }
    let meant = Self.meantTruth(text)
    error(
      .unknownValue, "`\(key)` is neither `true` nor `false`", at: node.range,
      advice: meant.map { "did you mean `\($0)`?" } ?? advice,
      fix: meant.map { .replace(node.range, with: String($0)) })
    return meant
  }

  /// The Boolean that a text is for other readers of YAML; nil for any other text.
  static func meantTruth(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "on", "y": true
    case "false", "no", "off", "n": false
    default: nil
    }
  }

  /// Whether a room's device was configured elsewhere, so that roboprov only looks for it.
  mutating func isRegistered(_ fields: Fields, profile: Shared<DeviceFamily>?) -> Bool {
    let advice = "`true`: the device was configured elsewhere, and is only looked for"
    guard let node = fields["register"], truth(node, "register", advice) == true else { return false }
    if let profile = profile?.value, !profile.hasIdentity {
      error(
        .unsupportedKey, "\(profile.withArticle) cannot be registered", at: node.range,
        advice: "it has no identity on air: leave `register` out and provision it")
      return false
    }
    return true
  }

  /// Reports a room with the identity on air of another room.
  private mutating func claimIdentity(
    _ settings: [SettingName: SettingValue], _ fields: Fields, _ kind: RoomKind, _ claims: inout RoomClaims
  ) {
    guard let profile = kind.profile?.value, let identity = profile.identity?.identity(of: settings) else {
      return
    }
    // Only written settings count: many devices share what their firmware advertises.
    let onAir = profile.settings.lazy.filter { $0.isOnAir && $0.isWritten }.map(\.name)
    let range = onAir.reversed().lazy.compactMap { fields[$0.rawValue]?.range }.first ?? fields.head
    guard let first = claims.identities.claim(identity, range) else { return }
    let names = Array(onAir)
    let what =
      names.count == 1
      ? "the \(names[0]) \(settings[names[0]]?.shown ?? "")" : "the same \(names.map(\.rawValue).listed)"
    reportDuplicate(first, .duplicateIdentity, "another room has \(what),", at: range)
  }

  /// Checks a password by the room's own family, which may take other ones than the description that all networks were
  /// checked by.
  private mutating func checkPassword(_ network: Network, of kind: RoomKind) {
    guard let (secret, range) = network.password, let own = kind.profile?.value[.wifiPassword],
      let general = families.setting(.wifiPassword), general.violation(of: .secret(secret)) == nil
    else { return }
    _ = check(.secret(secret), by: own, called: "password", at: range)
  }

  /// The network that the device is to join; nil without one.
  private mutating func network(
    _ fields: Fields, of kind: RoomKind, networks: [String: Network], defaults: RoomDefaults
  ) -> Network? {
    let own = fields.entry("wifi")
    var choice = defaults.wifi
    if let own { choice = self.choice(own.value, of: networks) ?? .invalid }
    guard case .network(let network)? = choice else {
      requireWiFi(fields, own, of: kind, choice)
      return nil
    }
    guard kind.takes(.wifiSSID) else {
      if let own {
        if kind.isRegistered {
          neverWritten(own)
        } else if kind.profile != nil {
          error(
            .unsupportedKey, "\(kind.words) takes no WiFi", at: own.value.range, advice: "leave `wifi` out")
        }
      }
      return nil
    }
    if network.ssid != nil { checkPassword(network, of: kind) }
    return network
  }

  /// Reports that a room has no WiFi although its family needs one. An invalid `wifi` has been reported.
  private mutating func requireWiFi(
    _ fields: Fields, _ own: YAMLNode.Entry?, of kind: RoomKind, _ choice: WiFiChoice?
  ) {
    guard kind.takes(.wifiSSID), let setting = kind.profile?.value[.wifiSSID], setting.isRequired else {
      return
    }
    if case .invalid? = choice { return }
    error(
      .missingSetting, "a room without `wifi`", at: own?.value.range ?? fields.head,
      advice: "add `wifi: …`. \(setting.purpose) It can be under `defaults` for all rooms.")
  }
}
