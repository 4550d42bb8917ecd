import Manifest
package import Model
package import Reporting

/// The JSON Schema of manifests for editors (yaml-language-server): draft-07, in `Schemas/manifest.schema.json`.
///
/// An editor reads scalars as numbers and Booleans; roboprov reads all of them as text. So a key with text
/// also accepts these, and a key with a number accepts its digits in quotes.
package enum ManifestSchema {
  /// Its name in `roboprov schema`.
  package static let name = "manifest"
  /// A description in one line.
  package static let about = "A manifest (building.yaml), for editors."
  /// Its draft.
  package static let format = "draft-07"

  /// The document for manifests with these families: the file, with the families and their settings.
  package static func document(with families: FamilyCatalogue = BuiltIn.families) -> JSONValue {
    let vocabulary = Vocabulary(families)
    var document = JSONValue(embedded: PackageResources.manifest_schema_json)
    var definitions = document["definitions"]
    definitions["profile"] =
      definitions["profile"] + [
        "enum": .strings(families.all.map(\.id.rawValue)),
        "enumDescriptions": .strings(families.all.map(\.title)),
      ]
    let shared = vocabulary.shareableSettings.map { setting($0, vocabulary) }
    for scope in ["defaults", "floor", "group"] {
      definitions[scope]["properties"] = definitions[scope]["properties"] + .object(shared)
    }
    // For all profiles: a room's profile may come from its floor or from `defaults`.
    let own = vocabulary.settingKeys.map { setting($0, vocabulary, ofRoom: true) }
    definitions["room"]["properties"] = definitions["room"]["properties"] + .object(own)
    // Only a range of rooms has a range of numbers.
    let counted = vocabulary.counted.map { JSONValue.Member($0.name.rawValue, $0.keywords) }
    definitions["room"]["else"]["properties"] = .object(counted)
    let columns = vocabulary.columns.map { key in
      JSONValue.Member(
        key, ["description": "The header of the column that gives `\(key)`."] + JSONValue.scalar)
    }
    definitions["columns"]["properties"] = .object(columns)
    document["definitions"] = definitions
    return document
  }

  /// A setting of rooms. Families that share it describe it in the same way, except for its encoding.
  private static func setting(
    _ name: String, _ vocabulary: Vocabulary, ofRoom: Bool = false
  ) -> JSONValue.Member {
    let described = vocabulary.families.all.flatMap { family in
      family.givenSettings.filter { $0.name.rawValue == name }.map { (family: family.title, setting: $0) }
    }
    guard let setting = described.first?.setting else {
      preconditionFailure("no device family has the setting \(name)")
    }
    var value = setting.keywords
    if ofRoom, vocabulary.counted.contains(where: { $0.name == setting.name }) {
      value = ["anyOf": [value, .matching("^[0-9., ]*[{}][0-9{}., ]*$")]]
    }
    if setting.isSecret {
      let source = setting.isOnLabel ? "label_source" : "password_source"
      value = ["anyOf": [value, ["$ref": "#/definitions/\(source)"]]]
    }
    if let reserved = setting.reservedNames {
      let letters = "^[\(SettingDescription.lettersOfNames)]{1,\(SettingDescription.longestName)}$"
      value = [
        "type": "object", "additionalProperties": value,
        "propertyNames": .matching(letters) + ["not": ["enum": .strings(reserved + Vocabulary.labelSources)]],
      ]
    }
    let texts = described.map { "\($0.family): \($0.setting.documentation)" }
    return .init(name, ["description": .string(texts.joined(separator: "\n\n"))] + value)
  }
}

/// The JSON Schema of family files, in the same way.
package enum FamilySchema {
  /// Its name in `roboprov schema`.
  package static let name = "family"
  /// A description in one line.
  package static let about = "A description of a family of devices (`families` in a manifest), for editors."
  /// The document.
  package static var document: JSONValue { JSONValue(embedded: PackageResources.family_schema_json) }
}

extension JSONValue {
  /// A text that matches a pattern.
  fileprivate static func matching(_ pattern: String) -> Self {
    ["type": "string", "pattern": .string(pattern)]
  }

  /// Text, including scalars that an editor reads as another type.
  fileprivate static let scalar: Self = ["type": ["string", "integer", "number", "boolean"]]
}

extension SettingDescription {
  /// The form of its value.
  fileprivate var keywords: JSONValue { keywords(of: kind) }

  private func keywords(of kind: Kind) -> JSONValue {
    switch kind {
    case .integer(let bounds):
      return [
        "type": ["integer", "string"], "minimum": .integer(bounds.lowerBound),
        "maximum": .integer(bounds.upperBound), "pattern": "^\(Pattern.decimal(bounds))$",
      ]
    case .text(let bytes):
      // A schema cannot count bytes.
      return JSONValue.scalar + [
        "minLength": bytes.lowerBound > 0 ? 1 : 0, "maxLength": .integer(bytes.upperBound),
        "not": ["$ref": "#/definitions/control"],
      ]
    case .uuid: return ["allOf": [["$ref": "#/definitions/uuid"]]]
    case .duration(let bounds, _): return .matching(Pattern.duration(bounds))
    case .choice(let choices):
      // Numbers that the setting accepts: the value without its unit.
      let numbers = choices.compactMap {
        Int($0.meaning.prefix { !$0.isLetter && $0 != " " }, in: RecordedNumbers.integers)
      }
      .filter { value(String($0)).map { violation(of: $0) == nil } ?? false }
      let patterns =
        choices.map { $0.name } + choices.map { Pattern.spelling($0.meaning) }
        + numbers.map { Pattern.spelling(String($0)) }
      return [
        "anyOf": [
          ["enum": .strings(choices.map(\.name)), "enumDescriptions": .strings(choices.map(\.meaning))],
          ["enum": .array(numbers.map { .integer($0) })],
          .matching("^(\(patterns.joined(separator: "|")))$"),
        ]
      ]
    // Binary numbers cannot check steps.
    case .decimal: return ["type": ["number", "string"], "pattern": "^-?[0-9]+([.][0-9]+)?$"]
    case .bytes(let bounds):
      return [
        "type": ["string", "integer"],
        "pattern": "^(0x)?([0-9A-Fa-f]{2}){\(bounds.lowerBound),\(bounds.upperBound)}$",
      ]
    case .secret(.text(let bytes)):
      return ["type": ["string", "integer", "number"], "maxLength": .integer(bytes.upperBound)]
    case .secretBytes(let bytes):
      // Two digits and a separator for each byte in hexadecimal.
      return ["type": ["string", "integer", "number"], "maxLength": .integer(4 + 3 * bytes.upperBound)]
    case .secret(let kind): return keywords(of: kind)
    case .passkey:
      // An editor may read digits as a number.
      return ["type": ["string", "integer"], "pattern": "^[0-9]{6}$"]
    case .wifiPassword, .wifiPassphrase: return ["allOf": [["$ref": "#/definitions/password"]]]
    }
  }
}
