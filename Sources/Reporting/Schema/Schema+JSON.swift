extension Output {
  /// The document of JSON Schema, draft 2020-12, that the output is valid against. Named types are once,
  /// under `$defs`.
  package var schemaDocument: JSONValue {
    var writer = SchemaWriter()
    let body = writer.root(schema)
    var members: [JSONValue.Member] = [
      .init("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
      .init("$id", .string("urn:" + identifier.split(separator: "/").joined(separator: ":"))),
      .init("title", .string(identifier)),
    ]
    members += body
    let definitions = writer.definitions.sorted { $0.key < $1.key }
    if !definitions.isEmpty {
      members.append(.init("$defs", .object(definitions.map { .init($0.key, .object($0.value)) })))
    }
    return .object(members)
  }
}

/// Writes schemas, and collects the definitions that they refer to.
private struct SchemaWriter {
  private(set) var definitions: [String: [JSONValue.Member]] = [:]

  /// The keywords of a whole document.
  mutating func root(_ schema: Schema) -> [JSONValue.Member] {
    if case .object(let object) = schema { self.object(object) } else { keywords(of: schema) }
  }

  /// The keywords of an object.
  mutating func object(_ object: ObjectSchema) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = [
      .init("description", .string(object.about)), .init("type", .string("object")),
    ]
    var properties: [JSONValue.Member] = []
    for property in object.properties {
      let keywords = [.init("description", .string(property.about))] + keywords(of: property.schema)
      properties.append(.init(property.key, .object(keywords)))
    }
    members.append(.init("properties", .object(properties)))
    members.append(
      .init("required", .array(object.properties.filter(\.isRequired).map { .string($0.key) })))
    members.append(.init("additionalProperties", .bool(false)))
    if !object.conditions.isEmpty {
      let all = object.conditions.map { condition in
        let value = JSONValue.object(["enum": .array(condition.values.map { .string($0) })])
        return JSONValue.object([
          "if": .object(["properties": .object([.init(condition.key, value)])]),
          "then": .object(["required": .array(condition.required.map { .string($0) })]),
        ])
      }
      members.append(.init("allOf", .array(all)))
    }
    if let variants = object.variants {
      let all = variants.all.map { variant in
        JSONValue.object([
          "description": .string(variant.about),
          "properties": .object([
            .init(variants.key, .object(["const": .string(variant.name)])),
            .init(variants.payload, reference(variant.payload.definition) { $0.object(variant.payload) }),
          ]),
        ])
      }
      members.append(.init("oneOf", .array(all)))
    }
    return members
  }

  /// The keywords of a value; a named type becomes a reference.
  private mutating func keywords(of schema: Schema) -> [JSONValue.Member] {
    switch schema {
    case .boolean: return [type("boolean")]
    case .integer(let least, let greatest):
      return [type("integer")] + (least.map { [.init("minimum", .integer($0))] } ?? [])
        + (greatest.map { [.init("maximum", .integer($0))] } ?? [])
    case .number: return [type("number")]
    case .text(let form): return [type("string")] + form.keywords
    case .constant(let value): return [.init("const", value)]
    case .names(let names):
      return members(reference(names.definition) { _ in Self.enumeration(names) })
    case .array(let element): return [type("array"), .init("items", .object(keywords(of: element)))]
    case .object(let part):
      return members(reference(part.definition) { $0.object(part) })
    case .map(let element):
      return [type("object"), .init("additionalProperties", .object(keywords(of: element)))]
    case .payload: return [type("object")]
    case .nullable(let schema):
      var keywords = keywords(of: schema)
      guard let first = keywords.first, first.key == "type" else {
        return [.init("anyOf", .array([.object(keywords), .object([type("null")])]))]
      }
      keywords[0].value = .array([first.value, .string("null")])
      return keywords
    }
  }

  private func type(_ name: String) -> JSONValue.Member { .init("type", .string(name)) }

  private func members(_ value: JSONValue) -> [JSONValue.Member] {
    if case .object(let members) = value { members } else { [] }
  }

  /// A reference to a definition. A name must not mean two different definitions.
  private mutating func reference(
    _ name: String, _ make: (inout SchemaWriter) -> [JSONValue.Member]
  ) -> JSONValue {
    let definition = make(&self)
    precondition(
      definitions[name] == nil || definitions[name] == definition, "two things are called \(name)")
    definitions[name] = definition
    return .object(["$ref": .string("#/$defs/\(name)")])
  }

  private static func enumeration(_ names: Schema.Names) -> [JSONValue.Member] {
    let meanings = names.cases.map { "- \($0.name): \($0.meaning)" }
    return [
      .init("description", .string(([names.about] + meanings).joined(separator: "\n"))),
      .init("type", .string("string")), .init("enum", .array(names.cases.map { .string($0.name) })),
    ]
  }
}

extension Schema.TextForm {
  /// The pattern of the text.
  fileprivate var keywords: [JSONValue.Member] {
    switch self {
    case .any: []
    case .address: [.init("pattern", .string("^[0-9A-F]{2}(:[0-9A-F]{2}){5}$"))]
    case .uuid: [.init("pattern", .string("^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$"))]
    case .time:
      [
        .init("format", .string("date-time")),
        .init("pattern", .string("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$")),
      ]
    case .manifestDigest: [.init("pattern", .string("^(content:[0-9a-f]{64})?$"))]
    case .sha256: [.init("pattern", .string("^[0-9a-f]{64}$"))]
    }
  }
}
