/// The schema of an output: a JSON Schema (draft 2020-12), as far as the outputs need it. Objects are closed.
package indirect enum Schema: Hashable, Sendable {
  /// True or false.
  case boolean
  /// A whole number, within bounds where there are some.
  case integer(from: Int? = nil, to: Int? = nil)
  /// A number.
  case number
  /// Text.
  case text(TextForm)
  /// Always this value.
  case constant(JSONValue)
  /// One of a few names.
  case names(Names)
  /// Values of one kind, in order.
  case array(Schema)
  /// An object with these keys and no others.
  case object(ObjectSchema)
  /// An object whose keys are data: its values are of one kind.
  case map(Schema)
  /// An object whose kind another member of the same object determines.
  case payload
  /// A value, or null.
  case nullable(Schema)

  /// The form of a text.
  package enum TextForm: Hashable, Sendable, CaseIterable {
    /// Any text.
    case any
    /// A Bluetooth address.
    case address
    /// A UUID.
    case uuid
    /// A time: UTC, to the millisecond.
    case time
    /// A SHA-256.
    case sha256
    /// The digest of a manifest, or nothing.
    case manifestDigest
  }

  /// The names that a value can have.
  package struct Names: Hashable, Sendable {
    /// The name of the enumeration, in snake_case.
    package var definition: String
    /// Its explanation.
    package var about: String
    /// Its names with their meanings.
    package var cases: [Case]

    /// A name that a value can have.
    package struct Case: Hashable, Sendable {
      /// The name.
      package var name: String
      /// Its meaning.
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
  /// The name of its kind, in snake_case.
  package var definition: String
  /// Its explanation.
  package var about: String
  /// Its members, in the order in which they are explained.
  package var properties: [Property]
  /// The kinds of object that it can be; nil when there is one.
  package var variants: Variants?
  /// Members that are always there when another one has a certain value.
  package var conditions: [Condition] = []

  /// A member of an object.
  package struct Property: Hashable, Sendable {
    /// Its key.
    package var key: String
    /// Its explanation.
    package var about: String
    /// Its schema.
    package var schema: Schema
    /// Whether it is always there.
    package var isRequired: Bool

    package init(_ key: String, _ about: String, _ schema: Schema, isRequired: Bool = true) {
      (self.key, self.about, self.schema, self.isRequired) = (key, about, schema, isRequired)
    }
  }

  /// Members that are always there when another one has one of these values.
  package struct Condition: Hashable, Sendable {
    /// The key of the other member.
    package var key: String
    /// Its values.
    package var values: [String]
    /// The keys of the members that are then present.
    package var required: [String]
  }

  /// Objects in which one member determines the schema of another one.
  package struct Variants: Hashable, Sendable {
    /// The key of the member with the kind.
    package var key: String
    /// The key of the member whose schema follows from that.
    package var payload: String
    /// The kinds.
    package var all: [Variant]

    package init(key: String, payload: String, _ all: [Variant]) {
      (self.key, self.payload, self.all) = (key, payload, all)
    }
  }

  /// One kind of such an object.
  package struct Variant: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Its explanation.
    package var about: String
    /// The schema of the payload.
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
