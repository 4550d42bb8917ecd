/// The schema of an output: a JSON Schema (draft 2020-12), as far as the outputs need it. Objects are closed.
package indirect enum Schema: Hashable, Sendable {
  case boolean
  case integer(from: Int? = nil, to: Int? = nil)
  case number
  case text(TextForm)
  case constant(JSONValue)
  case names(Names)
  /// Values of one kind, in order.
  case array(Schema)
  case object(ObjectSchema)
  /// An object whose keys are data.
  case map(Schema)
  /// An object whose kind another member of the same object determines.
  case payload
  case nullable(Schema)

  /// The form of a text.
  package enum TextForm: String, Hashable, Sendable {
    case any
    case address
    /// The address of an adapter, after its host if that is another computer.
    case adapter = "adapter_address"
    case uuid
    case time
    /// A SHA-256.
    case sha256
    case manifestDigest = "manifest_digest"
  }

  /// The names that a value can have.
  package struct Names: Hashable, Sendable {
    package var definition: String
    package var about: String
    package var cases: [Case]

    /// A name that a value can have.
    package struct Case: Hashable, Sendable {
      package var name: String
      package var meaning: String

      package init(_ name: String, _ meaning: String) {
        (self.name, self.meaning) = (name, meaning)
      }
    }

    package init(_ definition: String, _ about: String, _ cases: [Case]) {
      (self.definition, self.about, self.cases) = (definition, about, cases)
    }
  }
}

/// The schema of an object.
package struct ObjectSchema: Hashable, Sendable {
  package var definition: String
  package var about: String
  /// Its members, in the order in which they are explained.
  package var properties: [Property]
  /// The kinds of object that it can be; nil when there is one.
  package var variants: Variants?
  /// Members that are always there when another one has a certain value.
  package var conditions: [Condition] = []

  /// A member of an object.
  package struct Property: Hashable, Sendable {
    package var key: String
    package var about: String
    package var schema: Schema
    /// Whether it is always there.
    package var isRequired: Bool

    package init(_ key: String, _ about: String, _ schema: Schema, isRequired: Bool = true) {
      (self.key, self.about, self.schema, self.isRequired) = (key, about, schema, isRequired)
    }
  }

  /// Members that are always there when another one has one of these values.
  package struct Condition: Hashable, Sendable {
    package var key: String
    package var values: [String]
    package var required: [String]

    package init(key: String, values: [String], required: [String]) {
      (self.key, self.values, self.required) = (key, values, required)
    }
  }

  /// Objects in which one member determines the schema of another one.
  package struct Variants: Hashable, Sendable {
    package var key: String
    package var payload: String
    package var all: [Variant]

    package init(key: String, payload: String, _ all: [Variant]) {
      (self.key, self.payload, self.all) = (key, payload, all)
    }
  }

  /// One kind of such an object.
  package struct Variant: Hashable, Sendable {
    package var name: String
    package var about: String
    package var payload: ObjectSchema

    package init(_ name: String, _ about: String, _ payload: ObjectSchema) {
      (self.name, self.about, self.payload) = (name, about, payload)
    }
  }

  package init(
    _ definition: String, _ about: String, _ properties: [Property], variants: Variants? = nil
  ) {
    (self.definition, self.about, self.properties) = (definition, about, properties)
    self.variants = variants
  }
}
