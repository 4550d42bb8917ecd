import Manifest
import Source
import VirtualBuilding
import YAML

/// Decodes a scenario and collects the findings. What it returns is valid only without findings.
struct ScenarioDecoder {
  let families: [FirmwareFamily]
  private(set) var findings: [Diagnostic] = []
  /// Addresses and adapter names so far, which must be unique.
  private var taken: Set<String> = []

  init(_ families: [FirmwareFamily]) { self.families = families }

  /// The scenario and its speed, as a multiple of real time.
  mutating func decode(_ source: SourceText) -> (scenario: Scenario, speed: Double)? {
    do throws(YAMLError) {
      let document = try YAMLParser.read(source)
      findings = document.problems.map(Diagnostic.init)
      guard let root = document.root, !root.isNull else {
        find(.emptyManifest, "the scenario is empty", at: source.range(source.start..<source.start))
        return nil
      }
      return scenario(root)
    } catch {
      findings = [Diagnostic(error)]
      return nil
    }
  }

  private mutating func scenario(_ root: YAMLNode) -> (scenario: Scenario, speed: Double)? {
    let others = ["building", "rooms", "rooms_from", "floors", "groups"]
    if let entry = root.entries?.first(where: { others.contains($0.key) }) {
      let message =
        "this file is a manifest, not a scenario; --simulate without --scenario makes the building from it"
      find(.misplacedKey, message, at: entry.keyRange)
      return nil
    }
    let keys = ["seed", "speed", "bluez", "adapters", "sensors", "wifi"]
    guard let fields = mapping(root, keys) else { return nil }
    let seed = integer("seed", of: fields, in: 0...Int.max)
    let speed = value(of: fields) { fields throws(ScenarioProblem) in
      try fields.number("speed", in: 0.01...1000)
    }
    let bluez = value("bluez", of: fields, ScenarioFields.bluez)
    let adapters = items("adapters", of: fields).compactMap { adapter($0) }
    let sensors = items("sensors", of: fields).compactMap { sensor($0, adapters) }
    let networks = items("wifi", of: fields).compactMap { network($0) }
    var scenario = Scenario(
      seed: seed.map(UInt64.init) ?? 1, adapters: adapters, sensors: sensors, wifiNetworks: networks)
    if let bluez { scenario.bluez = bluez }
    return (scenario, speed ?? 1)
  }

  // MARK: Findings

  mutating func find(_ code: DiagnosticCode, _ message: String, at range: SourceRange) {
    findings.append(Diagnostic(.error, code, message, at: range))
  }

  mutating func find(_ problem: ScenarioProblem, in fields: ScenarioFields) {
    let code: DiagnosticCode =
      switch problem.kind {
      case .missing: .missingKey
      case .structure: .wrongStructure
      case .value: .unknownValue
      case .range: .outOfRange
      }
    find(code, problem.reason, at: (fields[problem.key] ?? fields.node).range)
  }

  // MARK: Values: a problem becomes a finding, and the value counts as absent

  /// What reads the value of a key: a method of `ScenarioFields`.
  typealias Read<Value> = (ScenarioFields) -> (String) throws(ScenarioProblem) -> Value?

  mutating func value<Value>(_ key: String, of fields: ScenarioFields, _ read: Read<Value>) -> Value? {
    value(of: fields) { fields throws(ScenarioProblem) in try read(fields)(key) }
  }

  mutating func integer(_ key: String, of fields: ScenarioFields, in bounds: ClosedRange<Int>) -> Int? {
    value(of: fields) { fields throws(ScenarioProblem) in try fields.integer(key, in: bounds) }
  }

  mutating func required<Value>(_ key: String, of fields: ScenarioFields, _ read: Read<Value>) -> Value? {
    value(of: fields) { fields throws(ScenarioProblem) in try fields.required(key, read(fields)) }
  }

  /// A required value that must occur only once in the file: an address or an adapter's name.
  mutating func unique<Value: CustomStringConvertible>(
    _ key: String, of fields: ScenarioFields, otherwise code: DiagnosticCode, _ read: Read<Value>
  ) -> Value? {
    guard let value = required(key, of: fields, read) else { return nil }
    guard taken.insert(value.description).inserted else {
      find(code, "\(value) is there already", at: (fields[key] ?? fields.node).range)
      return nil
    }
    return value
  }

  mutating func value<Value>(
    of fields: ScenarioFields, _ read: (ScenarioFields) throws(ScenarioProblem) -> Value?
  ) -> Value? {
    do throws(ScenarioProblem) {
      return try read(fields)
    } catch {
      find(error, in: fields)
      return nil
    }
  }

  // MARK: Structure

  /// A mapping; nil, with a finding, when the node is something else.
  mutating func mapping(_ node: YAMLNode) -> ScenarioFields? {
    if node.entries != nil { return ScenarioFields(node: node) }
    find(.wrongStructure, "keys and values are expected here", at: node.range)
    return nil
  }

  /// Reports the keys of a mapping that are not among these.
  mutating func checkKeys(of fields: ScenarioFields, _ keys: [String]) {
    for entry in fields.node.entries ?? [] where !keys.contains(entry.key) {
      let known = keys.isEmpty ? "" : "; the keys: \(keys.joined(separator: ", "))"
      find(.unknownKey, "unknown key \(entry.key)\(known)", at: entry.keyRange)
    }
  }

  /// A mapping that may have only these keys; nil, with a finding, when the node is something else.
  mutating func mapping(_ node: YAMLNode, _ keys: [String]) -> ScenarioFields? {
    guard let fields = mapping(node) else { return nil }
    checkKeys(of: fields, keys)
    return fields
  }

  /// The mapping under a key; nil if the key is absent.
  mutating func mapping(_ key: String, of fields: ScenarioFields, _ keys: [String]) -> ScenarioFields? {
    fields[key].flatMap { mapping($0, keys) }
  }

  /// The items of the list under a key; none if the key is absent.
  mutating func items(_ key: String, of fields: ScenarioFields) -> [YAMLNode] {
    guard let node = fields[key] else { return [] }
    guard let items = node.items else {
      find(.wrongStructure, "a list is expected here", at: node.range)
      return []
    }
    return items
  }
}
