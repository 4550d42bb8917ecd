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
        // Reported once.
        if settings.faulty.insert(name).inserted {
          error(.unknownValue, "there is no setting of this name", at: range, advice: known(settings))
        }
        return nil
      }
      let setting = settings.all[position]
      let isLast = index == parts.count - 1
      checkEncoding(of: setting, encoding, isLast: isLast && trailing == 0, at: range)
      switch setting.kind {
      case .integer, .text, .bytes, .uuid: break
      case _ where setting.isSecret: error(.badFamily, "a secret cannot be on air", at: range)
      default:
        error(
          .badFamily, "a part of the identity has another type", at: range,
          advice: "it is of type `integer`, `text`, `bytes` or `uuid`")
      }
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
      return characteristic(fields, "a characteristic", "uuid", settings)
    }
  }

  mutating func unlock(_ node: YAMLNode, _ settings: FamilySettings) -> (Procedure.Unlock, SourceRange)? {
    guard let fields = fields(of: node, "`unlock`", known: Vocabulary.unlock) else { return nil }
    let isOnce = fields["once"].flatMap { truth($0, "once") } ?? false
    return characteristic(fields, "`unlock`", "characteristic", settings).map {
      (.init($0.description, isOnce: isOnce), $0.range)
    }
  }

  private mutating func characteristic(
    _ fields: Fields, _ thing: String, _ key: String, _ settings: FamilySettings
  ) -> WrittenCharacteristic? {
    guard let node = required(key, in: fields, "\(thing) without `\(key)`"), let uuid = uuid(node, key),
      let parts = contents(fields, thing, settings)
    else { return nil }
    let title = fields["title"].flatMap { label($0, "title") }
    let usual = parts.compactMap { $0.setting.flatMap { settings[$0.rawValue]?.title } }.joined(
      separator: ", ")
    return WrittenCharacteristic(
      description: CharacteristicDescription(
        uuid, of: fields["service"].flatMap { self.uuid($0, "service") }, title ?? usual, parts,
        isConfirmed: fields["response"].flatMap { truth($0, "response") } ?? true,
        answer: fields["answer"].flatMap { pattern($0, "answer", settings) }),
      range: node.range)
  }

  mutating func status(_ node: YAMLNode, _ settings: FamilySettings) -> StatusRule? {
    guard let fields = fields(of: node, "`status`", known: Vocabulary.status) else { return nil }
    guard let place = required("characteristic", in: fields, "`status` without `characteristic`"),
      let uuid = uuid(place, "characteristic")
    else { return nil }
    let needsReady = fields["needs_ready"].flatMap { truth($0, "needs_ready") } ?? false
    if needsReady, fields["ready"] == nil {
      error(.badFamily, "`needs_ready` without `ready`", at: fields.head, advice: "give the value of `ready`")
    }
    func patterns(_ key: String) -> [StatusPattern] {
      fields[key].map { node in (node.items ?? [node]).compactMap { pattern($0, key, settings) } } ?? []
    }
    return StatusRule(
      uuid, of: fields["service"].flatMap { self.uuid($0, "service") },
      ready: fields["ready"].flatMap { pattern($0, "ready", settings) }, needsReady: needsReady,
      saved: patterns("saved"), refusals: patterns("refused"))
  }

  mutating func save(_ node: YAMLNode) -> Procedure.SaveCommand? {
    guard let fields = fields(of: node, "`save`", known: Vocabulary.save) else { return nil }
    for key in ["characteristic", "write"] where fields[key] == nil {
      error(.missingKey, "`save` without `\(key)`", at: fields.head)
    }
    guard let place = fields["characteristic"], let uuid = uuid(place, "characteristic"),
      let value = fields["write"].flatMap({ value($0, "write") })
    else { return nil }
    return .init(uuid, of: fields["service"].flatMap { self.uuid($0, "service") }, value)
  }

  // MARK: Encodings

  /// Decodes the settings in an identity and their encodings, in the order of the bytes.
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
      guard let encoding = encoding(entry.value, entry.key) else { return nil }
      all.append((entry.key, entry.keyRange, encoding))
    }
    return all
  }

  mutating func encoding(_ node: YAMLNode, _ key: String) -> WireEncoding? {
    if let filled = node.text.flatMap(FamilyForm.filled) { return filled }
    return word(node, key, FamilyForm.encodings) { _ in
      "for example uint8, int16_le, uint32_be, utf8; docs/families.md has the table"
    }
  }

  /// Reports an encoding that some value of a setting does not fit.
  mutating func checkEncoding(
    of setting: SettingDescription, _ encoding: WireEncoding, isLast: Bool, at range: SourceRange
  ) {
    if encoding.isUnbounded, !isLast {
      error(
        .unencodableSetting, "text can only be the last part of a value", at: range,
        advice: "its end would be unknown: take `utf8_16` for text of 16 bytes, or `utf8_counted`")
    }
    if setting.kind.extremes.contains(where: { setting.encode($0, encoding) == nil }) {
      error(
        .unencodableSetting, "this encoding does not hold every value of `\(setting.name)`", at: range,
        advice: "take a larger one, or a smaller `range`; the codes of a choice are numbers")
    }
  }

  func known(_ settings: FamilySettings) -> String {
    "the settings: \(settings.all.map(\.name.rawValue).listed)"
  }

  mutating func setting(_ node: YAMLNode, _ key: String, of settings: FamilySettings) -> SettingDescription? {
    guard let text = text(node, key) else { return nil }
    if let setting = settings[text] { return setting }
    if settings.faulty.contains(text) { return nil }
    return refused(.unknownValue, "there is no setting of this name", at: node.range, advice: known(settings))
  }
}
