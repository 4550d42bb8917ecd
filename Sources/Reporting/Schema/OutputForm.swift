/// An object of an output, field by field: it encodes a `Source`, and it is the schema of what it encodes. A new field is one
/// line in one place.
package struct OutputForm<Source>: Sendable {
  package let definition: String
  package let about: String
  private let fields: [Field<Source>]

  package init(
    _ definition: String, _ about: String, @FieldList<Source> fields: () -> [Field<Source>]
  ) {
    (self.definition, self.about) = (definition, about)
    self.fields = fields()
  }

  /// The object.
  package func value(_ source: Source) -> JSONValue {
    .object(fields.map { .init($0.property.key, $0.value(source)) })
  }

  package var schema: ObjectSchema { ObjectSchema(definition, about, fields.map(\.property)) }
}

/// A field of an object: its key, its explanation, and its value from a `Source`. It is always present.
package struct Field<Source>: Sendable {
  fileprivate let property: ObjectSchema.Property
  fileprivate let value: @Sendable (Source) -> JSONValue

  /// A field with a type that determines its schema.
  package init<Value: OutputValue>(
    _ key: String, _ about: String, _ value: @escaping @Sendable (Source) -> Value
  ) {
    property = .init(key, about, Value.schema)
    self.value = { value($0).output }
  }

  /// A field that is always the same.
  package init(_ key: String, _ about: String, constant: String) {
    property = .init(key, about, .constant(.string(constant)))
    value = { _ in .string(constant) }
  }

  /// A field with an explicit schema.
  package init(
    _ key: String, _ about: String, schema: Schema, _ value: @escaping @Sendable (Source) -> JSONValue
  ) {
    property = .init(key, about, schema)
    self.value = value
  }

  /// A field that is an object.
  package init<Part>(
    _ key: String, _ about: String, form: OutputForm<Part>, _ part: @escaping @Sendable (Source) -> Part
  ) {
    property = .init(key, about, .object(form.schema))
    value = { form.value(part($0)) }
  }

  /// A field that is an object, or null.
  package init<Part>(
    _ key: String, _ about: String, optional form: OutputForm<Part>,
    _ part: @escaping @Sendable (Source) -> Part?
  ) {
    property = .init(key, about, .nullable(.object(form.schema)))
    value = { part($0).map(form.value) ?? .null }
  }

  /// A field that is a list of objects.
  package init<Part>(
    _ key: String, _ about: String, each form: OutputForm<Part>,
    _ parts: @escaping @Sendable (Source) -> [Part]
  ) {
    property = .init(key, about, .array(.object(form.schema)))
    value = { .array(parts($0).map(form.value)) }
  }
}

/// Fields one after the other.
@resultBuilder
package enum FieldList<Source> {
  package static func buildExpression(_ field: Field<Source>) -> [Field<Source>] { [field] }
  package static func buildExpression(_ fields: [Field<Source>]) -> [Field<Source>] { fields }
  package static func buildBlock(_ fields: [Field<Source>]...) -> [Field<Source>] { fields.flatMap(\.self) }
}

extension OutputNames where AllCases.Element == Self, Self: Sendable {
  /// A field for each name, with its count.
  package static func counts<Source>(
    _ count: @escaping @Sendable (Source, Self) -> Int
  ) -> [Field<Source>] {
    allCases.map { name in Field(name.rawValue, name.documentation) { count($0, name) } }
  }
}
