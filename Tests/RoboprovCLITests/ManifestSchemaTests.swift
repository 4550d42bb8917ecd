import Families
import Foundation
import Model
import Reporting
import VirtualBuilding

import Testing
import YAML

@testable import Application
@testable import Manifest
@testable import RoboprovCLI

@Suite("the JSON Schema of manifests agrees with the parser", .timeLimit(.minutes(60)))
struct ManifestSchemaTests {
  private static let checkout = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  @Test("`schema manifest` prints the schema, and `schema` lists it")
  func command() async throws {
    try await Site.use { site in
      let schema = try await site.run(["schema", "manifest"])
      #expect(schema.status == 0 && schema.output == ManifestSchema.document().pretty, "\(schema)")
      try await site.run(["schema"]).expect(output: "manifest ")
    }
  }

  @Test("the schemas describe each key", arguments: [ManifestSchema.name, FamilySchema.name])
  func explained(name: String) throws {
    let document = name == FamilySchema.name ? FamilySchema.document : ManifestSchema.document()
    let schema = try #require(JSON(document.pretty))
    #expect(schema["description"].text?.isEmpty == false)
    for name in schema["definitions"].keys {
      #expect(schema["definitions"][name]["description"].text?.isEmpty == false, "\(name)")
    }
    for (name, mapping) in Self.mappings(in: schema) {
      for key in mapping["properties"].keys {
        var property = mapping["properties"][key]
        if let reference = property["$ref"].text {
          property = reference.split(separator: "/").dropFirst().reduce(schema) { $0[String($1)] }
        }
        #expect(property["description"].text?.isEmpty == false, "\(name): \(key)")
      }
    }
  }

  @Test("the schemas have the keys and the words that the decoder knows, and no others")
  func vocabulary() throws {
    let settings = Vocabulary(.builtIn)
    let adapter = Set(Vocabulary.adapter)
    try expectKeys(
      of: ManifestSchema.document(),
      [
        "": Set(Vocabulary.building), "defaults": Set(Vocabulary.defaults + settings.shareableSettings),
        "floor": Set(Vocabulary.floor + settings.shareableSettings),
        "group": Set(Vocabulary.group + settings.shareableSettings),
        "room": Set(Vocabulary.room + settings.settingKeys), "network": Set(Vocabulary.network),
        "password_source": Set(Vocabulary.passwordSources), "label_source": Set(Vocabulary.labelSources),
        "host": Set(Vocabulary.host), "host_adapter": adapter.subtracting(["address"]),
        "named_adapter": adapter, "table": Set(Vocabulary.table), "columns": Set(settings.columns),
        "timeouts": Set(Vocabulary.stages), "beacon": Set(Vocabulary.beacon),
      ])
    try expectKeys(
      of: FamilySchema.document,
      [
        "": Set(Vocabulary.family), "words": Set(Vocabulary.familyWords), "rule": Set(Vocabulary.rule),
        "identity": Set(Vocabulary.identity), "ibeacon": Set(Vocabulary.beaconParts),
        "setting": Set(Vocabulary.setting), "choice": Set(Vocabulary.choice),
        "characteristic": Set(Vocabulary.characteristic), "parts": Set(Vocabulary.parts),
        "unlock": Set(Vocabulary.unlock), "status": Set(Vocabulary.status),
        "save": Set(Vocabulary.save), "slow_by": Set(Vocabulary.slowBy), "timeouts": Set(Vocabulary.stages),
      ])
    let family = try #require(JSON(FamilySchema.document.pretty))
    let definitions = family["definitions"]
    func words(_ value: JSON) -> [String] { value["enum"].items.compactMap(\.text) }
    #expect(words(family["properties"]["access"]) == FamilyForm.access.map(\.word))
    #expect(words(family["properties"]["proof"]) == FamilyForm.proofs.map(\.word))
    let rule = definitions["rule"]["properties"]
    #expect(words(rule["state"]) == FamilyForm.states.map(\.word))
    #expect(words(rule["identity"]) == FamilyForm.Identity.words.map(\.word))
    #expect(words(definitions["setting"]["properties"]["type"]) == FamilyForm.Kind.words.map(\.word))
    #expect(words(family["properties"]["pairing"]) == FamilyForm.pairings.map(\.word))
    try expectWords(
      definitions["encoding"], FamilyForm.encodings.map(\.word) + ["utf8_1", "utf8_512"],
      not: [
        "utf8_0", "utf8_513", "utf8_", "text", "uint", "uint8_le", "uint12_le", "uint16", "uint72_le",
        "int8_be", "int64", "sint8", "counted",
      ])
    // A setting may have the name `check`.
    try expectWords(
      definitions["parts"]["properties"]["check"],
      (FamilyForm.checks.map(\.word) + FamilyForm.encodings.map(\.word)),
      not: ["crc16", "crc32", "crc16_ccitt", "xor8_le", "xor16", "md5"])
  }

  /// A definition by a pattern matches each of the words that the decoder knows.
  private func expectWords(_ definition: JSON, _ known: [String], not unknown: [String]) throws {
    let pattern = try Regex(try #require(definition["pattern"].text))
    for word in known { #expect(word.wholeMatch(of: pattern) != nil, "\(word)") }
    for word in unknown {
      #expect(word.wholeMatch(of: pattern) == nil && !known.contains(word), "\(word)")
    }
  }

  private func expectKeys(of document: JSONValue, _ keys: [String: Set<String>]) throws {
    let mappings = Self.mappings(in: try #require(JSON(document.pretty)))
    #expect(Set(mappings.map { $0.name }) == Set(keys.keys))
    for (name, mapping) in mappings { #expect(mapping["properties"].keys == keys[name], "\(name)") }
  }

  /// The mappings of a schema, each with the name of its definition; the whole document has none.
  private static func mappings(in schema: JSON) -> [(name: String, mapping: JSON)] {
    let definitions = schema["definitions"]
    let named = definitions.keys.sorted().map { (name: $0, mapping: definitions[$0]) }
    return [(name: "", mapping: schema)] + named.filter { $0.mapping.keys.contains("properties") }
  }

  /// The number of changed manifests: a share in `make test`, all with `make test-schema`.
  private static let mutations =
    ProcessInfo.processInfo.environment["MUTATIONS"].flatMap { Int($0) } ?? 500
  private static let seed = ProcessInfo.processInfo.environment["MUTATIONS_SEED"].flatMap { UInt64($0) } ?? 1

  @Test("the schema accepts and refuses the same manifests as the parser: examples and mutations of them")
  func sameVerdict() async throws {
    let examples = try Self.examples()
    #expect(examples.count >= 3)
    let bases = Self.bases + examples
    var mutations = ManifestMutations(seed: Self.seed, donors: Self.bases)
    var choice = SeededGenerator(seed: Self.seed).split("bases")
    var verdicts = bases.map { Verdict(of: $0) }
    for base in Self.bases.map({ Verdict(of: $0) }) {
      #expect(base.isAccepted, "\(base.codes): \(base.manifest.yaml)")
    }
    for _ in 0..<Self.mutations {
      let some = choice.chance(0.85) ? Self.bases : examples
      let base = some[Int.random(in: some.indices, using: &choice)]
      verdicts.append(Verdict(of: mutations.mutated(base)))
    }
    // The mutations yield both accepted and refused manifests.
    let refused = verdicts.count { !$0.isAccepted }
    #expect(refused * 3 >= verdicts.count && refused * 10 <= verdicts.count * 9, "\(refused) refused")
    let codes = Set(verdicts.flatMap(\.codes))
    let missing = DiagnosticCode.allCases.filter { $0.isStructural && !codes.contains($0) }
    #expect(missing.allSatisfy(Self.elsewhere.contains), "\(missing.map(\.rawValue))")
    let unread = verdicts.count { $0.isPartlyUnread && $0.isAccepted }
    #expect(unread * 10 <= verdicts.count, "\(unread) not read to their end")
    try await expectSameVerdict(verdicts)
  }

  /// Structural findings that no mutation produces.
  private static let elsewhere: Set<DiagnosticCode> = [.emptyManifest]

  /// The findings of the parser that a schema can express.
  private struct Verdict {
    let manifest: MutableManifest
    let codes: Set<DiagnosticCode>

    init(of manifest: MutableManifest) {
      self.manifest = manifest
      let reading = ManifestReader.read(Array(manifest.yaml.utf8), file: "building.yaml", families: .builtIn)
      codes = Set(reading.diagnostics.filter { $0.severity == .error }.map(\.code))
    }

    var isAccepted: Bool { !codes.contains(where: \.isStructural) }

    /// Whether the parser skips a part that the schema checks: the value of an unsupported or duplicate key,
    /// the other keys of an invalid range, rooms beyond the limit, and all rooms if a family file cannot be read.
    var isPartlyUnread: Bool {
      !codes.isDisjoint(with: [.unsupportedKey, .duplicateKey, .badRange, .rangeValue, .tooManyRooms])
        || codes.contains(.fileUnreadable) && manifest.entries.contains { $0.key == "families" }
    }

    var line: String {
      let json: JSONValue = [
        "manifest": manifest.json, "accepted": .bool(isAccepted), "partly_unread": .bool(isPartlyUnread),
        "codes": .strings(codes.map(\.rawValue).sorted()),
      ]
      // One line: line breaks in texts are escaped.
      return json.pretty.split(separator: "\n").joined()
    }
  }

  private func expectSameVerdict(_ verdicts: [Verdict]) async throws {
    try await Site.use { site in
      try site.write("manifest.schema.json", ManifestSchema.document().pretty)
      try site.write("verdicts.jsonl", verdicts.map(\.line).joined(separator: "\n") + "\n")
      let python = Self.checkout.appending(path: ".build-interop/venv/bin/python3").path
      try #require(
        FileManager.default.isExecutableFile(atPath: python), "no Python for this: run `make venv`")
      let script = Self.checkout.appending(path: "Tests/Interop/check_manifests.py").path
      let outcome = try await site.runTool([python, script, "manifest.schema.json", "verdicts.jsonl"])
      try #require(outcome.status == 0, "\(outcome)")
      let result = try outcome.json
      #expect(result["manifests"].integer == verdicts.count)
      let disagreements = result["disagreements"].items.compactMap(\.text)
      #expect(
        disagreements.isEmpty, "\(result["count"].integer ?? 0):\n\(disagreements.joined(separator: "\n"))")
    }
  }

  // MARK: Manifests

  /// The valid and invalid manifests in manifests/ that are YAML.
  private static func examples() throws -> [MutableManifest] {
    let folder = checkout.appending(path: "manifests")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let paths = (files?.allObjects ?? []).compactMap { ($0 as? URL)?.path }.sorted()
    return try paths.filter { $0.hasSuffix(".yaml") && !$0.hasSuffix("scenario.yaml") }.compactMap { path in
      let text = try Data(contentsOf: URL(filePath: path))
      return (try? YAMLParser.parse(Array(text))).flatMap { $0 }.map { MutableManifest($0) }
    }
  }

  private static let bases: [MutableManifest] = [
    """
    version: 1
    building: B
    id: b-1
    include: [networks.yaml]
    wifi: { guests: { ssid: Guests, password: correct horse }, open: { ssid: Open, password: "" }, keyed: { ssid: 12, password: 12345678 }, a: { ssid: A, password: { env: WIFI_A } }, b: { ssid: B, password: { file: ./b.txt } }, c: { ssid: C, password: { command: [pass, 7] } }, d: { ssid: D, password: { prompt: true } } }
    adapters: { hci0: { slots: 7 }, "00:1A:7D:DA:71:13": { place: hall }, east: { address: "00:1A:7D:DA:71:14", slots: 1, place: 3 } }
    match: any
    profile: robo-sensor
    retries: 0
    timeouts: { connect: 15s, verify: 1m }
    defaults: { wifi: guests, proof: any_address }
    rooms:
      - { room: A, id: a, floor: 1, tags: "x, y", address: "C4:7C:8D:00:00:01", minor: 1 }
      - { room: B, tags: [x, 7], minor: "2", register: true }
      - { room: 303, minor: 3, wifi: none, near: east, retries: 20, timeouts: { search: 500ms, save: 3600s }, proof: own_address }
      - { room: D, minor: 4, wifi: { ssid: D, password: "0123456789" } }
      - { room: "Room {1..3}", minor: 11 }
      - { room: "{North,South}", minor: "{21,22}" }
    """,
    """
    building: B
    match: later
    defaults: { profile: iot-design-shop, uuid: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6, major: 1, interval: 500ms, power: -6 }
    floors:
      - floor: 0
        rooms: [{ room: A, minor: 1, power: "0 dBm" }, { room: B, minor: 2, major: 2, interval: 2s, power: low }]
        groups: [{ group: g, tags: t, rooms: [{ room: C, minor: 3, uuid: 2f234454-cf6d-4a0f-adf2-f4911ba9ffa7 }] }]
      - { floor: attic, tags: [t], retries: 1, power: high, rooms: [{ room: D, minor: 9, profile: robo-sensor }] }
    groups:
      - { group: h, profile: firefly, control: 1, value: 2, range: 3, rooms: [{ room: E, address: "C4-7C-8D-00-00-02", control: 0 }] }
    """,
    """
    building: B
    match: any
    rooms_from: { file: rooms.csv, columns: { room: Zimmer, minor: Nr }, ignore: [Notes] }
    floors:
      - { floor: 1, rooms_from: [a.csv, { file: b.csv, ignore: x }] }
    groups: [{ group: g, rooms_from: c.csv }]
    defaults:
    wifi:
    """,
    "{ building: B, rooms: [{ room: A, minor: 1, address: \"C4:7C:8D:00:00:01\" }] }",
  ].map { text in
    guard let node = try? YAMLParser.parse(Array(text.utf8)) else { preconditionFailure("no YAML: \(text)") }
    return MutableManifest(node)
  }
}

extension DiagnosticCode {
  /// Whether the manifest's JSON Schema (`roboprov schema manifest`) also refuses it. A schema cannot express
  /// findings that depend on other values or defaults, on a profile, on bytes instead of characters, on other
  /// files, or on the text before parsing.
  fileprivate var isStructural: Bool {
    switch self {
    case .emptyManifest, .unknownKey, .misplacedKey, .mergeKey, .missingKey, .wrongStructure, .missingValue,
      .notANumber, .notADuration, .notAUUID, .outOfRange, .wrongLength, .controlCharacter, .unknownValue,
      .badIdentifier, .badAddress, .badNetworkName, .badPassword, .badSecretSource, .placeholderPassword,
      .badAdapter, .badHost, .noRooms:
      true
    default: false
    }
  }
}
