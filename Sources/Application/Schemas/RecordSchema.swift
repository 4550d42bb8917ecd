import Bluetooth
import Model
import Reporting

/// The schemas of records: the objects in `record.schema.json`, with the names and the forms of texts that they refer to.
enum RecordSchema {
  /// An event: of the events in a room's history and, with `prev`, of the lines of a journal.
  static let event = ObjectSchema(
    "event", "Something that happened in a run.",
    [
      .init("v", "Version of the encoding.", .constant(.integer(RunEvent.version))),
      .init("seq", "Its number in the run, from 1 without gaps.", .integer(from: 1)),
      .init("at", "When it happened, by the host's clock.", .text(.time)),
      .init("elapsed_us", "Microseconds since the run began, by the monotonic clock.", .integer(from: 0)),
      .init("kind", "What happened.", .names(Fact.Kind.names)),
      .init("data", "The data of the event. Its keys depend on `kind`.", .payload),
    ],
    variants: .init(
      key: "kind", payload: "data",
      Fact.Kind.allCases.map { kind in
        var payload = object(kind.rawValue)
        payload.about = kind.meaning
        return ObjectSchema.Variant(kind.rawValue, kind.meaning, payload)
      }))

  /// A line of `journal.jsonl`.
  static let line = {
    var line = event
    line.definition = "journal_line"
    line.properties.append(
      .init(
        "prev",
        "SHA-256 of the previous line without its newline; in the first line, of the name of the format.",
        .text(.sha256)))
    return line
  }()

  private static let file = JSONValue(embedded: PackageResources.record_schema_json)

  /// The object with this name.
  static func object(_ name: String) -> ObjectSchema {
    let written = file["$defs"][name]
    precondition(!written.members.isEmpty, "no object of records is called \(name)")
    let required = written["required"].texts
    let properties = written["properties"].members.map { member in
      ObjectSchema.Property(
        member.key, member.value["description"].text ?? "", schema(member.value),
        isRequired: required.contains(member.key))
    }
    var object = ObjectSchema(name, written["description"].text ?? "", properties)
    if name == "failure" { object.conditions = reasons }
    return object
  }

  /// What a reason always has, by its code.
  private static let reasons: [ObjectSchema.Condition] =
    FailureReason.Code.allCases.grouped(by: \.keys).filter { !$0.key.isEmpty }.map { keys, codes in
      .init(key: "code", values: codes.map(\.rawValue), required: keys.map(\.rawValue))
    }

  private static func schema(_ value: JSONValue) -> Schema {
    if let reference = value["$ref"].text {
      let name = String(reference.dropFirst("#/$defs/".count))
      if let form = Schema.TextForm(rawValue: name) { return .text(form) }
      return names[name].map { Schema.names($0) } ?? .object(object(name))
    }
    switch value["type"].text {
    case "string": return .text(.any)
    case "integer": return .integer(from: value["minimum"].wholeNumber, to: value["maximum"].wholeNumber)
    case "number": return .number
    case "boolean": return .boolean
    case "array": return .array(schema(value["items"]))
    default: return .constant(value["const"])
    }
  }

  /// The enumerations that the objects refer to, by their names.
  private static let names: [String: Schema.Names] = {
    let all: [any OutputNames.Type] = [
      ActionSource.self, AdapterFault.Kind.self, AttemptExemption.self, BindingBasis.self,
      BindingReleased.Cause.self, CentralError.AdapterProblem.self, Consent.self, DeviceDetail.Name.self,
      Disconnection.Cause.self, Evidence.Grade.self, Exclusion.Cause.self, Fact.Kind.self,
      FailureReason.Code.self, HostPause.Kind.self, HostUnavailable.Cause.self, InterruptionCause.self,
      OperatorRequested.Request.self, Outcome.self, PlannedSetting.Change.self, PlannedStep.Action.self,
      ProofAddress.self, RecordedCommand.self, RoomVerified.Finding.self, RunOutcome.self, ScanPurpose.self,
      SettingState.self, Stage.self, StatusMeaning.self, WiFiCheckResult.self, WiFiRefusal.self,
    ]
    return Dictionary(uniqueKeysWithValues: all.map { ($0.definition, $0.names) })
  }()
}
