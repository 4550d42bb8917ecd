import Bluetooth
import Foundation
import Model
import SampleFacts
import VirtualBuilding

/// What commands say that use the radio, or that changed the record.
extension BuildingHistory {
  // MARK: Plan

  mutating func plan(_ laptop: Laptop, _ more: [String]) async -> (JSON?, Invocation.Outcome) {
    let outcome = await run(
      arguments(["plan", Self.manifest, "--output", "json", "--scan-time", "1"] + more, laptop))
    return (outcome.status == 0 ? JSON(outcome.output) : nil, outcome)
  }

  /// `plan --failed` selects the open rooms.
  mutating func checkSelection(_ laptop: Laptop, _ answer: BuildingAnswer) async throws {
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
  mutating func checkPlan(_ laptop: Laptop, _ answer: BuildingAnswer, _ byID: BuildingAnswer)
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
      guard cause == nil, let address = room["devices"][0].text.flatMap({ BluetoothAddress($0) }),
        !silent.contains(address), await isUntouched(address, answer.runs), step["received"].flag == true,
        // Another device has its identity, which the record need not know.
        step["reason"]["code"].text != "identity_on_air"
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
  func isUntouched(_ address: BluetoothAddress, _ runs: Set<String>) async -> Bool {
    guard let change = lastChanges[address]?.run, runs.contains(change) else { return false }
    return !pressed.contains(address)
  }

  // MARK: The step itself

  /// What the command of the step said agrees with the record after it.
  mutating func checkOutcome(
    _ laptop: Laptop, _ byManifest: BuildingAnswer, _ byID: BuildingAnswer, after done: Done
  ) {
    guard let outcome = done.outcome, let status = outcome.status else { return }
    switch done.command {
    case "apply" where done.laptop != nil && !done.isStranger:
      checkApply(laptop, byManifest, byID, done.arguments, outcome)
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
        byManifest.rooms.first { $0["room"].text == done.words[2] }
        ?? byID.rooms.first { $0["room"].text == done.words[2] }
      if status == 0, let room, ![StateName.accepted, StateName.retired].contains(room["state"].text) {
        note(
          .init(
            kind: "accepted, and the room is \(room["state"].text ?? "?")", subject: done.words[2],
            detail: "by \(done.words[1])"))
      }
    case "replace":
      for answer in [byManifest, byID] where status == 0 {
        let room = answer.rooms.first { $0["room"].text == done.words[2] }
        if let state = room?["state"].text, [StateName.done, StateName.accepted].contains(state) {
          note(.init(kind: "replaced, and the room is \(state)", subject: done.words[2], detail: ""))
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

  mutating func checkApply(
    _ laptop: Laptop, _ answer: BuildingAnswer, _ byID: BuildingAnswer, _ arguments: [String],
    _ outcome: Invocation.Outcome
  ) {
    if outcome.errors.contains("Nothing to do:") {
      if let (done, all) = Self.roomsDone(in: outcome.errors) {
        if (done, all) != (answer.count(StateName.done), answer.counted.count) {
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
    // With --force a room that is done is to be written again, and may wait for a person.
    let isForced = arguments.contains("--force")
    let expected = states.count { $0 == StateName.done }
    // The building's own line is compared below.
    if !isForced, !outcome.output.contains("The building: "),
      let (done, all) = Self.roomsDone(
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
    if hasNext == answer.isComplete, !isForced {
      note(
        .init(
          kind: hasNext
            ? "apply has a Next and the building is complete"
            : "apply has no Next and the building is not complete", subject: "", detail: "\(answer.answers)"))
    }
    if let line = outcome.output.split(separator: "\n").first(where: { $0.contains("The building: ") }),
      let (done, all) = Self.roomsDone(in: String(line)),
      (done, all) != (answer.count(StateName.done), answer.counted.count)
    {
      note(.init(kind: "apply's line about the building", subject: "", detail: "\(line): \(answer.answers)"))
    }
    if outcome.status == 0, states.contains(where: { $0 != StateName.done }) {
      note(.init(kind: "apply exits with 0", subject: "", detail: "\(selected) are \(states)"))
    }
  }
}
