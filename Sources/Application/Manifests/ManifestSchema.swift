import Manifest
package import Model
package import Reporting

/// The JSON Schema of manifests for editors (yaml-language-server): draft-07, generated from the decoder's
/// grammar.
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

  /// The document for manifests with these families.
  package static func document(with families: FamilyCatalogue = BuiltIn.families) -> JSONValue {
    document(of: Grammar(families).manifest, "urn:roboprov:manifest:1", "roboprov manifest")
  }

  fileprivate static func document(of form: MappingForm, _ id: String, _ title: String) -> JSONValue {
    var writer = ManifestSchemaWriter()
    let body = writer.keywords(of: form)
    let head: JSONValue = [
      "$schema": "http://json-schema.org/draft-07/schema#", "$id": .string(id), "title": .string(title),
    ]
    return head + body + ["definitions": .sorted(writer.definitions)]
  }
}

/// The JSON Schema of family files, in the same way.
package enum FamilySchema {
  /// Its name in `roboprov schema`.
  package static let name = "family"
  /// A description in one line.
  package static let about = "A description of a family of devices (`families` in a manifest), for editors."

  /// The document.
  package static var document: JSONValue {
    ManifestSchema.document(of: Grammar.family, "urn:roboprov:family:1", "roboprov family")
  }
}

/// Writes the forms of the grammar, and collects the definitions that they refer to.
private struct ManifestSchemaWriter {
  private(set) var definitions: [String: JSONValue] = [:]

  // MARK: Mappings

  mutating func keywords(of form: MappingForm) -> JSONValue {
    var properties: [JSONValue.Member] = []
    for key in form.keys { properties.append(.init(key.name, keywords(of: key))) }
    var schema: JSONValue = [
      "description": .string(form.documentation), "type": "object", "properties": .object(properties),
      "additionalProperties": false,
    ]
    if !form.required.isEmpty { schema = schema + ["required": .strings(form.required)] }
    if form.isChoice { schema = schema + ["minProperties": 1, "maxProperties": 1] }
    if !form.oneOf.isEmpty {
      schema = schema + ["anyOf": .array(form.oneOf.map { ["required": [.string($0)]] })]
    }
    return schema + counting(form)
  }

  /// The values that may be a range if the room is a range.
  private func counting(_ form: MappingForm) -> JSONValue {
    let numbers = form.keys.compactMap { key -> JSONValue.Member? in
      guard case .counting(let setting) = key.value else { return nil }
      return .init(key.name, setting.kind.keywords(of: setting))
    }
    let ranged = form.keys.first { if case .text(.labelOrRange) = $0.value { true } else { false } }
    guard let ranged, !numbers.isEmpty else { return [:] }
    let isRange = JSONValue.Member(ranged.name, ["type": "string", "pattern": .string(Pattern.range)])
    return [
      "if": ["properties": .object([isRange]), "required": [.string(ranged.name)]],
      "else": ["properties": .object(numbers)],
    ]
  }

  private mutating func keywords(of key: MappingForm.Key) -> JSONValue {
    let value = keywords(of: key.value)
    // Draft-07 ignores all keys beside `$ref`.
    let own = value.members.first?.key == "$ref" ? ["allOf": [value]] : value
    return ["description": .string(key.documentation)] + own
      + (key.examples.isEmpty ? [:] : ["examples": .strings(key.examples)])
  }

  private mutating func reference(to form: MappingForm) -> JSONValue {
    if definitions[form.name] == nil {
      definitions[form.name] = [:]
      definitions[form.name] = keywords(of: form)
    }
    return ["$ref": "#/definitions/\(form.name)"]
  }

  // MARK: Values

  private mutating func keywords(of form: ValueForm) -> JSONValue {
    switch form {
    case .text(let text): return text.keywords
    case .integer(let bounds): return .integer(in: bounds)
    case .truth: return ["enum": [true, false, "true", "false"]]
    case .affirmation: return ["enum": [true, "true"]]
    case .command:
      return [
        "type": "array", "items": [ValueForm.TextForm.something.keywords], "additionalItems": .text,
        "minItems": 1,
      ]
    case .names(let names):
      return ["enum": .strings(names.map(\.name)), "enumDescriptions": .strings(names.map(\.meaning))]
    case .timeout(let longest): return .duration(in: .milliseconds(1)...longest)
    case .setting(let setting): return setting.kind.keywords(of: setting)
    case .counting(let setting):
      return ["anyOf": [setting.kind.keywords(of: setting), .matching(Pattern.rangeOfNumbers)]]
    case .mapping(let form): return reference(to: form)
    case .named(let forms): return named(forms)
    case .list(let element, let canBeEmpty):
      return ["type": "array", "items": keywords(of: element)] + (canBeEmpty ? [:] : ["minItems": 1])
    case .either(let forms):
      var all: [JSONValue] = []
      for form in forms { all.append(keywords(of: form)) }
      return ["anyOf": .array(all)]
    case .nothing: return ["type": "null"]
    }
  }

  private mutating func named(_ forms: [(ValueForm.NameForm, ValueForm)]) -> JSONValue {
    var schema: JSONValue = ["type": "object"]
    for (name, form) in forms {
      let value = keywords(of: form)
      switch name {
      case .hostAdapter:
        schema = schema + ["patternProperties": .object([.init(Pattern.hostAdapter, value)])]
      case .host:
        schema =
          schema + [
            "patternProperties": .object([.init(Pattern.host, value)]), "additionalProperties": false,
          ]
      case .other: schema = schema + ["additionalProperties": value]
      case .network:
        schema =
          schema + ["additionalProperties": value, "propertyNames": ["not": ["enum": ["none", ""]]]]
      case .entry(let reserved):
        schema =
          schema + [
            "additionalProperties": value,
            "propertyNames": .matching(Pattern.entryName) + ["not": ["enum": .strings(reserved)]],
          ]
      }
    }
    return schema
  }
}

extension JSONValue {
  /// A number within bounds, or its digits.
  fileprivate static func integer(in bounds: ClosedRange<Int>) -> Self {
    [
      "type": ["integer", "string"], "minimum": .integer(bounds.lowerBound),
      "maximum": .integer(bounds.upperBound), "pattern": "^\(Pattern.decimal(bounds))$",
    ]
  }

  /// A text that matches a pattern.
  fileprivate static func matching(_ pattern: String) -> Self {
    ["type": "string", "pattern": .string(pattern)]
  }

  /// A time span within bounds.
  fileprivate static func duration(in bounds: ClosedRange<Duration>) -> Self {
    .matching(Pattern.duration(bounds))
  }

  /// Text, including scalars that an editor reads as another type.
  fileprivate static let text: Self = ["type": ["string", "integer", "number", "boolean"]]

  /// Text with a maximum number of characters and without control characters. A schema cannot count bytes.
  fileprivate static func label(_ bytes: ClosedRange<Int>) -> Self {
    text + [
      "minLength": bytes.lowerBound > 0 ? 1 : 0, "maxLength": .integer(bytes.upperBound), "not": .control,
    ]
  }

  /// Text with a control character.
  fileprivate static let control = matching(Pattern.control)
}

extension ValueForm.TextForm {
  fileprivate var keywords: JSONValue {
    switch self {
    case .any: .text
    case .label(let bytes): .label(bytes)
    case .labelOrRange(let bytes):
      ["anyOf": [.label(bytes), .matching(Pattern.range) + ["not": .control]]]
    case .tags(let bytes):
      [
        "anyOf": [
          .label(bytes) + ["pattern": "^[^,]*$"],
          .matching(Pattern.tags(bytes.upperBound)) + ["not": .control],
        ]
      ]
    case .slug:
      ["type": ["string", "integer", "boolean"], "pattern": .string(Pattern.slug), "minimum": 0]
    case .adapter: .matching("^(\(Pattern.adapter))$")
    case .adapterAddress: .matching("^\(Pattern.onHost)(\(Pattern.address))$")
    case .deviceAddress:
      .matching("^(\(Pattern.address))$") + ["not": ["pattern": "^(\(Pattern.noAddress))$"]]
    case .something: .text + ["minLength": 1]
    case .environmentName: .matching(Pattern.environmentName)
    case .version: ["enum": [1, "1"]]
    case .matching(let pattern): .matching(pattern)
    }
  }
}

extension SettingDescription.Kind {
  /// The form of a setting's value.
  fileprivate func keywords(of setting: SettingDescription) -> JSONValue {
    switch self {
    case .integer(let bounds): return .integer(in: bounds)
    case .text(let bytes): return .label(bytes)
    case .uuid: return .matching(Pattern.uuid)
    case .duration(let bounds, _): return .duration(in: bounds)
    case .choice(let choices):
      // Numbers that the setting accepts: the value without its unit.
      let numbers = choices.compactMap {
        Int($0.meaning.prefix { !$0.isLetter && $0 != " " }, in: RecordedNumbers.integers)
      }
      .filter { setting.value(String($0)).map { setting.violation(of: $0) == nil } ?? false }
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
    case .secretText(let bytes):
      return ["type": ["string", "integer", "number"], "maxLength": .integer(bytes.upperBound)]
    case .wifiPassword, .wifiPassphrase:
      return [
        "type": ["string", "integer", "number"], "pattern": .string(Pattern.password),
        "not": [
          "anyOf": [
            .control, .matching(Pattern.placeholder),
            // A number of fewer than 8 digits.
            ["type": "integer", "minimum": -999_999, "maximum": 9_999_999],
          ]
        ],
      ]
    }
  }
}
