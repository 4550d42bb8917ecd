import Bluetooth
import Foundation
import Model
import SampleFacts
import VirtualBuilding

/// Files, and what `report check`, `report sign` and `accept` say about them.
extension BuildingHistory {
  // MARK: Files

  func text(_ name: String, _ laptop: Laptop, in reports: String? = nil) -> String? {
    try? String(
      contentsOf: site.directory.appending(path: "\(reports ?? laptop.reports)/\(Site.building)/\(name)"),
      encoding: .utf8)
  }

  /// The building's reports agree with one another, and with `status` after a command that wrote them.
  mutating func checkFiles(
    _ laptop: Laptop, _ byManifest: BuildingAnswer, _ byID: BuildingAnswer, after done: Done
  ) throws {
    guard let json = text("building.json", laptop).flatMap(JSON.init) else { return }
    let file = BuildingAnswer(json: json, status: nil)
    checkCounts(BuildingAnswer(json: json, status: file.isComplete ? 0 : 100), "building.json")
    checkFormats(laptop, file)
    let runs = runs(of: laptop)
    guard done.outcome?.status != nil, runs != runsBefore, file.runs == runs else { return }
    if !file.answers.differences(from: byManifest.answers).isEmpty,
      !file.answers.differences(from: byID.answers).isEmpty
    {
      note(
        .init(
          kind: "building.json differs from both statuses", subject: "after \(done.command ?? "?")",
          detail: "building.json \(file.answers); by manifest \(byManifest.answers); by id \(byID.answers)"))
    }
  }

  mutating func checkFormats(_ laptop: Laptop, _ file: BuildingAnswer, in reports: String? = nil) {
    let answers = file.answers
    if let csv = text("building.csv", laptop, in: reports).map(RoomAnswers.init(csv:)), csv != answers {
      note(.init(kind: "building.csv differs from building.json", subject: "", detail: "\(csv); \(answers)"))
    }
    if let html = text("building.html", laptop, in: reports) {
      let page = RoomAnswers(html: html, ids: answers.rooms.map(\.id))
      if page != answers {
        note(
          .init(kind: "building.html differs from building.json", subject: "", detail: "\(page); \(answers)"))
      }
      let verdict = html.firstMatch(of: /<strong>([^<]*)<\/strong>/).map { String($0.1) } ?? ""
      let (done, all) = Self.roomsDone(in: verdict) ?? (-1, -1)
      if (done, all) != (file.count(StateName.done), file.counted.count) {
        note(.init(kind: "count in building.html", subject: "", detail: "\(verdict): \(answers)"))
      }
    }
    guard let junit = text("junit.xml", laptop, in: reports) else { return }
    guard let tests = JUnitAnswer(junit) else {
      return note(.init(kind: "junit.xml", subject: "", detail: junit))
    }
    for room in file.rooms {
      let (id, state) = (room["id"].text ?? "?", room["state"].text ?? "?")
      let expected: [String] =
        switch state {
        case StateName.done: ["passed"]
        case StateName.accepted, StateName.retired: ["skipped"]
        // A room that no run has worked on is skipped, though it is open.
        default: BuildingAnswer.isOpen(room) ? ["failed", "skipped"] : ["passed", "skipped", "failed"]
        }
      if !expected.contains(tests.results[id] ?? "?") {
        note(.init(kind: "junit.xml: \(state) \(tests.results[id] ?? "?")", subject: id, detail: ""))
      }
      if BuildingAnswer.isOpen(room), tests.results[id] == "skipped", state != StateName.untried {
        note(.init(kind: "junit.xml: open, tried and skipped", subject: id, detail: state))
      }
    }
    let values = Array(tests.results.values)
    let failed = (tests.counts["failures"] ?? 0) + (tests.counts["errors"] ?? 0)
    if tests.counts["tests"] != file.rooms.count || failed != values.count(where: { $0 == "failed" }) {
      note(.init(kind: "counts in junit.xml", subject: "", detail: "\(tests.counts) \(tests.results)"))
    }
  }

  // MARK: Reports on disk

  /// `report check` finds no difference after a command that wrote the reports.
  mutating func checkReports(_ laptop: Laptop, after done: Done) async throws {
    let wrote =
      done.laptop != nil && [0, 100, 130].contains(done.outcome?.status)
      && !(done.outcome?.errors.contains("Nothing to do:") ?? false)
    if wrote, ["apply", "verify", "accept", "replace", "retire"].contains(done.command) {
      let hasRun = done.outcome.map { !$0.errors.contains("nothing was recorded") } ?? false
      if hasRun,
        text("building.json", laptop).flatMap(JSON.init).map({
          BuildingAnswer(json: $0).runs == runs(of: laptop)
        }) ?? false
      {
        for subject in [Self.manifest, Site.building] {
          await checkReports(
            laptop, laptop.reports, subject,
            "after \(done.command ?? "?")\(done.words[1] == Site.building ? " by id" : "")")
        }
      }
    }
  }

  mutating func checkReports(_ laptop: Laptop, _ reports: String, _ subject: String, _ place: String)
    async
  {
    let outcome = await run(arguments(["report", "check", subject], laptop, in: reports))
    // Findings about the manifest come first.
    let words =
      outcome.errors.split(separator: "\n").first { $0.hasPrefix("roboprov: ") }.map(String.init) ?? ""
    guard outcome.status != 0, !words.contains("signed on") else { return }
    let file = words.split(separator: "/").last.map(String.init) ?? words
    let name = subject == Self.manifest ? "by manifest" : "by id"
    note(
      .init(
        kind: "report check \(name) \(place)",
        subject: file.hasPrefix("report.") || file.contains(".log") ? "run's files" : "building's files",
        detail: words))
  }

  /// Tries on a copy of the record what would change it: writing reports, signing, accepting.
  mutating func probe(_ laptop: Laptop, _ byManifest: BuildingAnswer, _ byID: BuildingAnswer)
    async throws
  {
    let copy = "copy"
    let folder = site.directory.appending(path: copy)
    func make() throws {
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.copyItem(at: site.directory.appending(path: laptop.reports), to: folder)
    }
    try make()
    let subject = chance.chance(0.5) ? Self.manifest : Site.building
    let answer = subject == Self.manifest ? byManifest : byID
    let name = subject == Self.manifest ? "by manifest" : "by id"
    if chance.chance(0.4) {
      let written = await run(
        arguments(["status", subject, "--write", "--output", "json"], laptop, in: copy))
      if written.status != 0 { note(.init(kind: "status --write", subject: name, detail: "\(written)")) }
      if let json = text("building.json", laptop, in: copy).flatMap(JSON.init) {
        let file = BuildingAnswer(json: json)
        checkFormats(laptop, file, in: copy)
        if file.answers != byID.answers {
          note(
            .init(
              kind: "status --write writes another state", subject: name,
              detail: "\(file.answers); \(answer.answers)"))
        }
      }
      for other in [Self.manifest, Site.building] {
        await checkReports(laptop, copy, other, "after status --write \(name)")
      }
      try await makeSigningKey()
      let signed = await run(arguments(["report", "sign", subject, "--key", "qa"], laptop, in: copy))
      if (signed.status == 0) != answer.isComplete {
        let words = signed.errors.split(separator: "\n").first ?? ""
        note(
          .init(
            kind:
              "report sign \(name): \(signed.status == 0 ? "signs an open building" : "refuses a complete building")",
            subject: "", detail: "\(words) \(answer.answers)"))
      }
      try make()
    }
    guard let room = answer.rooms.filter({ $0["in_manifest"].flag == true }).randomElement(using: &chance),
      let id = room["id"].text
    else { return }
    let state = room["state"].text ?? "?"
    let accepted = await run(
      arguments(["room", "accept", subject, id, "--reason", "probe", "--by", "Ada"], laptop, in: copy))
    if (accepted.status == 0) == [StateName.done, StateName.retired].contains(state) {
      note(
        .init(
          kind: "accept \(name) \(accepted.status == 0 ? "takes" : "refuses") a room that is \(state)",
          subject: id, detail: "\(accepted.errors)"))
    }
    guard accepted.status == 0 else { return }
    for other in [Self.manifest, Site.building] {
      guard let after = try await status(laptop, other, in: copy), let now = after.room(id) else { continue }
      let words = other == Self.manifest ? "by manifest" : "by id"
      if ![StateName.accepted, StateName.retired].contains(now["state"].text) {
        note(
          .init(
            kind: "accepted \(name) from \(state), and \(words) it is \(now["state"].text ?? "?")",
            subject: id, detail: ""))
      }
    }
    let selection = await run(
      arguments(
        ["plan", Self.manifest, "--failed", "--output", "json", "--scan-time", "1"], laptop, in: copy))
    if let step = JSON(selection.output)?["rooms"].items.first(where: { $0["room"].text == id }),
      ![StateName.accepted, StateName.retired].contains(step["exclusion"]["cause"].text)
    {
      note(
        .init(
          kind:
            "accepted \(name) from \(state), and plan has exclusion \(step["exclusion"]["cause"].text ?? "none")",
          subject: id, detail: ""))
    }
  }
}
