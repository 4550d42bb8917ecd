import Bluetooth
import Foundation
import Model
import SampleFacts
import VirtualBuilding

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

  func arguments(_ command: [String], _ laptop: Laptop, in reports: String? = nil) -> [String] {
    command + ["--reports", reports ?? laptop.reports]
      + (command.prefix(2) == ["report", "check"] ? [] : ["--site-key", laptop.siteKey])
  }

  mutating func status(_ laptop: Laptop, _ subject: String, in reports: String? = nil) async throws
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

  mutating func checkCounts(_ answer: BuildingAnswer, _ place: String) {
    let summary = answer.json["summary"]
    for name in summary.keys where summary[name].flag == nil || summary[name].integer ?? 0 > 1 {
      let expected = name == "total" ? answer.rooms.count : answer.rooms.count { $0["state"].text == name }
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

  mutating func checkManifestAddsOnly(_ byManifest: BuildingAnswer, _ byID: BuildingAnswer) {
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

  mutating func checkText(_ laptop: Laptop, _ subject: String, _ answer: BuildingAnswer) async throws {
    let outcome = await run(arguments(["status", subject], laptop))
    let (done, all) = Self.roomsDone(in: outcome.output) ?? (-1, -1)
    if (done, all) != (answer.count(StateName.done), answer.counted.count) {
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
    if let match = text.firstMatch(of: /([0-9]+) of (?:the )?([0-9]+) (?:selected )?rooms? (?:are )?done/) {
      return (Int(match.1) ?? -1, Int(match.2) ?? -1)
    }
    if text.contains("nly room is done") || text.contains("o rooms on record") {
      return text.contains("nly") ? (1, 1) : (0, 0)
    }
    if let match = text.firstMatch(of: /(?:[Aa]ll )?([0-9]+) rooms? done/) {
      return (Int(match.1) ?? -1, Int(match.1) ?? -1)
    }
    return nil
  }

  // MARK: Devices

  /// Each device of a room that is done holds what the record calls acknowledged or proved.
  mutating func checkDevices(_ answer: BuildingAnswer, _ place: String) async throws {
    let runs = answer.runs
    for room in answer.rooms where room["state"].text == StateName.done {
      let id = room["id"].text ?? "?"
      let text = room["evidence"]["address"].text ?? room["devices"][0].text
      guard let address = text.flatMap({ BluetoothAddress($0) }) else {
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
  mutating func checkWanted(_ answer: BuildingAnswer) async throws {
    let runs = answer.runs
    let wanted = try rooms()
    for room in answer.rooms {
      let id = room["id"].text ?? "?"
      guard let manifest = wanted.first(where: { $0.id.rawValue == id }) else { continue }
      let devices = room["devices"].items.compactMap { $0.text.flatMap { BluetoothAddress($0) } }
      let state = room["state"].text
      if state == StateName.done, let address = manifest.address, !devices.contains(address) {
        note(
          .init(
            kind: "done, and the manifest has another address", subject: id,
            detail: "\(address), on record \(devices)"))
      }
      // An acceptance is about the device that the manifest had then.
      let then = room["acceptances"].items.last?["run"].text.flatMap { roomsAtRun[$0] }?.first {
        $0.id == manifest.id
      }
      if state == StateName.accepted, let then, then.address != manifest.address {
        note(
          .init(
            kind: "accepted with another address", subject: id,
            detail: "\(then.address?.description ?? "none") then"))
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
}
