import Reporting
import Testing

/// The page of the documentation that explains every field of every output, generated from their schemas.
enum OutputPage {
  /// The page, in Markdown.
  static func text(_ outputs: [Output]) -> String {
    var page = Page(outputs)
    var lines = ["# Machine-readable outputs", "", introduction, ""]
    lines += ["| name | format | what it is | where |", "|---|---|---|---|"]
    lines += outputs.map { output in
      "| [\(output.name)](#\(output.name)) | `\(output.identifier)` | \(output.about) | \(output.place) |"
    }
    for output in outputs { lines += page.section(of: output) }
    lines += page.sharedObjects()
    lines += page.enumerations()
    lines += ["", "## Outputs without a schema", "", withoutSchema]
    for (place, example) in examples { lines += ["", place + ":", "", "```json", example, "```"] }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let introduction = """
    This page explains every field of the outputs with a schema. `roboprov schema NAME` prints the JSON Schema \
    (draft 2020-12) of an output; `roboprov schema` lists the names. Page and schemas are generated from the code that writes the \
    outputs, and tests check real outputs against them. Do not edit this page; record it with `ROBOPROV_RECORD=1 make test \
    FILTER=OutputSchemaTests`.

    - Names are frozen. The number at the end of a format increases when a field changes its meaning or is removed. A field or \
    a name can be added without a new number. The schemas are closed: this version writes nothing that they do not list.
    - Unknown values are null. In events and plans they are absent instead.
    - A time is UTC to the millisecond: `2026-11-21T09:00:00.123Z`. An address is upper case with colons: \
    `C4:7C:8D:00:00:01`. RSSI is in dBm, durations are in seconds unless the name of the field says otherwise.
    - `reason`, `advice`, `message`, `text` and `sentence` are for people and change with any version. Programs read the codes.
    """

  private static let withoutSchema = """
    These are JSON as well, for scripts by hand. They have no schema, and any version may change them. One example of each:
    """

  private static let examples = [
    (
      "`roboprov verify --output json`",
      #"""
      {"schema":"roboprov/verification/1","building":"harbour-house","run":"20261121T090000Z-gw1-3f9a","adapters":[{"adapter":"00:1A:7D:DA:71:13","name":"hci0","seconds":10,"complete":true}],"summary":{"on_air":1,"duplicate":0,"other_device":0,"other_identity":0,"waiting":0,"missing":0,"not_searched":0,"not_verifiable":0,"weak":0},"rooms":[{"id":"room-301","room":"Room 301","finding":"on_air","weak":false,"address":"C4:7C:8D:00:00:01","identity":"minor 301","held_identity":null,"rssi":-61,"rssi_min":-64,"rssi_max":-58,"windows_received":2,"windows":2,"others":[],"adapter":"00:1A:7D:DA:71:13","unused":null}],"unexpected":[{"address":"C4:7C:8D:00:00:77","identity":"minor 399","rssi":-80}]}
      """#
    ),
    (
      "`roboprov room history --output json`; the event is a line of the journal without `prev`",
      #"""
      {"schema":"roboprov/history/1","events":[{"run":"20261121T090000Z-gw1-3f9a","event":{"v":1,"seq":9,"at":"2026-11-21T09:00:03.120Z","elapsed_us":3120000,"kind":"attempt_started","data":{"room":"room-301","number":1,"address":"C4:7C:8D:00:00:01","adapter":"00:1A:7D:DA:71:13"}}}]}
      """#
    ),
    (
      "A line of `roboprov monitor`",
      #"""
      {"schema":"roboprov/monitor/1","event":"enter","at":"2026-11-21T09:00:03.120Z","adapter":"hci0","address":"C4:7C:8D:00:00:01","room":"room-301","room_name":"Room 301","room_basis":"record","profile":"robo-sensor","state":"at_work","rssi":-61,"last_received":"2026-11-21T09:00:03.118Z"}
      """#
    ),
    (
      "`roboprov doctor --output json`",
      #"""
      {"schema":"roboprov/doctor/1","tool_version":"0.9.0","host":"gw1","building":"harbour-house","summary":{"ok":1,"note":0,"warning":0,"error":0},"findings":[{"code":"adapter","severity":"ok","subject":"hci0","sentence":"hci0 is ready.","advice":null,"command":null}],"adapters":[{"name":"hci0","address":"00:1A:7D:DA:71:13","alias":"east","place":"by the lift","powered":true,"blocked":"none","hardware":null,"links":[]}],"reception":{"seconds":10,"adapters":["hci0"],"received":[{"id":"room-301","room":"Room 301","floor":"3"}],"not_received":[],"unknown":[],"unclaimed":0}}
      """#
    ),
    (
      "`roboprov inspect --output json`, without `--set`",
      #"""
      {"schema":"roboprov/inspection/1","address":"C4:7C:8D:00:00:01","adapter":"hci0","name":"PROV_A1B2C3","profile":"robo-sensor","state":"waiting","rssi":-61,"services":[{"uuid":"0000180A-0000-1000-8000-00805F9B34FB","name":"Device Information","characteristics":[{"uuid":"00002A26-0000-1000-8000-00805F9B34FB","name":"Firmware Revision String","access":["read"],"value":"312e34","text":"1.4","settings":[],"secret":false,"error":null}]}]}
      """#
    ),
    (
      "`roboprov inspect --networks --output json`",
      #"""
      {"schema":"roboprov/wifi-scan/1","address":"C4:7C:8D:00:00:01","rssi":-61,"complete":true,"networks":[{"ssid":"Guests","rssi":-52}]}
      """#
    ),
    (
      "`roboprov capture --output json`",
      #"""
      {"schema":"roboprov/capture/1","building":"harbour-house","simulated":false,"captured":[{"room":"room-301","label":"C4:7C:8D:00:00:01","address":"C4:7C:8D:00:00:01","device":null,"received":true,"rssi":-61}],"missing":["room-302"]}
      """#
    ),
    (
      "`roboprov room replace`, `retire`, `accept` and `rename`, each with `--output json`",
      #"""
      {"schema":"roboprov/change/1","change":"replace","building":"harbour-house","room":"room-301","name":"Room 301","run":"20261121T090000Z-gw1-3f9a","released":[{"address":"C4:7C:8D:00:00:01","silent":true}],"adapters":[{"adapter":"00:1A:7D:DA:71:13","name":"hci0","seconds":10,"complete":true}],"successor":"C4:7C:8D:00:00:77","manifest_changed":true,"reason":"broken","by":null}
      """#
    ),
    (
      "`roboprov report merge --output json`",
      #"""
      {"schema":"roboprov/merge/2","building":"harbour-house","runs":["20261121T090000Z-gw1-3f9a"],"rooms":[{"id":"room-301","room":"Room 301","state":"done","addresses":["C4:7C:8D:00:00:01"],"run":"20261121T090000Z-gw1-3f9a"}],"conflicts":[]}
      """#
    ),
    (
      "`roboprov report check --output json`",
      #"""
      {"schema":"roboprov/check/1","building":"harbour-house","signature":null,"signed_at":null,"files":["building.json"]}
      """#
    ),
    (
      "`roboprov report sign --output json`",
      #"""
      {"schema":"roboprov/signature/1","building":"harbour-house","file":"reports/harbour-house/signed/20261121T090000Z/building.sums.sig","files":["building.json"]}
      """#
    ),
    (
      "The last line of stderr of every command with `--output json` that ends with an error",
      #"""
      {"schema":"roboprov/error/1","code":"usage","exit_status":64,"message":"there is no room “Attic”","advice":null}
      """#
    ),
  ]

  /// Expects that an output without a schema has the keys of its example, and so have its parts.
  static func expectExample(
    of output: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let document = try #require(JSON(output), "\(output)", sourceLocation: sourceLocation)
    let example = try #require(
      examples.compactMap { JSON($0.1) }.first { $0["schema"].text == document["schema"].text },
      "\(output)", sourceLocation: sourceLocation)
    #expect(document.keys == example.keys, "\(output)", sourceLocation: sourceLocation)
    for key in example.keys.sorted() {
      // A part is an object, or the first of a list; a value that is unknown or empty has none.
      for (part, shown) in [(document[key], example[key]), (document[key][0], example[key][0])]
      where !part.keys.isEmpty && !shown.keys.isEmpty {
        #expect(part.keys == shown.keys, "\(key)\n\(output)", sourceLocation: sourceLocation)
      }
    }
  }
}

private struct Page {
  /// Objects that are used in several places are explained once.
  private let shared: Set<ObjectSchema>
  private var objects: [ObjectSchema] = []
  private var names: [Schema.Names] = []

  init(_ outputs: [Output]) {
    var places: [ObjectSchema: Int] = [:]
    for output in outputs {
      switch output.schema {
      case .object(let object): Self.countParts(object, &places)
      default: Self.count(output.schema, &places)
      }
    }
    shared = Set(places.filter { $0.value > 1 }.keys)
  }

  private static func count(_ schema: Schema, _ places: inout [ObjectSchema: Int]) {
    switch schema {
    // Events are explained where they are an output.
    case .object(let object) where object.variants == nil:
      places[object, default: 0] += 1
      if places[object] == 1 { countParts(object, &places) }
    case .array(let part), .nullable(let part), .map(let part): count(part, &places)
    case .object, .boolean, .integer, .number, .text, .constant, .names, .payload: break
    }
  }

  private static func countParts(_ object: ObjectSchema, _ places: inout [ObjectSchema: Int]) {
    for property in object.properties { count(property.schema, &places) }
    for variant in object.variants?.all ?? [] { countParts(variant.payload, &places) }
  }

  // MARK: Sections

  mutating func section(of output: Output) -> [String] {
    var lines = [
      "", "## \(output.name)", "", "`\(output.identifier)`. \(output.about) In \(output.place).", "",
    ]
    switch output.schema {
    case .object(let object): lines += body(of: object)
    case .array(.object(let object)): lines += ["A list. Each element:", ""] + body(of: object)
    default: break
    }
    return lines
  }

  private mutating func body(of object: ObjectSchema) -> [String] {
    var lines = table(object)
    if !object.conditions.isEmpty {
      lines += ["", "Always there:", "", "| field | where |", "|---|---|"]
      lines += object.conditions.map { condition in
        "| \(Self.list(condition.required)) | `\(condition.key)` is \(Self.list(condition.values)) |"
      }
    }
    for variant in object.variants?.all ?? [] {
      lines += ["", "### \(variant.name)", "", variant.about, ""] + table(variant.payload)
    }
    return lines
  }

  private static func list(_ keys: [String]) -> String { keys.map { "`\($0)`" }.joined(separator: ", ") }

  mutating func sharedObjects() -> [String] {
    var lines = ["", "## Objects that occur in several places"]
    var reported = 0
    // Explaining one may find another.
    while reported < objects.count {
      let object = objects[reported]
      reported += 1
      lines += ["", "### \(object.definition)", "", object.about, ""] + body(of: object)
    }
    return lines
  }

  func enumerations() -> [String] {
    var lines = ["", "## Names"]
    for names in names.sorted(by: { $0.definition < $1.definition }) {
      lines += ["", "### \(names.definition)", "", names.about, "", "| name | meaning |", "|---|---|"]
      lines += names.cases.map { "| `\($0.name)` | \($0.meaning) |" }
    }
    return lines
  }

  // MARK: Tables

  private mutating func table(_ object: ObjectSchema) -> [String] {
    ["| field | value | meaning |", "|---|---|---|"] + rows(object, path: "")
  }

  private mutating func rows(_ object: ObjectSchema, path: String) -> [String] {
    var rows: [String] = []
    for property in object.properties {
      let key = path + property.key
      let presence = property.isRequired ? "" : "; may be absent"
      rows.append("| `\(key)` | \(words(property.schema))\(presence) | \(property.about) |")
      if let (part, suffix) = inner(property.schema) { rows += self.rows(part, path: key + suffix) }
    }
    return rows
  }

  /// The object of a value that is explained below it, and the continuation of the path.
  private func inner(_ schema: Schema) -> (ObjectSchema, String)? {
    switch schema {
    case .object(let object): isApart(object) ? nil : (object, ".")
    case .nullable(let schema): inner(schema)
    case .array(let schema): inner(schema).map { ($0.0, "[]" + $0.1) }
    case .boolean, .integer, .number, .text, .constant, .names, .map, .payload: nil
    }
  }

  private func isApart(_ object: ObjectSchema) -> Bool { shared.contains(object) || object.variants != nil }

  private mutating func words(_ schema: Schema) -> String {
    switch schema {
    case .boolean: return "true or false"
    case .integer(let least?, let greatest?): return "integer, \(least) to \(greatest)"
    case .integer(let least?, nil): return "integer from \(least)"
    case .integer: return "integer"
    case .number: return "number"
    case .text(let form): return form.words
    case .constant(.string(let text)): return "`\(text)`"
    case .constant(.integer(let number)): return "`\(number)`"
    case .constant: return "constant"
    case .names(let names):
      if !self.names.contains(names) { self.names.append(names) }
      return "[\(names.definition)](#\(names.definition))"
    case .array(.text(.any)): return "list of texts"
    case .array(.text(.address)): return "list of addresses"
    case .array(.object(let part)) where !isApart(part): return "list of objects"
    case .array(let part): return "list of \(words(part))"
    case .map(let part): return "object of \(words(part))"
    case .nullable(let part): return words(part) + ", or null"
    case .payload: return "object"
    case .object(let object):
      guard isApart(object) else { return "object" }
      if object.variants == nil, !objects.contains(object) { objects.append(object) }
      return "[\(object.definition)](#\(object.definition))"
    }
  }
}

extension Schema.TextForm {
  fileprivate var words: String {
    switch self {
    case .any: "text"
    case .address: "address"
    case .adapter: "address, or host`/`address"
    case .uuid: "UUID"
    case .time: "time"
    case .manifestDigest: "`content:` and SHA-256"
    case .sha256: "SHA-256"
    }
  }
}
