import Model

/// The schema of an event: of the events in a room's history and, with `prev`, of the lines of a journal.
package enum EventSchema {
  package static let event = ObjectSchema(
    "event", "Something that happened in a run.",
    [
      .init("v", "Version of the encoding.", .constant(.integer(RunEvent.version))),
      .init("seq", "Its number in the run, from 1 without gaps.", .integer(from: 1)),
      .init("at", "When it happened, by the host's clock.", .text(.time)),
      .init("elapsed_us", "Microseconds since the run began, by the monotonic clock.", .integer(from: 0)),
      .init("kind", "What happened.", .names(Fact.Kind.names)),
      .init("data", "The data of the event. Its keys depend on `kind`.", .payload),
    ],
    variants: .init(key: "kind", payload: "data", Fact.Kind.allCases.map(variant)))

  /// A line of `journal.jsonl`.
  package static let line = {
    var line = event
    line.definition = "journal_line"
    line.properties.append(
      .init(
        "prev",
        "SHA-256 of the previous line without its newline; in the first line, of the name of the format.",
        .text(.sha256)))
    return line
  }()

  private static func variant(_ kind: Fact.Kind) -> ObjectSchema.Variant {
    let samples = Samples()
    do {
      _ = try Fact(kind: kind, from: samples)
    } catch {
      preconditionFailure("\(kind.rawValue) cannot be made: \(error)")
    }
    guard var schema = samples.schema else { preconditionFailure("\(kind.rawValue) has no payload") }
    (schema.definition, schema.about) = (kind.rawValue, kind.meaning)
    return .init(kind.rawValue, kind.meaning, schema)
  }

  /// Makes some payload, and notes its schema.
  private final class Samples: PayloadSource {
    private(set) var schema: ObjectSchema?

    func payload<Payload: FactPayload>(_ type: Payload.Type) -> Payload {
      let read = SchemaReader.read(type)
      schema = read.schema
      return read.sample
    }
  }
}

extension Fact.Kind: OutputNames {
  package static let definition = "kind"
  package static let about = "The events of a run."
  package var documentation: String { meaning }
}
