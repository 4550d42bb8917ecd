import Families
import Foundation
import Model
import Reporting

@testable import Journal
@testable import Application
@testable import RoboprovCLI

extension FuzzTarget {
  /// A saved plan: an accepted plan that is written out reads the same.
  static let plan = FuzzTarget(name: "plan") { bytes in
    guard let plan = try? JSONDecoder().decode(ApplyPlan.self, from: Data(bytes)) else { return }
    let text = try SavedPlan.text(plan)
    Observation.take(text)
    try Violation.unless(
      (try? JSONDecoder().decode(ApplyPlan.self, from: Data(text.utf8))) == plan,
      "a plan reads as it is written")
    _ = plan.selection
    try Violation.unless(plan.differences(from: plan).isEmpty, "a plan does not differ from itself")
    let empty = ApplyPlan(building: "b", manifestSHA256: "", rooms: [])
    try checkIsHarmless(RefusalWords.words(plan.differences(from: empty)), "differences")
    try checkIsHarmless(RefusalWords.words(empty.differences(from: plan)), "differences")
    Observation.take(RefusalWords.words(plan.differences(from: empty)))
    let building = Building(id: "b", name: "B", rooms: [], families: FamilyCatalogue())
    for row in PlanView.rows(plan, of: building) {
      try checkIsHarmless(
        [row.room, row.action, row.device, row.signal, row.writes, row.why].joined(), "the plan's view")
    }
    for style in [nil, TerminalStyle(width: 80, hasColor: false)] {
      Observation.take(PlanView.lines(plan, of: building, style: style))
    }
    Observation.take(PlanView.summary(plan))
  }

  /// A site key: a file is accepted if and only if it has 32 bytes.
  static let siteKey = FuzzTarget(name: "site-key") { bytes in
    let path = NSTemporaryDirectory() + "roboprov-fuzz-\(UUID()).key"
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0, write(file, bytes, bytes.count) == bytes.count, close(file) == 0 else {
      throw Violation("\(path) can be written")
    }
    defer { unlink(path) }
    let seal = Result { () throws(JournalError) in try SiteKey.seal(at: path, fresh: { [] }) }
    switch seal {
    case .success(let seal):
      try Violation.unless(bytes.count == SiteKey.length, "an accepted key has 32 bytes")
      try Violation.unless(seal.key == SiteKey.seal(with: bytes).key, "a key has the same name each time")
    case .failure(let error):
      try Violation.unless(bytes.count != SiteKey.length, "32 bytes are a key: \(error)")
      try checkIsHarmless(JournalMessages.failure(error).text, "a failure")
    }
  }

  /// A journal. The input's lines lack `v`, `seq` and `prev`; the harness adds them. Accepted events that are
  /// written out read the same.
  static let journal = FuzzTarget(name: "journal") { bytes in
    let journal = chained(bytes.lines)
    let found = JournalReader.read(journal)
    let outcomes = JournalReader.read(journal, .outcomes)
    Observation.take([found.damage as Any, found.tornLine as Any, found.lastHash, found.events])
    func withoutStages(_ record: JournalRecord) -> [RunEvent] {
      record.events.filter { !["stage_started", "stage_ended"].contains($0.fact.kind) }
    }
    if found.damage == nil {
      try Violation.unless(
        outcomes.damage == nil && outcomes.lastHash == found.lastHash && outcomes.latest == found.latest
          && withoutStages(outcomes) == withoutStages(found), "only stages are left out")
    }
    for (index, event) in found.events.enumerated() {
      try Violation.unless(event.sequence == index + 1, "events are numbered without gaps")
    }
    if let damage = found.damage {
      try Violation.unless((1...found.events.count + 1).contains(damage.line), "the damage is on a line")
    }
    var lines = JournalLines()
    var written: [UInt8] = []
    for event in found.events { written += lines.line(event) + [UInt8(ascii: "\n")] }
    let again = JournalReader.read(written)
    try Violation.unless(again.damage == nil && again.tornLine == nil, "a written journal has no damage")
    try Violation.unless(again.events == found.events, "a journal reads as it is written")
  }

  /// Several journals, separated by empty lines: the record is folded and every report is made, with the same
  /// result twice. Lines that are not events are left out, so that the others are reached.
  static let record = FuzzTarget(name: "record") { bytes in
    let runs = runs(bytes)
    guard !runs.isEmpty else { return }
    let texts = try reports(runs)
    Observation.take(texts)
    try Violation.unless(try reports(runs) == texts, "the reports are the same each time")
    for (name, text) in texts where name.hasSuffix("json") {
      let json = try? JSONSerialization.jsonObject(with: Data(text.utf8))
      try Violation.unless(json != nil, "\(name) is JSON")
    }
  }

  /// The lines with the keys that every event's line has, in the writer's order, each with the hash of the line before.
  private static func chained(_ lines: [ArraySlice<UInt8>]) -> [UInt8] {
    var previous = JournalLine.origin
    var result: [UInt8] = []
    for (index, line) in lines.enumerated() where line.first == UInt8(ascii: "{") || index + 1 < lines.count {
      let line = line.dropLast() + Array(#","prev":"\#(previous)","seq":\#(index + 1),"v":1}"#.utf8)
      previous = JournalLine.chain(Array(line))
      result += line + [UInt8(ascii: "\n")]
    }
    return result
  }

  private static func runs(_ bytes: [UInt8]) -> [[RunEvent]] {
    let decoder = JSONDecoder()
    var runs: [[RunEvent]] = [[]]
    for line in bytes.lines {
      if line.isEmpty {
        runs.append([])
        continue
      }
      let sequence = runs[runs.count - 1].count + 1
      let line = Array(#"{"v":1,"seq":\#(sequence),"#.utf8) + line.dropFirst()
      if let event = try? decoder.decode(RunEvent.self, from: Data(line)) {
        runs[runs.count - 1].append(event)
      }
    }
    return Array(runs.filter { !$0.isEmpty }.prefix(8))
  }

  /// All reports of a record, by name.
  private static func reports(_ runs: [[RunEvent]]) throws -> [String: String] {
    let archive = BuildingArchive(
      runs: runs.enumerated().map { index, events in
        .init(id: "run-\(index)", journal: "journal-\(index)", record: JournalRecord(events: events))
      })
    let building = BuildingReport(
      building: "harbour-house",
      runs: archive.runs.map { RecordedRun(events: $0.record.events, journalHash: $0.record.lastHash) },
      lastKnown: archive.state.lastKnown, manifest: nil, made: Date(timeIntervalSince1970: 1_795_251_600),
      by: .init(toolVersion: "0.1.0", host: "laptop", user: nil))
    var texts: [String: String] = [:]
    for format in BuildingReports.formats { texts[format.name] = format.text(building) }
    for run in archive.runs {
      let report = RunReport(run.record.events)
      for format in RunReports.formats { texts["\(run.id)/\(format.name)"] = format.text(report, building) }
      for (room, log) in DeviceLogs.texts(run.record.events, after: building) {
        texts["\(run.id)/\(room).log"] = log
      }
      texts["\(run.id)/terminal"] = try terminal(run, report, building).joined(separator: "\n")
    }
    texts["state"] = StateView.rows(archive.state.lastKnown).map { $0.joined(separator: " ") }.joined(
      separator: "\n")
    try checkIsHarmless(texts["state"] ?? "", "the state")
    _ = archive.state.lastKnown.conflicts
    return texts
  }

  /// The terminal output for a run, during the run and afterwards.
  private static func terminal(
    _ run: BuildingArchive.Run, _ report: RunReport, _ building: BuildingReport
  ) throws -> [String] {
    let style = TerminalStyle(width: 60, hasColor: false)
    var lines = SummaryView.lines(report, after: building, reports: "reports", style: style)
    lines += StatusView.lines(building, olderThan: .seconds(86_400), next: nil, style: style)
    if let started = run.started {
      for width in [nil, 40, 80] { lines += HistoryView.table([(started, run.record.events)], width: width) }
      lines += HistoryView.lines(started, run.record.events)
    }
    var progress = ProgressView()
    for event in run.record.events {
      progress.apply(event)
      lines += progress.finished(event, style: style) + progress.plain(event)
      lines += progress.live(at: event.elapsed, style: style)
    }
    for line in lines { try checkIsHarmless(line, "the terminal") }
    return lines
  }
}
