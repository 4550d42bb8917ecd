import Bluetooth
import EventLoop
import Families
import Foundation
import Journal
import Model
import RecordedText
import Reporting
import SampleFacts
import Simulation
import Testing
import VirtualBuilding

@testable import Application
@testable import RoboprovCLI

@Suite("each output has a schema", .timeLimit(.minutes(60)))
struct OutputSchemaTests {
  // MARK: Explanations

  @Test("a schema describes each key and each name")
  func explained() {
    for output in Outputs.all {
      #expect(!output.about.isEmpty && !output.place.isEmpty)
      Self.expectExplained(output.schema, at: output.name)
    }
  }

  private static func expectExplained(_ schema: Schema, at path: String) {
    switch schema {
    case .object(let object): expectExplained(object, at: path)
    case .array(let part), .nullable(let part), .map(let part): expectExplained(part, at: path)
    case .names(let names):
      #expect(!names.about.isEmpty && !names.cases.isEmpty, "\(path)")
      for name in names.cases { #expect(!name.meaning.isEmpty, "\(path): \(name.name)") }
    case .boolean, .integer, .number, .text, .constant, .payload: break
    }
  }

  private static func expectExplained(_ object: ObjectSchema, at path: String) {
    #expect(!object.about.isEmpty, "\(path)")
    #expect(object.definition.wholeMatch(of: #/[a-z0-9_]+/#) != nil, "\(path): \(object.definition)")
    for property in object.properties {
      #expect(!property.about.isEmpty, "\(path).\(property.key)")
      expectExplained(property.schema, at: "\(path).\(property.key)")
    }
    for variant in object.variants?.all ?? [] {
      #expect(!variant.about.isEmpty, "\(path): \(variant.name)")
      expectExplained(variant.payload, at: "\(path): \(variant.name)")
    }
  }

  @Test("the schemas of records have the keys that their decoders read, and no others")
  func decodedKeys() throws {
    for variant in try #require(RecordSchema.event.variants).all {
      let kind = try #require(Fact.Kind(rawValue: variant.name))
      let source = NotedPayload()
      _ = try Fact(kind: kind, from: source)
      #expect(DecodedKey.keys(of: variant.payload) == source.keys, "\(variant.name)")
    }
    #expect(try DecodedKey.keys(of: RecordSchema.object("plan")) == DecodedKey.keys(of: ApplyPlan.self))
  }

  @Test("docs/outputs.md is generated from the schemas")
  func page() throws {
    try expectRecorded(OutputPage.text(Outputs.all), in: projectFile("docs/outputs.md"))
  }

  // MARK: Valid and invalid outputs

  @Test("each kind of event with each reason is valid, and each mutation of one is invalid")
  func events() async throws {
    try await Site.use { site in
      let reasons = SampleFacts.reasons.map { example in
        Fact.attemptEnded(.init(room: "lobby", number: 1, seconds: 4, failure: example.reason))
      }
      var lines = JournalLines()
      let journal = (SampleFacts.facts + reasons).enumerated().map { index, fact in
        String(
          decoding: lines.line(
            RunEvent(sequence: index + 1, at: Date(), elapsed: .seconds(index), fact: fact)), as: UTF8.self)
      }
      #expect(Set(SampleFacts.facts.map(\.kind)) == Set(Fact.Kind.allCases))
      let folder = try OutputFolder("events", at: site)
      try folder.add("event", "jsonl", journal.joined(separator: "\n"))
      try await folder.expectValid()
      try await folder.expectRefusedWhenChanged()
    }
  }

  @Test("a reason without a detail that its code always has is invalid")
  func incompleteReasons() async throws {
    try await Site.use { site in
      let folder = try OutputFolder("reasons", at: site)
      let reasons = [
        #"{"code":"connect_timed_out"}"#, #"{"code":"refused","stage":"save"}"#,
        #"{"code":"foreign_settings","stage":"read"}"#, #"{"code":"read_back_mismatch","stage":"read"}"#,
        #"{"code":"adapter_claimed"}"#, #"{"code":"not_near","near":"hci1"}"#, #"{"code":"host_paused"}"#,
      ]
      let lines = reasons.map { reason in
        #"{"v":1,"seq":1,"at":"2026-11-21T09:00:00.000Z","elapsed_us":0,"kind":"attempt_ended","prev":""#
          + String(repeating: "ab", count: 32)
          + #"","data":{"room":"lobby","number":1,"seconds":4,"failure":\#(reason)}}"#
      }
      try folder.add("event", "jsonl", lines.joined(separator: "\n"))
      try await folder.expectRefused()
    }
  }

  @Test("a detail without which no example of a reason can be read is required by its schema")
  func details() throws {
    let variant = try #require(RecordSchema.event.variants?.all.first { $0.name == "attempt_ended" })
    guard case .object(let schema)? = variant.payload.properties.first(where: { $0.key == "failure" })?.schema
    else { return _ = Issue.record("no schema of reasons") }
    let keys = schema.properties.map(\.key).filter { $0 != "code" }
    for code in FailureReason.Code.allCases {
      let examples = SampleFacts.reasons.map(\.reason).filter { $0.code == code }
      let always = try keys.filter { key in
        try examples.allSatisfy { reason in
          let data = try JSONEncoder().encode(reason)
          var members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
          guard members.removeValue(forKey: key) != nil else { return false }
          let shorter = try JSONSerialization.data(withJSONObject: members)
          return (try? JSONDecoder().decode(FailureReason.self, from: shorter)) == nil
        }
      }
      let required = schema.conditions.first { $0.values.contains(code.rawValue) }?.required ?? []
      #expect(Set(required) == Set(always), "\(code.rawValue)")
    }
  }

  @Test("journals, run reports and building reports of random buildings are valid")
  func campaign() async throws {
    try await Site.use { site in
      let folder = try OutputFolder("campaign", at: site)
      var outcomes: Set<Outcome> = []
      var kinds: Set<Fact.Kind> = []
      var results: [TestCaseResult] = []
      _ = await Campaign(
        seed: 3, count: 25, width: 2, families: SimulatedFamilies(builtInFamilies, FirmwareFamily.all)
      ).play { _, result in
        results.append(result)
        return true
      }
      for (number, result) in results.enumerated() {
        let journals = result.journals.map { String(decoding: $0, as: UTF8.self) }
        try folder.add("event", "\(number).jsonl", journals.joined())
        var runs: [Reporting.RecordedRun] = []
        for journal in result.journals {
          let record = JournalReader.read(journal)
          let events = record.events.map(Self.withDigest)
          runs.append(.init(events: events, journalHash: record.lastHash))
          let building = BuildingReport(
            building: "house", runs: runs, lastKnown: BuildingRecord(runs.map(\.events)).lastKnown,
            manifest: nil, made: events.last?.at ?? Date(),
            by: .init(toolVersion: "0", host: "host", user: nil))
          let report = RunReport(events)
          try folder.add("report", "\(number)-\(runs.count).json", JSONReport.text(report, after: building))
          try folder.add("building", "\(number)-\(runs.count).json", BuildingJSON.text(building))
          outcomes.formUnion(report.rooms.map(\.outcome))
          kinds.formUnion(events.map(\.fact.kind))
        }
      }
      try folder.add("report", "empty.json", JSONReport.text(RunReport()))
      #expect(outcomes == Set(Outcome.allCases), "it is a campaign worth the name")
      // Examples above cover these kinds.
      let others: Set<Fact.Kind> = [
        "room_retired", "room_accepted", "room_verified", "binding_released", "adapter_faulted",
        "foreign_scan_detected", "wifi_checked", "events_omitted", "links_held",
        "host_unavailable",
      ]
      #expect(kinds.union(others) == Set(Fact.Kind.allCases), "\(kinds.map(\.rawValue).sorted())")
      try await folder.expectValid()
    }
  }

  /// Campaigns have no manifest and thus no digest of one.
  private static func withDigest(_ event: RunEvent) -> RunEvent {
    guard case .runStarted(var started) = event.fact else { return event }
    started.manifestSHA256 = "content:" + String(repeating: "ab", count: 32)
    var event = event
    event.fact = .runStarted(started)
    return event
  }

  @Test(
    "the output of each command in a building with failures is valid, and each mutation is invalid",
    .notRecorded)
  func commands() async throws {
    try await Premises.serve(5) { premises in
      let site = premises.site
      let folder = try OutputFolder("commands", at: site)
      func put(_ output: String, _ file: String, _ arguments: [String], status: Int32 = 0) async throws {
        let form = output == "report" && arguments.first == "apply" ? "report" : "json"
        let outcome = try await premises.run(arguments + ["--output", form]).expect(status, "\(arguments)")
        #expect(
          outcome.output.hasSuffix("\n") && !outcome.output.hasSuffix("\n\n"), "the end of \(arguments)")
        if Outputs.all.contains(where: { $0.name == output }) {
          try folder.add(output, file, outcome.output)
        } else {
          try OutputPage.expectExample(of: outcome.output)
        }
        if output != "event" {
          #expect(
            JSON(outcome.output)?["schema"].text?.hasPrefix("roboprov/\(output)/") == true, "\(outcome)")
        }
      }

      try await put("validate", "whole.json", ["validate", "building.yaml"])
      try site.write(
        "bad.yaml",
        "building: Bad\nrooms:\n  - { room: A, minor: 7, colour: red }\n  - { room: B, minor: 7 }\n")
      try await put("validate", "bad.json", ["validate", "bad.yaml"], status: 65)
      try await put("scan", "whole.json", ["scan", "--scan-time", "1"])
      try await put("scan", "rooms.json", ["scan", "building.yaml", "--scan-time", "1"])
      try site.write("stock.csv", "mac\nC47C8D000001\nC47C8D0000AA\n")
      let expect = ["scan", "--scan-time", "1", "--expect", "stock.csv"]
      try await put("scan", "stock.json", expect, status: 100)
      try await put("inspection", "1.json", ["inspect", "C47C8D000001"])
      try await put("wifi-scan", "1.json", ["inspect", "C47C8D000001", "--networks"])
      async let monitor = premises.run(["monitor", "building.yaml", "--leave-after", "10", "--for", "30"])
      try await SystemClock().sleep(for: .seconds(5))
      try await put("doctor", "whole.json", ["doctor", "building.yaml", "--scan-time", "1"])
      await premises.setMuted(true, 3)
      let monitored = try await monitor
      #expect(monitored.output.components(separatedBy: "\"enter\"").count == 6, "\(monitored)")
      #expect(monitored.output.contains("\"leave\""), "\(monitored)")
      for line in monitored.output.split(separator: "\n") {
        try OutputPage.expectExample(of: String(line))
      }
      try await put("plan", "1.json", ["plan", "building.yaml", "--scan-time", "1", "--save", "saved.json"])
      try folder.add("plan", "2.json", try Self.text(of: "saved.json", at: site))
      let apply = ["apply", "building.yaml", "--yes", "--scan-time", "1"]
      try await put("plan", "3.json", ["plan", "building.yaml", "--scan-time", "1", "--simulate"])
      try await put("report", "whole.json", apply, status: 100)
      try folder.add("event", "jsonl", try site.text(of: "journal.jsonl"))
      try await put("report", "rehearsal.json", apply + ["--simulate"])
      try await put("report", "again.json", ["report", Site.building])
      try await put("event", "again.jsonl", apply, status: 100)

      let accept = ["room", "accept", "building.yaml", "Room 103", "--reason", "no power", "--by", "QA"]
      try await put("change", "1.json", accept)
      try await put(
        "change", "2.json",
        ["room", "retire", "building.yaml", "Room 102", "--reason", "torn down", "--without-scan"])
      try await put(
        "change", "whole.json",
        ["room", "replace", "building.yaml", "Room 105", "--with", "C4:7C:8D:00:00:77", "--without-scan"])
      try await put("change", "3.json", ["room", "rename", "building.yaml", "Room 104", "Suite 4"])
      let unknown = try await premises.run(
        ["room", "accept", "building.yaml", "Attic"] + accept.dropFirst(4) + ["--output", "json"])
      try OutputPage.expectExample(of: unknown.errors)
      await premises.pressButton(4)
      // The fifth sensor is at work and has no room in this manifest.
      try site.writeManifest((1...4).map { .numbered($0) })
      try await put("verification", "whole.json", ["verify", "building.yaml", "--for", "10"], status: 100)
      try await put("plan", "4.json", ["plan", "building.yaml", "--scan-time", "1"])
      try await put("scan", "2.json", ["scan", "--scan-time", "1"])
      try await put("building", "whole.json", ["status", "building.yaml"])
      try await put("history", "1.json", ["room", "history", "building.yaml", "Room 103"])
      try await put(
        "history", "2.json", ["room", "history", "building.yaml", "\(ServedBuilding.address(1))"])

      try await put("merge", "1.json", ["report", "merge", "reports/harbour", "reports/harbour"])
      for (laptop, number) in [("ada", 3), ("bob", 4)] {
        await premises.setMuted(false, number)
        try site.writeManifest([Place(minor: 106, address: Place.numbered(number).address)])
        try await premises.apply("--reports", laptop).expect(0)
        await premises.setMuted(true, number)
      }
      try await put("merge", "whole.json", ["report", "merge", "ada/harbour", "bob/harbour"], status: 100)

      try await folder.expectValid()
      try await folder.expectRefusedWhenChanged()
    }
  }

  private static func text(of name: String, at site: Site) throws -> String {
    try String(contentsOf: site.directory.appending(path: name), encoding: .utf8)
  }

  // MARK: The command

  @Test("`schema` prints a schema by name or by format, and lists all without either")
  func command() async throws {
    try await Site.use { site in
      let list = try await site.run(["schema"]).expect(0)
      let lines = list.output.split(separator: "\n").dropFirst()
      #expect(
        lines.map { $0.prefix { $0 != " " } } == Outputs.all.map { $0.name[...] } + ["manifest", "family"])
      for (output, line) in zip(Outputs.all, lines) {
        #expect(line.contains(output.identifier) && line.hasSuffix(output.about))
      }
      let byName = try await site.run(["schema", "report"])
      #expect(byName.status == 0 && byName.output == Output.report.schemaDocument.pretty, "\(byName)")
      #expect(JSON(byName.output)?["properties"]["schema"]["const"].text == JSONReport.schema)
      let byFormat = try await site.run(["schema", JSONReport.schema])
      #expect(byFormat.output == byName.output)
    }
  }

  @Test("an unknown schema is refused with the nearest name")
  func unknown() async throws {
    try await Site.use { site in
      let misspelt = try await site.run(["schema", "reprot"]).expect(
        errors: "Did you mean `roboprov schema report`?")
      #expect(misspelt.status == 64 && misspelt.output.isEmpty, "\(misspelt)")
      try await site.run(["schema", "xyzzy"]).expect(
        64, errors: "The schemas: report, building,", notErrors: "Did you mean")
    }
  }

  @Test("each output has one name and one format")
  func names() {
    #expect(Set(Outputs.all.map(\.name)).count == Outputs.all.count)
    #expect(Set(Outputs.all.map(\.identifier)).count == Outputs.all.count)
  }
}
