import Bluetooth
import Foundation
import Model
import SampleFacts
import VirtualBuilding
import VirtualTime

/// The rules: all outputs about a room agree with one another and with the device.
extension BuildingHistory {
  /// Compares everything that the record of a laptop says.
  mutating func checkAll(_ laptop: Laptop, after done: Done) async throws {
    chance = seeds.split("checks").split(UInt64(step))
    guard let byManifest = try await status(laptop, Self.manifest),
      let byID = try await status(laptop, Site.building)
    else { return }
    checkCounts(byManifest, "by manifest")
    checkCounts(byID, "by id")
    checkManifestAddsOnly(byManifest, byID)
    try await checkText(laptop, Self.manifest, byManifest)
    try await checkText(laptop, Site.building, byID)
    try await checkDevices(byManifest, "by manifest")
    try await checkWanted(byManifest)
    try await checkDevices(byID, "by id")
    try checkFiles(laptop, byManifest, byID, after: done)
    try await checkSelection(laptop, byManifest)
    try await checkPlan(laptop, byManifest, byID)
    checkOutcome(laptop, byManifest, byID, after: done)
    try await checkReports(laptop, after: done)
    try await probe(laptop, byManifest, byID)
  }

  private func arguments(_ command: [String], _ laptop: Laptop, in reports: String? = nil) -> [String] {
    command + ["--reports", reports ?? laptop.reports, "--site-key", laptop.siteKey]
  }

  private mutating func status(_ laptop: Laptop, _ subject: String, in reports: String? = nil) async throws
    -> BuildingAnswer?
  {
    let outcome = await run(
      arguments(["status", subject, "--check", "--output", "json"], laptop, in: reports))
    guard let json = JSON(outcome.output) else {
      note(.init(kind: "status without output", subject: subject, detail: "\(outcome)"))
      return nil
    }
    return BuildingAnswer(json: json, status: outcome.status)
  }

  // MARK: Status

  private mutating func checkCounts(_ answer: BuildingAnswer, _ place: String) {
    let summary = answer.json["summary"]
    for name in summary.keys where summary[name].flag == nil || summary[name].integer ?? 0 > 1 {
      let expected = name == "total" ? answer.rooms.count : answer.count(name)
      if name != "complete", summary[name].integer != expected {
        note(
          .init(
            kind: "summary counts", subject: "\(name) \(place)",
            detail: "\(summary[name].integer ?? -1), not \(expected)"))
      }
    }
    let open = answer.rooms.filter(BuildingAnswer.isOpen).compactMap { $0["id"].text }
    if answer.isComplete != (open.isEmpty && !answer.rooms.isEmpty) {
      note(
        .init(
          kind: "complete with open rooms", subject: place,
          detail: "complete \(answer.isComplete), open \(open)"))
    }
    if answer.status != (answer.isComplete ? 0 : 100) {
      note(
        .init(
          kind: "exit status of status --check", subject: place,
          detail: "\(answer.status ?? -1), complete \(answer.isComplete)"))
    }
  }

  private mutating func checkManifestAddsOnly(_ byManifest: BuildingAnswer, _ byID: BuildingAnswer) {
    // The digest of a manifest does not cover its passwords.
    let newest = byID.json["runs"].items.last { $0["command"].text == "apply" }?["id"].text
    let isSame =
      byManifest.manifest == byID.manifest && newest.flatMap { passwordsAtRun[$0] } == passwords
    for id in byManifest.answers.differences(from: byID.answers) {
      let (wanted, recorded) = (byManifest.room(id), byID.room(id))
      guard let wanted, let recorded else {
        // A room without a record is only in the manifest.
        if wanted == nil || isSame {
          note(
            .init(
              kind: "room in one status only", subject: id,
              detail: "by manifest \(byManifest.answers), by id \(byID.answers)"))
        }
        continue
      }
      // A room that one of the two manifests does not have.
      guard wanted["in_manifest"].flag == true, recorded["in_manifest"].flag == true else { continue }
      let words = "by manifest \(wanted["state"].text ?? "?"), by id \(recorded["state"].text ?? "?")"
      if isSame {
        note(.init(kind: "same manifest, other state: \(words)", subject: id, detail: words))
      } else if BuildingAnswer.isOpen(recorded) || !BuildingAnswer.isOpen(wanted) {
        note(.init(kind: "the manifest does not only add: \(words)", subject: id, detail: words))
      }
    }
  }

  private mutating func checkText(_ laptop: Laptop, _ subject: String, _ answer: BuildingAnswer) async throws
  {
    let outcome = await run(arguments(["status", subject], laptop))
    let (done, all) = Self.roomsDone(in: outcome.output) ?? (-1, -1)
    if (done, all) != (answer.count(StateName.done), answer.rooms.count) {
      note(.init(kind: "count in status", subject: subject, detail: "\(done) of \(all): \(answer.answers)"))
    }
    for room in answer.rooms where BuildingAnswer.isOpen(room) {
      let name = room["room"].text ?? "?"
      if !outcome.output.contains(name) {
        note(
          .init(
            kind: "status does not name an open room", subject: "\(name) \(subject)", detail: outcome.output))
      }
    }
    if outcome.output.contains("\nNext: ") == answer.isComplete {
      note(
        .init(
          kind: "Next in status", subject: subject, detail: "complete \(answer.isComplete)\n\(outcome.output)"
        ))
    }
  }

  /// The numbers of “2 of 3 rooms done” or “All 3 rooms done”.
  static func roomsDone(in text: String) -> (Int, Int)? {
    if let match = text.firstMatch(of: /([0-9]+) of ([0-9]+) rooms? (?:are )?done/) {
      return (Int(match.1) ?? -1, Int(match.2) ?? -1)
    }
    if let match = text.firstMatch(of: /(?:All )?([0-9]+) rooms? done/) {
      return (Int(match.1) ?? -1, Int(match.1) ?? -1)
    }
    return nil
  }

  // MARK: Devices

  /// Each device of a room that is done holds what the record calls acknowledged or proved.
  private mutating func checkDevices(_ answer: BuildingAnswer, _ place: String) async throws {
    let runs = answer.runs
    for room in answer.rooms where room["state"].text == StateName.done {
      let id = room["id"].text ?? "?"
      let text = room["evidence"]["address"].text ?? room["devices"][0].text
      guard let address = text.flatMap(BluetoothAddress.init) else {
        note(.init(kind: "done without a device", subject: "\(id) \(place)", detail: ""))
        continue
      }
      // Changed by somebody whose record this is not.
      if let change = lastChanges[address], change.run.map({ !runs.contains($0) }) ?? true { continue }
      let flash = await building.world.flash(of: address)
      let family = building.world.scenario.sensors.first { $0.address == address }?.family
      guard let flash, let family, flash.isSaved else {
        note(.init(kind: "done, and nothing saved", subject: "\(id) \(place)", detail: "\(address)"))
        continue
      }
      for setting in room["settings"].items where ["acknowledged", "proved"].contains(setting["state"].text) {
        let name = setting["name"].text ?? "?"
        guard let description = family.settings.first(where: { $0.name == name }), !description.isComputed
        else { continue }
        let expected: [UInt8]?
        if let value = setting["value"].text {
          expected = description.encode(value)
        } else {
          let then = setting["run"].text.flatMap { roomsAtRun[$0] }?.first { $0.id.rawValue == id }
          expected = then.flatMap { family.flash(of: $0)[name] }
        }
        guard let expected, flash.values[name] != expected else { continue }
        note(
          .init(
            kind: "done, and the device holds another \(name)", subject: "\(id) \(place)",
            detail:
              "\(address) \(setting["value"].text ?? "–") \(setting["state"].text ?? "") in \(setting["run"].text ?? "–")"
          ))
      }
    }
  }

  /// Each device of a room that is done by the manifest holds what the manifest wants. Passwords cannot be compared
  /// with the keys of two sites.
  private mutating func checkWanted(_ answer: BuildingAnswer) async throws {
    let runs = answer.runs
    let wanted = try rooms()
    for room in answer.rooms {
      let id = room["id"].text ?? "?"
      guard let manifest = wanted.first(where: { $0.id.rawValue == id }) else { continue }
      let devices = room["devices"].items.compactMap { $0.text.flatMap(BluetoothAddress.init) }
      let state = room["state"].text
      if let address = manifest.address, !devices.isEmpty, !devices.contains(address),
        state == StateName.done || state == StateName.accepted
      {
        note(
          .init(
            kind: "\(state ?? "?"), and the manifest has another address", subject: id,
            detail: "\(address), on record \(devices)"))
      }
      guard state == StateName.done, let address = devices.first, devices.count == 1,
        let change = lastChanges[address]?.run, runs.contains(change),
        let family = building.world.scenario.sensors.first(where: { $0.address == address })?.family,
        let flash = await building.world.flash(of: address)
      else { continue }
      for (name, value) in family.flash(of: manifest).sorted(by: { $0.key < $1.key })
      where flash.values[name] != value && (name != "wifi_password" || hasOneKey) {
        note(
          .init(
            kind: "done by the manifest, and the device holds another \(name)", subject: id,
            detail: "\(address)"))
      }
    }
  }

  // MARK: Files

  private func text(_ name: String, _ laptop: Laptop, in reports: String? = nil) -> String? {
    try? String(
      contentsOf: site.directory.appending(path: "\(reports ?? laptop.reports)/\(Site.building)/\(name)"),
      encoding: .utf8)
  }

  /// The building's reports agree with one another, and with `status` after a command that wrote them.
  private mutating func checkFiles(
    _ laptop: Laptop, _ byManifest: BuildingAnswer, _ byID: BuildingAnswer, after done: Done
  ) throws {
    guard let json = text("building.json", laptop).flatMap(JSON.init) else { return }
    let file = BuildingAnswer(json: json, status: nil)
    checkCounts(BuildingAnswer(json: json, status: file.isComplete ? 0 : 100), "building.json")
    checkFormats(laptop, file)
    guard done.laptop != nil, done.outcome?.status != nil, file.runs == byID.runs else { return }
    if !file.answers.differences(from: byManifest.answers).isEmpty,
      !file.answers.differences(from: byID.answers).isEmpty
    {
      note(
        .init(
          kind: "building.json differs from both statuses", subject: "after \(done.command ?? "?")",
          detail: "building.json \(file.answers); by manifest \(byManifest.answers); by id \(byID.answers)"))
    }
  }

  private mutating func checkFormats(_ laptop: Laptop, _ file: BuildingAnswer, in reports: String? = nil) {
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
      if (done, all) != (file.count(StateName.done), file.rooms.count) {
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
      if BuildingAnswer.isOpen(room), tests.results[id] == "skipped", room["runs"].count > 0 {
        note(.init(kind: "junit.xml: open, tried and skipped", subject: id, detail: state))
      }
    }
    let values = Array(tests.results.values)
    let failed = (tests.counts["failures"] ?? 0) + (tests.counts["errors"] ?? 0)
    if tests.counts["tests"] != file.rooms.count || failed != values.count(where: { $0 == "failed" }) {
      note(.init(kind: "counts in junit.xml", subject: "", detail: "\(tests.counts) \(tests.results)"))
    }
  }

  // MARK: Plan

  private mutating func plan(_ laptop: Laptop, _ more: [String]) async -> (JSON?, Invocation.Outcome) {
    let outcome = await run(
      arguments(["plan", Self.manifest, "--output", "json", "--scan-time", "1"] + more, laptop))
    return (outcome.status == 0 ? JSON(outcome.output) : nil, outcome)
  }

  /// `plan --failed` selects the open rooms.
  private mutating func checkSelection(_ laptop: Laptop, _ answer: BuildingAnswer) async throws {
    let (json, outcome) = await plan(laptop, ["--failed"])
    guard let json else {
      if answer.isComplete {
        note(.init(kind: "plan is refused, and status is complete", subject: "", detail: "\(outcome)"))
      }
      return
    }
    for room in json["rooms"].items {
      let id = room["room"].text ?? "?"
      guard let status = answer.room(id) else {
        note(.init(kind: "room in plan only", subject: id, detail: ""))
        continue
      }
      let isSelected = room["exclusion"].keys.isEmpty
      if isSelected != BuildingAnswer.isOpen(status) {
        note(
          .init(
            kind:
              "plan --failed \(isSelected ? "selects" : "leaves out") a room that is \(status["state"].text ?? "?")",
            subject: id,
            detail:
              "exclusion \(room["exclusion"]["cause"].text ?? "none"), action \(room["action"].text ?? "?")"))
      }
    }
  }

  /// `plan` calls the same rooms done, accepted and retired; a device that somebody changed may differ.
  private mutating func checkPlan(_ laptop: Laptop, _ answer: BuildingAnswer, _ byID: BuildingAnswer)
    async throws
  {
    let (json, _) = await plan(laptop, [])
    guard let json else { return }
    for step in json["rooms"].items {
      let id = step["room"].text ?? "?"
      guard let room = answer.room(id), let state = room["state"].text else { continue }
      let cause = step["exclusion"]["cause"].text
      let isExcluded = [StateName.accepted, StateName.retired].contains(state)
      if isExcluded != (cause != nil) || isExcluded && cause != state {
        note(.init(kind: "plan: \(state) and exclusion \(cause ?? "none")", subject: id, detail: ""))
      }
      let action = step["action"].text ?? "?"
      guard cause == nil, let address = room["devices"][0].text.flatMap(BluetoothAddress.init),
        !silent.contains(address), await isUntouched(address, answer.runs), step["received"].flag == true
      else { continue }
      if state == StateName.done, action != "done" {
        note(
          .init(
            kind: "plan: \(action) a room that is done", subject: id,
            detail: "\(step["reason"]["code"].text ?? "")"))
      }
      let isFindingOfManifest = byID.room(id).map { !BuildingAnswer.isOpen($0) } ?? false
      if BuildingAnswer.isOpen(room), isFindingOfManifest, action == "done" {
        note(.init(kind: "plan: done, and status says \(state) by the manifest", subject: id, detail: ""))
      }
    }
  }

  /// Whether a device is as a run of this record left it.
  private func isUntouched(_ address: BluetoothAddress, _ runs: Set<String>) async -> Bool {
    guard let change = lastChanges[address]?.run, runs.contains(change) else { return false }
    return !pressed.contains(address)
  }

  // MARK: The step itself

  /// What the command of the step said agrees with the record after it.
  private mutating func checkOutcome(
    _ laptop: Laptop, _ byManifest: BuildingAnswer, _ byID: BuildingAnswer, after done: Done
  ) {
    guard let outcome = done.outcome, let status = outcome.status else { return }
    switch done.command {
    case "apply" where done.laptop != nil && !done.isStranger: checkApply(laptop, byManifest, byID, outcome)
    case "verify":
      guard let run = runs(of: laptop).subtracting(runsBefore).first else { return }
      for room in byManifest.rooms where room["verification"]["run"].text == run {
        let (state, finding) = (room["state"].text ?? "?", room["verification"]["finding"].text ?? "?")
        let isBad = ["missing", "waiting", "other_identity", "other_device"].contains(finding)
        if isBad && state == StateName.done || finding == "on_air" && state == "missing" {
          note(
            .init(
              kind: "verify: \(finding), and the room is \(state)", subject: room["id"].text ?? "?",
              detail: ""))
        }
      }
    case "accept":
      let room =
        byManifest.rooms.first { $0["room"].text == done.arguments[2] }
        ?? byID.rooms.first { $0["room"].text == done.arguments[2] }
      if status == 0, let room, ![StateName.accepted, StateName.retired].contains(room["state"].text) {
        note(
          .init(
            kind: "accepted, and the room is \(room["state"].text ?? "?")", subject: done.arguments[2],
            detail: "by \(done.arguments[1])"))
      }
    case "replace":
      for answer in [byManifest, byID] where status == 0 {
        let room = answer.rooms.first { $0["room"].text == done.arguments[2] }
        if let state = room?["state"].text, [StateName.done, StateName.accepted].contains(state) {
          note(.init(kind: "replaced, and the room is \(state)", subject: done.arguments[2], detail: ""))
        }
      }
    case "report" where done.arguments[1] == "merge":
      guard let json = JSON(outcome.output) else { return }
      for room in json["rooms"].items {
        let id = room["room"].text ?? room["id"].text ?? "?"
        guard let state = room["state"].text, let other = byID.state(id), state != other else { continue }
        note(.init(kind: "merge: \(state), status by id: \(other)", subject: id, detail: ""))
      }
    default: break
    }
  }

  private mutating func checkApply(
    _ laptop: Laptop, _ answer: BuildingAnswer, _ byID: BuildingAnswer, _ outcome: Invocation.Outcome
  ) {
    if outcome.errors.contains("Nothing to do:") {
      if let (done, all) = Self.roomsDone(in: outcome.errors) {
        let wanted = answer.rooms.filter { $0["in_manifest"].flag == true }
        let expected = wanted.count { $0["state"].text == StateName.done }
        if done != expected || all != wanted.count {
          note(
            .init(
              kind: "count in “Nothing to do”", subject: "", detail: "\(outcome.errors) \(answer.answers)"))
        }
      }
      return
    }
    guard let json = text("latest/report.json", laptop).flatMap(JSON.init),
      json["run"]["id"].text.map({ roomsAtRun[$0] != nil }) ?? false,
      outcome.output.contains(json["run"]["id"].text ?? "?")
    else { return }
    for room in json["rooms"].items where room["state"].text != byID.state(room["id"].text ?? "?") {
      note(
        .init(
          kind:
            "report.json: \(room["state"].text ?? "none"), status by id: \(byID.state(room["id"].text ?? "?") ?? "none")",
          subject: room["id"].text ?? "?", detail: ""))
    }
    for name in json["building_after"].keys
    where json["building_after"][name].integer != byID.json["summary"][name].integer {
      note(.init(kind: "building_after of report.json", subject: name, detail: "\(byID.answers)"))
    }
    let selected = json["rooms"].items.filter { $0["exclusion"].keys.isEmpty }.compactMap { $0["id"].text }
    let states = selected.map { answer.state($0) ?? "?" }
    let expected = states.count { $0 == StateName.done }
    if let (done, all) = Self.roomsDone(
      in: outcome.output.components(separatedBy: "\n").last { $0.contains(" done in ") } ?? ""),
      done != expected || all != selected.count
    {
      let wrong = json["rooms"].items.filter { $0["exclusion"].keys.isEmpty }.filter {
        ($0["outcome"].text ?? "").contains("provisioned")
          != (answer.state($0["id"].text ?? "") == StateName.done)
      }
      let words = wrong.map {
        "\($0["outcome"].text ?? "?") \($0["reason_code"].text ?? "")/\(answer.state($0["id"].text ?? "") ?? "?")"
      }
      note(
        .init(
          kind: "apply's outcome and status: \(Set(words).sorted().joined(separator: " "))", subject: "",
          detail: "\(done) of \(all) done; status has \(expected)"))
    }
    let hasNext = outcome.output.contains("\nNext: ")
    // The next command of a run on a part of the building is about that part.
    let isWhole = answer.rooms.allSatisfy {
      !BuildingAnswer.isOpen($0) || selected.contains($0["id"].text ?? "?")
    }
    if hasNext == answer.isComplete, hasNext || isWhole {
      note(
        .init(
          kind: hasNext
            ? "apply has a Next and the building is complete"
            : "apply has no Next and the building is not complete", subject: "", detail: "\(answer.answers)"))
    }
    if let line = outcome.output.split(separator: "\n").first(where: { $0.contains("The building: ") }),
      let (done, all) = Self.roomsDone(in: String(line)),
      (done, all) != (answer.count(StateName.done), answer.rooms.count)
    {
      note(.init(kind: "apply's line about the building", subject: "", detail: "\(line): \(answer.answers)"))
    }
    if outcome.status == 0, states.contains(where: { $0 != StateName.done }) {
      note(.init(kind: "apply exits with 0", subject: "", detail: "\(selected) are \(states)"))
    }
  }

  // MARK: Reports on disk

  /// `report check` finds no difference after a command that wrote the reports.
  private mutating func checkReports(_ laptop: Laptop, after done: Done) async throws {
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
            "after \(done.command ?? "?")\(done.arguments[1] == Site.building ? " by id" : "")")
        }
      }
    }
  }

  private mutating func checkReports(_ laptop: Laptop, _ reports: String, _ subject: String, _ place: String)
    async
  {
    let outcome = await run(arguments(["report", "check", subject], laptop, in: reports))
    let words = outcome.errors.split(separator: "\n").first.map(String.init) ?? ""
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
  private mutating func probe(_ laptop: Laptop, _ byManifest: BuildingAnswer, _ byID: BuildingAnswer)
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
        if file.answers != answer.answers {
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
      arguments(["accept", subject, id, "--reason", "probe", "--by", "Ada"], laptop, in: copy))
    if (accepted.status == 0) == (state == StateName.done) {
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
