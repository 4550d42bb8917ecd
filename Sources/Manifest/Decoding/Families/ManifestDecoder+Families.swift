import Digest
import Hex
import Model
import Source
import YAML

/// A family that a file describes, with the places for findings.
struct DescribedFamily {
  var family: DeviceFamily
  var id: SourceRange
  /// The place of each setting's name.
  var settings: [SettingName: SourceRange]
  var recognition: SourceRange
}

extension ManifestDecoder {
  /// Decodes a family file alone.
  mutating func family(in bytes: [UInt8], file: String) -> DeviceFamily? {
    guard let document = document(texts.add(bytes, name: file)), let root = document.root,
      let described = family(root), checkAgainstOthers(described, [])
    else { return nil }
    return described.family
  }

  /// Reads the family files that a manifest names, and adds their families to those of the program.
  /// - Returns: Whether they have no error.
  mutating func takeFamilies(_ node: YAMLNode) -> Bool {
    let before = errorCount
    var described: [DescribedFamily] = []
    for node in node.items ?? [node] {
      guard let source = file(node, "families", atMost: YAMLParser.maximumBytes) else { continue }
      guard let document = document(source) else { continue }
      guard let root = document.root else {
        error(
          .wrongStructure, "the family file is empty", at: node.range,
          advice: "`roboprov schema family` describes one")
        continue
      }
      guard let family = self.family(root) else { continue }
      if checkAgainstOthers(family, described) { described.append(family) }
    }
    vocabulary = Vocabulary(FamilyCatalogue(families.all + described.map(\.family)))
    return errorCount == before
  }

  /// Decodes a family. Nil, with findings, when it has an error: with a misspelt key only that, because others follow
  /// from it.
  private mutating func family(_ root: YAMLNode) -> DescribedFamily? {
    let earlier = findings.count
    let family = wholeFamily(root)
    let own = findings[earlier...]
    let misspelt = own.filter { $0.code == .unknownKey }
    if !misspelt.isEmpty { findings.replaceSubrange(earlier..., with: misspelt) }
    return family
  }

  private mutating func wholeFamily(_ root: YAMLNode) -> DescribedFamily? {
    let before = errorCount
    guard let fields = fields(of: root, "a family file", known: Vocabulary.family) else { return nil }
    for key in ["family", "title", "service", "access", "recognise", "settings", "characteristics", "proof"]
    where fields[key] == nil {
      error(
        .missingKey, "the family has no `\(key)`", at: fields.head,
        advice: "`roboprov schema family` describes every key")
    }
    let id = fields["family"].flatMap { slug($0, "family") }
    let title = fields["title"].flatMap { label($0, "title") }
    let service = fields["service"].flatMap { uuid($0, "service") }
    let access = fields["access"].flatMap { word($0, "access", FamilyForm.access) }
    let pairing: PairingDemand? =
      fields["pairing"].map { word($0, "pairing", FamilyForm.pairings) } ?? .unneeded
    let keepsBond = fields["keeps_bond"].flatMap { truth($0, "keeps_bond") } ?? false
    if keepsBond, pairing == .unneeded, let entry = fields.entry("keeps_bond") {
      error(
        .badFamily, "`keeps_bond` without `pairing`", at: entry.keyRange,
        advice: "say how its devices are paired, or leave it out")
    }
    let usual = DeviceWords(
      makeItWait: access == .rewritable ? nil : DeviceWords().makeItWait,
      toPair: pairing == .unneeded ? FamilyForm.toPair : nil)
    let words = fields["words"].map { self.words($0, usual) } ?? usual
    let proof = fields["proof"].flatMap { word($0, "proof", FamilyForm.proofs) }
    var settings = fields["settings"].map { familySettings($0) } ?? FamilySettings()
    let identity = fields["identity"].flatMap { self.identity($0, &settings) }
    let rules =
      fields["recognise"].map { recognition($0, identity, isDescribed: fields["identity"] != nil, settings) }
      ?? []
    let characteristics = fields["characteristics"].map { self.characteristics($0, settings) } ?? []
    let unlock = fields["unlock"].flatMap { self.unlock($0, settings) }
    let status = fields["status"].flatMap { self.status($0, settings) }
    let save = fields["save"].flatMap { self.save($0) }
    let timeouts = timeoutRule(fields, settings)
    let readsFirst = fields["read_first"].flatMap { truth($0, "read_first") } ?? false
    let readsBack = fields["read_back"].flatMap { truth($0, "read_back") } ?? false
    if pairing == .passkey, let range = settings.places[.passkey] {
      error(
        .badFamily, "a family that is paired with a passkey has no setting of this name", at: range,
        advice: "give it another name: rooms have the `passkey` of the label")
    }
    guard errorCount == before, let id, let title, let service, let access, let pairing, let proof else {
      return nil
    }
    let procedure = Procedure(
      status: status, unlock: unlock?.0, readsFirst: readsFirst,
      factory: readsFirst ? settings.factoryOfWritten : [:],
      readsBack: readsBack, save: save)
    // What only lets the session in is no setting of the device.
    let written = Set(characteristics.flatMap(\.description.settings))
    let codes = Set(unlock?.0.code.settings ?? []).subtracting(written)
    var credentials = settings.all.filter { codes.contains($0.name) }
    if pairing == .passkey { credentials.append(FamilyForm.passkey) }
    let family = DeviceFamily(
      id: FamilyID(rawValue: id), title: title, words: words, service: service, recognition: rules,
      lifecycle: access, identity: identity, proof: proof,
      settings: settings.all.filter { !codes.contains($0.name) },
      access: credentials, pairing: pairing, keepsBond: keepsBond,
      characteristics: characteristics.map(\.description)
        + [
          status.map { CharacteristicDescription($0.characteristic, of: $0.service, "status") },
          save.map { CharacteristicDescription($0.characteristic, of: $0.service, "command") },
        ].compactMap(\.self),
      stages: DeviceFamily.stages(of: procedure, proof), timeouts: timeouts, procedure: procedure,
      digest: "content:" + SHA256(of: root.content(without: SecretKeys(texts: [], mappings: []))).hex)
    check(family, fields, settings, characteristics, unlock?.1)
    guard errorCount == before else { return nil }
    return DescribedFamily(
      family: family, id: fields["family"]?.range ?? fields.head, settings: settings.places,
      recognition: fields.entry("recognise")?.keyRange ?? fields.head)
  }

  private mutating func words(_ node: YAMLNode, _ usual: DeviceWords) -> DeviceWords {
    guard let fields = fields(of: node, "`words`", known: Vocabulary.familyWords) else { return usual }
    var texts: [String: String] = [:]
    for key in Vocabulary.familyWords { texts[key] = fields[key].flatMap { phrase($0, key) } }
    return DeviceWords(
      noun: texts["noun"] ?? usual.noun, makeItWait: texts["make_it_wait"] ?? usual.makeItWait,
      stillWaiting: texts["still_waiting"] ?? usual.stillWaiting,
      notWaiting: texts["not_waiting"] ?? usual.notWaiting, label: texts["label"],
      notAnswering: texts["not_answering"], serviceMissing: texts["service_missing"], toPair: usual.toPair)
  }

  /// The default timeouts, and how a setting extends them.
  private mutating func timeoutRule(_ fields: Fields, _ settings: FamilySettings) -> TimeoutRule {
    var usual = StageTimeouts()
    let written = fields["timeouts"].map { timeouts($0) } ?? [:]
    for stage in Stage.allCases { usual[stage] = written[stage]?.duration ?? usual[stage] }
    guard let node = fields["slow_by"],
      let slow = self.fields(of: node, "`slow_by`", known: Vocabulary.slowBy)
    else { return TimeoutRule(usual) }
    guard
      let name = required(
        "setting", in: slow, "`slow_by` without `setting`", advice: "name the setting with the interval"),
      let setting = self.setting(name, "setting", of: settings)
    else { return TimeoutRule(usual) }
    guard case .duration = setting.kind else {
      error(.badFamily, "`slow_by` names a setting that is not a duration", at: name.range)
      return TimeoutRule(usual)
    }
    var intervals: [Stage: Int] = [:]
    for stage in [Stage.search, .connect, .verify] {
      intervals[stage] = slow[stage.rawValue].flatMap { integer($0, stage.rawValue, in: 1...20) }
    }
    return TimeoutRule(usual, extended: .init(by: setting.name, intervals: intervals, reserve: .seconds(5)))
  }

  // MARK: Among the other families

  /// Reports a family that cannot exist beside those of the program and of earlier files.
  private mutating func checkAgainstOthers(_ described: DescribedFamily, _ earlier: [DescribedFamily]) -> Bool
  {
    let before = errorCount
    let family = described.family
    for other in families.all + earlier.map(\.family) {
      let place = earlier.first { $0.family.id == other.id }
      let namesake = place == nil ? "the program's family \(other.title)" : "the family \(other.title)"
      if other.id == family.id {
        error(
          .duplicateFamily, "a family with this id exists already: \(namesake)", at: described.id,
          notes: place.map { [.init("the first of that name", at: $0.id)] } ?? [],
          advice: "give it another id")
        continue
      }
      for setting in family.givenSettings {
        guard let same = other[setting.name], setting.contradicts(same),
          let range = described.settings[setting.name]
        else { continue }
        error(
          .conflictingSetting, "\(namesake) has a setting of this name with other values", at: range,
          notes: place?.settings[setting.name].map { [.init("the other one", at: $0)] } ?? [],
          advice: "give it another name, or the same type, range and `shared`")
      }
      if family.certainlyMeets(other) {
        error(
          .ambiguousFamily, "a device of this family is also recognised by \(namesake)",
          at: described.recognition,
          notes: place.map { [.init("the other family", at: $0.recognition)] } ?? [],
          advice: "add what only its devices send")
      }
    }
    return errorCount == before
  }
}

extension SettingDescription {
  /// Whether a value that manifests check by one of these descriptions may not be one of the other: rooms of several
  /// families share it. UUIDs that one of them reserves do not matter.
  fileprivate func contradicts(_ other: SettingDescription) -> Bool {
    if isShareable != other.isShareable { return true }
    guard isShareable || name == .wifiSSID else { return false }
    if case (.uuid, .uuid) = (kind, other.kind) { return false }
    return kind != other.kind
  }
}
