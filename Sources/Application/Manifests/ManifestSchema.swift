import Manifest
import Model
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

  /// The document.
  package static var document: JSONValue {
    var writer = ManifestSchemaWriter()
    let body = writer.keywords(of: Grammar(BuiltIn.families).manifest)
    var members: [JSONValue.Member] = [
      .init("$schema", .string("http://json-schema.org/draft-07/schema#")),
      .init("$id", .string("urn:roboprov:manifest:1")), .init("title", .string("roboprov manifest")),
    ]
    members += body
    let definitions = writer.definitions.sorted { $0.key < $1.key }
    members.append(.init("definitions", .object(definitions.map { .init($0.key, .object($0.value)) })))
    return .object(members)
  }
}

/// Writes the forms of the grammar, and collects the definitions that they refer to.
private struct ManifestSchemaWriter {
  typealias Keywords = [JSONValue.Member]

  private(set) var definitions: [String: Keywords] = [:]

  // MARK: Mappings

  mutating func keywords(of form: MappingForm) -> Keywords {
    var properties: Keywords = []
    for key in form.keys { properties.append(.init(key.name, .object(keywords(of: key)))) }
    var members: Keywords = [
      .init("description", .string(form.documentation)), .type("object"),
      .init("properties", .object(properties)), .init("additionalProperties", .bool(false)),
    ]
    if !form.required.isEmpty { members.append(.init("required", .strings(form.required))) }
    if form.isChoice {
      members += [.init("minProperties", .integer(1)), .init("maxProperties", .integer(1))]
    }
    if !form.oneOf.isEmpty {
      let all = form.oneOf.map { JSONValue.object(["required": .strings([$0])]) }
      members.append(.init("anyOf", .array(all)))
    }
    return members + counting(form)
  }

  /// The values that may be a range if the room is a range.
  private func counting(_ form: MappingForm) -> Keywords {
    let counted = form.keys.filter { if case .counting = $0.value { true } else { false } }
    let ranged = form.keys.filter { if case .text(.labelOrRange) = $0.value { true } else { false } }
    guard let range = ranged.first, !counted.isEmpty else { return [] }
    let numbers = counted.map { key -> JSONValue.Member in
      guard case .counting(let setting) = key.value else { return .init(key.name, .bool(true)) }
      return .init(key.name, .object(setting.kind.keywords(of: setting)))
    }
    let isRange = JSONValue.object([
      .init("type", .string("string")), .init("pattern", .string(Pattern.range)),
    ])
    return [
      .init(
        "if",
        .object([
          "properties": .object([.init(range.name, isRange)]), "required": .strings([range.name]),
        ])), .init("else", .object(["properties": .object(numbers)])),
    ]
  }

  private mutating func keywords(of key: MappingForm.Key) -> Keywords {
    var members: Keywords = [.init("description", .string(key.documentation))]
    let value = keywords(of: key.value)
    // Draft-07 ignores all keys beside `$ref`.
    members += value.first?.key == "$ref" ? [.init("allOf", .array([.object(value)]))] : value
    if !key.examples.isEmpty { members.append(.init("examples", .strings(key.examples))) }
    return members
  }

  private mutating func reference(to form: MappingForm) -> Keywords {
    if definitions[form.name] == nil {
      definitions[form.name] = []
      definitions[form.name] = keywords(of: form)
    }
    return [.init("$ref", .string("#/definitions/\(form.name)"))]
  }

  // MARK: Values

  private mutating func keywords(of form: ValueForm) -> Keywords {
    switch form {
    case .text(let text): return text.keywords
    case .integer(let bounds): return .integer(in: bounds)
    case .truth:
      return [.init("enum", .array([.bool(true), .bool(false), .string("true"), .string("false")]))]
    case .affirmation: return [.init("enum", .array([.bool(true), .string("true")]))]
    case .command:
      return [
        .type("array"), .init("items", .array([.object(ValueForm.TextForm.something.keywords)])),
        .init("additionalItems", .object(.text)), .init("minItems", .integer(1)),
      ]
    case .names(let names):
      return [
        .init("enum", .strings(names.map(\.name))),
        .init("enumDescriptions", .strings(names.map(\.meaning))),
      ]
    case .timeout(let longest): return .duration(in: .milliseconds(1)...longest)
    case .setting(let setting): return setting.kind.keywords(of: setting)
    case .counting(let setting):
      let range = JSONValue.object([.type("string"), .init("pattern", .string(Pattern.rangeOfNumbers))])
      return [.init("anyOf", .array([.object(setting.kind.keywords(of: setting)), range]))]
    case .mapping(let form): return reference(to: form)
    case .named(let forms): return named(forms)
    case .list(let element, let canBeEmpty):
      return [.type("array"), .init("items", .object(keywords(of: element)))]
        + (canBeEmpty ? [] : [.init("minItems", .integer(1))])
    case .either(let forms):
      var all: [JSONValue] = []
      for form in forms { all.append(.object(keywords(of: form))) }
      return [.init("anyOf", .array(all))]
    case .nothing: return [.type("null")]
    }
  }

  private mutating func named(_ forms: [(ValueForm.NameForm, ValueForm)]) -> Keywords {
    var members: Keywords = [.type("object")]
    for (name, form) in forms {
      let value = JSONValue.object(keywords(of: form))
      switch name {
      case .hostAdapter:
        members.append(.init("patternProperties", .object([.init(Pattern.hostAdapter, value)])))
      case .other: members.append(.init("additionalProperties", value))
      case .network:
        members.append(.init("additionalProperties", value))
        members.append(
          .init("propertyNames", .object(["not": .object(["enum": .strings(["none", ""])])])))
      }
    }
    return members
  }
}

extension JSONValue {
  fileprivate static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}

extension JSONValue.Member {
  fileprivate static func type(_ names: String...) -> Self {
    .init("type", names.count == 1 ? .string(names[0]) : .array(names.map { .string($0) }))
  }
}

extension [JSONValue.Member] {
  /// A number within bounds, or its digits.
  fileprivate static func integer(in bounds: ClosedRange<Int>) -> Self {
    [
      .type("integer", "string"), .init("minimum", .integer(bounds.lowerBound)),
      .init("maximum", .integer(bounds.upperBound)),
      .init("pattern", .string("^\(Pattern.decimal(bounds))$")),
    ]
  }

  /// A time span within bounds.
  fileprivate static func duration(in bounds: ClosedRange<Duration>) -> Self {
    [.type("string"), .init("pattern", .string(Pattern.duration(bounds)))]
  }

  /// Text, including scalars that an editor reads as another type.
  fileprivate static let text: Self = [.type("string", "integer", "number", "boolean")]

  /// Text with a maximum number of characters and without control characters. A schema cannot count bytes.
  fileprivate static func label(_ bytes: ClosedRange<Int>) -> Self {
    text + [
      .init("minLength", .integer(bytes.lowerBound > 0 ? 1 : 0)),
      .init("maxLength", .integer(bytes.upperBound)),
      .init("not", .control),
    ]
  }
}

extension JSONValue {
  /// Text with a control character.
  fileprivate static let control = JSONValue.object([
    .type("string"), .init("pattern", .string(Pattern.control)),
  ])
}

extension ValueForm.TextForm {
  fileprivate var keywords: [JSONValue.Member] {
    switch self {
    case .any: return .text
    case .label(let bytes): return .label(bytes)
    case .labelOrRange(let bytes):
      let range = JSONValue.object([
        .type("string"), .init("pattern", .string(Pattern.range)), .init("not", .control),
      ])
      return [.init("anyOf", .array([.object(.label(bytes)), range]))]
    case .tags(let bytes):
      let several = JSONValue.object([
        .type("string"), .init("pattern", .string(Pattern.tags(bytes.upperBound))), .init("not", .control),
      ])
      let one = [JSONValue.Member].label(bytes) + [.init("pattern", .string("^[^,]*$"))]
      return [.init("anyOf", .array([.object(one), several]))]
    case .slug:
      return [
        .type("string", "integer", "boolean"), .init("pattern", .string(Pattern.slug)),
        .init("minimum", .integer(0)),
      ]
    case .adapterAddress: return [.type("string"), .init("pattern", .string("^(\(Pattern.address))$"))]
    case .deviceAddress:
      let none = JSONValue.object(["pattern": .string("^(\(Pattern.noAddress))$")])
      return [.type("string"), .init("pattern", .string("^(\(Pattern.address))$")), .init("not", none)]
    case .something: return .text + [.init("minLength", .integer(1))]
    case .environmentName:
      return [.type("string"), .init("pattern", .string(Pattern.environmentName))]
    case .version: return [.init("enum", .array([.integer(1), .string("1")]))]
    }
  }
}

extension SettingDescription.Kind {
  /// The form of a setting's value.
  fileprivate func keywords(of setting: SettingDescription) -> [JSONValue.Member] {
    switch self {
    case .integer(let bounds): return .integer(in: bounds)
    case .text(let bytes): return .label(bytes)
    case .uuid: return [.type("string"), .init("pattern", .string(Pattern.uuid))]
    case .duration(let bounds, _): return .duration(in: bounds)
    case .choice(let choices):
      // Numbers that the setting accepts: the value without its unit.
      let numbers = choices.compactMap { Int($0.meaning.prefix { !$0.isLetter && $0 != " " }) }
        .filter { setting.value(String($0)).map { setting.violation(of: $0) == nil } ?? false }
      let patterns =
        choices.map { $0.name } + choices.map { Pattern.spelling($0.meaning) }
        + numbers.map { Pattern.spelling(String($0)) }
      return [
        .init(
          "anyOf",
          .array([
            .object([
              "enum": .strings(choices.map(\.name)), "enumDescriptions": .strings(choices.map(\.meaning)),
            ]), .object(["enum": .array(numbers.map { .integer($0) })]),
            .object([.type("string"), .init("pattern", .string("^(\(patterns.joined(separator: "|")))$"))]),
          ]))
      ]
    case .wifiPassword:
      return [
        .type("string", "integer", "number"), .init("pattern", .string(Pattern.password)),
        // A number of fewer than 8 digits.
        .init(
          "not",
          .object([
            "anyOf": .array([
              .control, .object([.type("string"), .init("pattern", .string(Pattern.placeholder))]),
              .object([
                .type("integer"), .init("minimum", .integer(-999_999)), .init("maximum", .integer(9_999_999)),
              ]),
            ])
          ])),
      ]
    }
  }
}
