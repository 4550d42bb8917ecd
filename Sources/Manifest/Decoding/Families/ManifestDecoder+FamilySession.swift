import Bluetooth
import Model
import Source
import YAML

/// A characteristic of a family file, with its place.
struct WrittenCharacteristic {
  var description: CharacteristicDescription
  var range: SourceRange
}

extension ManifestDecoder {
  // MARK: On air

  mutating func recognition(
    _ node: YAMLNode, _ identity: IdentityRule?, isDescribed: Bool, _ settings: FamilySettings
  ) -> [RecognitionRule] {
    guard let items = node.items, !items.isEmpty else {
      error(.wrongStructure, "`recognise` is a list of rules; the first that is met decides", at: node.range)
      return []
    }
    return items.compactMap { item in
      guard let fields = fields(of: item, "a rule", known: Vocabulary.rule),
        let node = required(
          "state", in: fields, "a rule without `state`",
          advice: "one of: \(FamilyForm.states.map(\.word).listed)"),
        let state = word(node, "state", FamilyForm.states)
      else { return nil }
      let before = errorCount
      var rule = RecognitionRule(state)
      rule.conditions = conditions(fields, identity, isDescribed: isDescribed, settings)
      if rule.conditions.isEmpty, errorCount == before {
        error(
          .badFamily, "a rule without a condition recognises every device", at: fields.head,
          advice: "add what its devices send: `name`, `service`, `service_data`, `manufacturer` or `identity`"
        )
      }
      return rule
    }
  }

  private mutating func conditions(
    _ fields: Fields, _ identity: IdentityRule?, isDescribed: Bool, _ settings: FamilySettings
  ) -> [RecognitionRule.Condition] {
    var conditions: [RecognitionRule.Condition] = []
    if let text = fields["name"].flatMap({ label($0, "name") }) { conditions.append(.name(text)) }
    if let text = fields["name_prefix"].flatMap({ label($0, "name_prefix") }) {
      conditions.append(.namePrefix(text))
    }
    if let uuid = fields["service"].flatMap({ uuid($0, "service") }) { conditions.append(.service(uuid)) }
    let starts = fields["starts"].flatMap { bytes($0, "starts") } ?? []
    if let uuid = fields["service_data"].flatMap({ uuid($0, "service_data") }) {
      conditions.append(.serviceData(uuid, startsWith: starts))
    }
    if let company = fields["manufacturer"].flatMap({ company($0) }) {
      conditions.append(.manufacturerData(company, startsWith: starts))
    }
    if let entry = fields.entry("starts"), fields["service_data"] == nil, fields["manufacturer"] == nil {
      error(
        .misplacedKey, "`starts` says how `service_data` or `manufacturer` data begins", at: entry.keyRange,
        advice: "add one of them")
    }
    if let node = fields["identity"], let word = word(node, "identity", FamilyForm.Identity.words) {
      // The error in the identity itself has been reported.
      let isFaulty = identity == nil && isDescribed
      conditions += isFaulty ? [.identity] : condition(word, identity, settings, at: node.range)
    }
    return conditions
  }

  private mutating func condition(
    _ word: FamilyForm.Identity, _ identity: IdentityRule?, _ settings: FamilySettings, at range: SourceRange
  ) -> [RecognitionRule.Condition] {
    guard let identity else {
      error(
        .badFamily, "the family describes no `identity`", at: range, advice: "describe it, or leave this out")
      return []
    }
    switch word {
    case .any: return [.identity]
    case .none: return [.noIdentity]
    case .expected:
      guard identity.expected.isEmpty else { return [.expectedIdentity] }
      error(
        .badFamily, "no part of the identity has a value from the factory", at: range,
        advice:
          "`expected` is for a beacon whose uuid and major the firmware decides: give these settings `factory`"
      )
    case .factory:
      if let value = identity.parts.first.flatMap({ settings.factory[$0.setting] }) {
        return [.identityOf(value)]
      }
      error(
        .badFamily, "the first part of the identity has no value from the factory", at: range,
        advice: "give its setting `factory`")
    }
    return []
  }

  /// Decodes where advertisements have the identity. Its settings are then on air.
  mutating func identity(_ node: YAMLNode, _ settings: inout FamilySettings) -> IdentityRule? {
    guard let fields = fields(of: node, "`identity`", known: Vocabulary.identity) else { return nil }
    guard let (place, starts, parts, trailing) = layout(fields) else { return nil }
    let before = errorCount
    var encoded: [IdentityRule.Part] = []
    for (index, (name, range, encoding)) in parts.enumerated() {
      guard let position = settings.all.firstIndex(where: { $0.name.rawValue == name }) else {
        if settings.faulty.contains(name) { return nil }
        error(.unknownValue, "there is no setting of this name", at: range, advice: known(settings))
        continue
      }
      let setting = settings.all[position]
      let isLast = index == parts.count - 1
      checkEncoding(of: setting, encoding, isLast: isLast && trailing == 0, at: range)
      if setting.isSecret { error(.badFamily, "a password cannot be on air", at: range) }
      if setting.isWritten, !setting.isRequired {
        error(
          .badFamily, "a part of the identity must not be optional", at: range, advice: "remove `optional`")
      }
      if !setting.isWritten, settings.factory[setting.name] == nil {
        error(
          .badFamily, "a part of the identity that is not written needs the factory's value", at: range,
          advice: "give its setting `factory`")
      }
      if isLast, !setting.isWritten || setting.isShareable {
        error(
          .badFamily, "the last part of the identity tells the rooms apart", at: range,
          advice: "it must be written, and not `shared`")
      }
      settings.all[position].isOnAir = true
      encoded.append(
        .init(
          fields["ibeacon"] == nil ? name : Vocabulary.beaconParts[index], setting.name, encoding,
          factory: setting.isWritten ? nil : settings.factory[setting.name]))
    }
    guard errorCount == before else { return nil }
    return IdentityRule(place, prefix: starts, parts: encoded, trailing: trailing)
  }

  private typealias Layout = (
    place: IdentityRule.Place, starts: [UInt8], parts: [(name: String, range: SourceRange, WireEncoding)],
    trailing: Int
  )

  private mutating func layout(_ fields: Fields) -> Layout? {
    let places = ["ibeacon", "manufacturer", "service_data"].filter { fields[$0] != nil }
    guard places.count == 1 else {
      return refused(
        .missingKey, "`identity` has exactly one of `ibeacon`, `manufacturer` and `service_data`",
        at: fields.head)
    }
    if let node = fields["ibeacon"] {
      for key in ["starts", "parts", "trailing"] {
        guard let entry = fields.entry(key) else { continue }
        error(.misplacedKey, "`ibeacon` decides `\(key)`", at: entry.keyRange, advice: "leave it out")
      }
      guard let names = self.fields(of: node, "`ibeacon`", known: Vocabulary.beaconParts) else { return nil }
      var parts: [(String, SourceRange, WireEncoding)] = []
      for (key, encoding) in zip(
        Vocabulary.beaconParts, [WireEncoding.uuid, .uint16(.bigEndian), .uint16(.bigEndian)])
      {
        guard
          let node = required(
            key, in: names, "`ibeacon` without `\(key)`", advice: "name the setting that it sends"),
          let name = text(node, key)
        else { return nil }
        parts.append((name, node.range, encoding))
      }
      return (.manufacturerData(company: IBeacon.company), IBeacon.prefix, parts, 1)
    }
    let starts = fields["starts"].map { bytes($0, "starts") } ?? []
    let trailing = fields["trailing"].map { integer($0, "trailing", in: 0...16) } ?? 0
    guard
      let node = required(
        "parts", in: fields, "`identity` without `parts`", advice: "its settings, each with its encoding"),
      let parts = encodings(node, "parts"), let starts, let trailing
    else { return nil }
    if let company = fields["manufacturer"].flatMap({ company($0) }) {
      return (.manufacturerData(company: company), starts, parts, trailing)
    }
    return fields["service_data"].flatMap { uuid($0, "service_data") }.map {
      (.serviceData($0), starts, parts, trailing)
    }
  }

  // MARK: Over the link

  mutating func characteristics(_ node: YAMLNode, _ settings: FamilySettings) -> [WrittenCharacteristic] {
    guard let items = node.items, !items.isEmpty else {
      error(.wrongStructure, "`characteristics` is a list, in the order of writing", at: node.range)
      return []
    }
    return items.compactMap { item in
      guard let fields = fields(of: item, "a characteristic", known: Vocabulary.characteristic) else {
        return nil
      }
      for key in ["uuid", "holds"] where fields[key] == nil {
        error(.missingKey, "a characteristic without `\(key)`", at: fields.head)
      }
      guard let node = fields["uuid"], let uuid = uuid(node, "uuid"), let holds = fields["holds"],
        let encodings = encodings(holds, "holds")
      else { return nil }
      var parts: [CharacteristicDescription.Field] = []
      for (index, (name, range, encoding)) in encodings.enumerated() {
        guard let setting = settings[name] else {
          if settings.faulty.contains(name) { continue }
          error(.unknownValue, "there is no setting of this name", at: range, advice: known(settings))
          continue
        }
        guard setting.isWritten else {
          error(
            .badFamily, "this setting has `written: false`", at: range, advice: "leave one of the two out")
          continue
        }
        checkEncoding(of: setting, encoding, isLast: index == encodings.count - 1, at: range)
        parts.append(.init(setting.name, encoding))
      }
      let title = fields["title"].flatMap { label($0, "title") }
      let isConfirmed = fields["response"].flatMap { truth($0, "response") } ?? true
      let usual = parts.compactMap { $0.setting.flatMap { settings[$0.rawValue]?.title } }.joined(
        separator: ", ")
      return WrittenCharacteristic(
        description: CharacteristicDescription(uuid, title ?? usual, parts, isConfirmed: isConfirmed),
        range: node.range)
    }
  }

  mutating func status(_ node: YAMLNode) -> StatusRule? {
    guard let fields = fields(of: node, "`status`", known: Vocabulary.status) else { return nil }
    guard let place = required("characteristic", in: fields, "`status` without `characteristic`"),
      let uuid = uuid(place, "characteristic")
    else { return nil }
    let needsReady = fields["needs_ready"].flatMap { truth($0, "needs_ready") } ?? false
    if needsReady, fields["ready"] == nil {
      error(.badFamily, "`needs_ready` without `ready`", at: fields.head, advice: "give the value of `ready`")
    }
    return StatusRule(
      uuid, ready: fields["ready"].flatMap { value($0, "ready") }, needsReady: needsReady,
      saved: fields["saved"].flatMap { value($0, "saved") },
      refusals: fields["refused"].map { node in (node.items ?? [node]).compactMap { value($0, "refused") } }
        ?? [])
  }

  mutating func save(_ node: YAMLNode) -> Procedure.SaveCommand? {
    guard let fields = fields(of: node, "`save`", known: Vocabulary.save) else { return nil }
    for key in Vocabulary.save where fields[key] == nil {
      error(.missingKey, "`save` without `\(key)`", at: fields.head)
    }
    guard let place = fields["characteristic"], let uuid = uuid(place, "characteristic"),
      let value = fields["write"].flatMap({ value($0, "write") })
    else { return nil }
    return .init(uuid, value)
  }

  // MARK: Encodings

  /// Decodes a mapping of settings and their encodings, in the order of the bytes.
  private mutating func encodings(
    _ node: YAMLNode, _ key: String
  ) -> [(name: String, range: SourceRange, WireEncoding)]? {
    guard
      let entries = entries(
        of: node, "`\(key)` is a mapping of settings and their encodings, in the order of the bytes",
        canBeEmpty: false, advice: "for example { minor: uint16_be }")
    else { return nil }
    var all: [(String, SourceRange, WireEncoding)] = []
    for entry in entries {
      show(entry.keyRange)
      guard let encoding = word(entry.value, entry.key, FamilyForm.encodings) else { return nil }
      all.append((entry.key, entry.keyRange, encoding))
    }
    return all
  }

  /// Reports an encoding that some value of a setting does not fit.
  private mutating func checkEncoding(
    of setting: SettingDescription, _ encoding: WireEncoding, isLast: Bool, at range: SourceRange
  ) {
    if encoding == .utf8, !isLast {
      error(
        .unencodableSetting, "text can only be the last part of a value", at: range,
        advice: "its end would be unknown")
    }
    if case .choice = setting.kind, encoding == .utf8 {
      error(
        .unencodableSetting, "this encoding does not hold every value of `\(setting.name)`", at: range,
        advice: "the codes of its values are numbers")
    }
    let values: [SettingValue] =
      switch setting.kind {
      case .integer(let bounds): [.integer(bounds.lowerBound), .integer(bounds.upperBound)]
      case .text: [.text("")]
      case .wifiPassword, .wifiPassphrase, .secretText, .secretBytes, .passkey: [.secret(Secret(""))]
      case .uuid: [.uuid(.zero)]
      case .choice(let choices): choices.map { .text($0.name) }
      case .duration(let bounds, _): [.duration(bounds.lowerBound), .duration(bounds.upperBound)]
      }
    if values.contains(where: { setting.encode($0, encoding) == nil }) {
      error(
        .unencodableSetting, "this encoding does not hold every value of `\(setting.name)`", at: range,
        advice: "take a larger one, or a smaller `range`")
    }
  }

  private func known(_ settings: FamilySettings) -> String {
    "the settings: \(settings.all.map(\.name.rawValue).listed)"
  }

  mutating func setting(_ node: YAMLNode, _ key: String, of settings: FamilySettings) -> SettingDescription? {
    guard let text = text(node, key) else { return nil }
    if let setting = settings[text] { return setting }
    if settings.faulty.contains(text) { return nil }
    return refused(.unknownValue, "there is no setting of this name", at: node.range, advice: known(settings))
  }
}
