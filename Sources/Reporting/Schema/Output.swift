/// A machine-readable output of roboprov.
package struct Output: Hashable, Sendable {
  /// Its name for `roboprov schema`.
  package let name: String
  /// Name and version of its format: the value of its key `schema`, if it has that key.
  package let identifier: String
  package let about: String
  package let place: String
  package let schema: Schema

  package init(_ name: String, _ identifier: String, _ about: String, in place: String, _ schema: Schema) {
    (self.name, self.identifier, self.about, self.place) = (name, identifier, about, place)
    self.schema = schema
  }

  /// An output that a form encodes.
  package init<Source>(
    _ name: String, _ identifier: String, in place: String, _ form: OutputForm<Source>
  ) {
    self.init(name, identifier, form.about, in: place, .object(form.schema))
  }

  /// The document of JSON Schema, draft 2020-12, that the output is valid against. Named types are once,
  /// under `$defs`.
  package var schemaDocument: JSONValue {
    var writer = SchemaWriter()
    let body =
      if case .object(let object) = schema { writer.object(object) } else { writer.keywords(of: schema) }
    let document: JSONValue =
      [
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": .string("urn:" + identifier.split(separator: "/").joined(separator: ":")),
        "title": .string(identifier),
      ] + body
    return writer.definitions.isEmpty ? document : document + ["$defs": .sorted(writer.definitions)]
  }
}

extension JSONValue {
  /// An object with its members in the order of their keys.
  package static func sorted(_ members: [String: JSONValue]) -> JSONValue {
    .object(members.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
  }
}

/// Writes schemas, and collects the definitions that they refer to.
private struct SchemaWriter {
  private(set) var definitions: [String: JSONValue] = [:]

  /// The keywords of an object.
  mutating func object(_ object: ObjectSchema) -> JSONValue {
    var properties: [JSONValue.Member] = []
    for property in object.properties {
      properties.append(
        .init(property.key, ["description": .string(property.about)] + keywords(of: property.schema)))
    }
    var schema: JSONValue = [
      "description": .string(object.about), "type": "object", "properties": .object(properties),
      "required": .strings(object.properties.filter(\.isRequired).map(\.key)), "additionalProperties": false,
    ]
    if !object.conditions.isEmpty {
      let all = object.conditions.map { condition -> JSONValue in
        let value = JSONValue.Member(condition.key, ["enum": .strings(condition.values)])
        return ["if": ["properties": .object([value])], "then": ["required": .strings(condition.required)]]
      }
      schema = schema + ["allOf": .array(all)]
    }
    if let variants = object.variants {
      let all = variants.all.map { variant -> JSONValue in
        [
          "description": .string(variant.about),
          "properties": .object([
            .init(variants.key, ["const": .string(variant.name)]),
            .init(variants.payload, reference(variant.payload.definition) { $0.object(variant.payload) }),
          ]),
        ]
      }
      schema = schema + ["oneOf": .array(all)]
    }
    return schema
  }

  /// The keywords of a value; a named type becomes a reference.
  mutating func keywords(of schema: Schema) -> JSONValue {
    switch schema {
    case .boolean: return ["type": "boolean"]
    case .integer(let least, let greatest):
      return ["type": "integer"] + (least.map { ["minimum": .integer($0)] } ?? [:])
        + (greatest.map { ["maximum": .integer($0)] } ?? [:])
    case .number: return ["type": "number"]
    case .text(let form): return ["type": "string"] + form.keywords
    case .constant(let value): return ["const": value]
    case .names(let names):
      let meanings = names.cases.map { "- \($0.name): \($0.meaning)" }
      return reference(names.definition) { _ in
        [
          "description": .string(([names.about] + meanings).joined(separator: "\n")), "type": "string",
          "enum": .strings(names.cases.map(\.name)),
        ]
      }
    case .array(let element): return ["type": "array", "items": keywords(of: element)]
    case .object(let part): return reference(part.definition) { $0.object(part) }
    case .map(let element): return ["type": "object", "additionalProperties": keywords(of: element)]
    case .payload: return ["type": "object"]
    case .nullable(let schema):
      var members = keywords(of: schema).members
      guard let first = members.first, first.key == "type" else {
        return ["anyOf": [.object(members), ["type": "null"]]]
      }
      members[0].value = [first.value, "null"]
      return .object(members)
    }
  }

  /// A reference to a definition. A name must not mean two different definitions.
  private mutating func reference(_ name: String, _ make: (inout SchemaWriter) -> JSONValue) -> JSONValue {
    let definition = make(&self)
    precondition(
      definitions[name] == nil || definitions[name] == definition, "two things are called \(name)")
    definitions[name] = definition
    return ["$ref": "#/$defs/\(name)"]
  }
}

extension Schema.TextForm {
  /// The pattern of the text.
  fileprivate var keywords: JSONValue {
    switch self {
    case .any: [:]
    case .address: ["pattern": "^[0-9A-F]{2}(:[0-9A-F]{2}){5}$"]
    case .adapter: ["pattern": "^([a-z0-9-]+/)?[0-9A-F]{2}(:[0-9A-F]{2}){5}$"]
    case .uuid: ["pattern": "^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$"]
    case .time:
      [
        "format": "date-time",
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
      ]
    case .manifestDigest: ["pattern": "^(content:[0-9a-f]{64})?$"]
    case .sha256: ["pattern": "^[0-9a-f]{64}$"]
    }
  }
}
