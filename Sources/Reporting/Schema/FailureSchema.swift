import FoundationEssentials
import Model

extension FailureReason {
  /// The schema of the flat form of a reason: each code with the context that it always has.
  static let schemaOfForm: ObjectSchema = {
    var schema = SchemaReader.object(Form.self)
    for code in Code.allCases {
      let required = code.context(in: schema)
      guard !required.isEmpty else { continue }
      if let place = schema.conditions.firstIndex(where: { $0.required == required }) {
        schema.conditions[place].values.append(code.rawValue)
      } else {
        schema.conditions.append(.init(key: "code", values: [code.rawValue], required: required))
      }
    }
    return schema
  }()
}

extension FailureReason.Code {
  /// The keys that a reason with this code has in every stage. Found by decoding reasons without one of them.
  fileprivate func context(in schema: ObjectSchema) -> [String] {
    let found = ([nil] + Stage.allCases).compactMap { keys(in: $0, schema) }
    guard let first = found.first else { preconditionFailure("no reason can have the code \(rawValue)") }
    let always = found.dropFirst().reduce(first) { $0.intersection($1) }
    return schema.properties.map(\.key).filter(always.contains)
  }

  /// The keys that a reason with this code needs in a stage; nil when it cannot happen in that.
  private func keys(in stage: Stage?, _ schema: ObjectSchema) -> Set<String>? {
    var members = ["code": JSONValue.string(rawValue)]
    members["stage"] = stage.map { .string($0.rawValue) }
    while true {
      let object = JSONValue.object(members.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
      do {
        _ = try JSONDecoder().decode(FailureReason.self, from: Data(object.pretty.utf8))
        return Set(members.keys).subtracting(["code"])
      } catch DecodingError.keyNotFound(let key, _) where key.stringValue != "stage" {
        let property = schema.properties.first { $0.key == key.stringValue }
        guard let example = property?.schema.example else { preconditionFailure("no example of \(key)") }
        members[key.stringValue] = example
      } catch DecodingError.dataCorrupted(let context)
        where context.codingPath.last.map({ members[$0.stringValue] == .array([]) }) ?? false
      {
        // The key is there, and its list must not be empty, as that of the example is.
        return Set(members.keys).subtracting(["code"])
      } catch {
        return nil
      }
    }
  }
}

extension Schema {
  /// An example of a value, if it is not an object.
  fileprivate var example: JSONValue? {
    switch self {
    case .boolean: .bool(false)
    case .integer, .number: .integer(0)
    case .text: .string("")
    case .array: .array([])
    case .names(let names): names.cases.first.map { .string($0.name) }
    case .constant, .object, .map, .payload, .nullable: nil
    }
  }
}
