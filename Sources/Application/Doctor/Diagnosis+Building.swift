import Engine
import Reporting
import Model

/// Findings about the needs of the building, and about the rooms received from here.
extension Diagnosis {
  var needs: [Finding] {
    guard let building else { return [] }
    return adapters(of: building) + passwords(of: building) + record(of: building) + rooms(of: building)
      + reception(of: building)
  }

  private func adapters(of facts: BuildingFacts) -> [Finding] {
    guard let radio, radio.failure == nil else { return [] }
    return facts.building.adapters.compactMap { description in
      guard !radio.adapters.contains(where: { description.reference.names($0.adapter) }) else { return nil }
      let reference = description.reference.text
      let name = description.title.map { "\($0) (\(reference))" } ?? reference
      let rooms = facts.rooms.filter { $0.near == description.reference }
      let what =
        rooms.isEmpty
        ? ""
        : "; rooms that are matched by it: "
          + RoomNameList.text(rooms.map(\.name))
      return Finding(
        .manifestAdapter, .warning, about: reference,
        "The manifest's adapter \(name) is not present\(what).",
        advice: "Plug it in, or correct its address in the manifest; those that are present are listed above."
      )
    }
  }

  private func passwords(of facts: BuildingFacts) -> [Finding] {
    let set = facts.passwords.count { $0.state == .set }
    let ok = Finding(.passwords, .ok, "Passwords that are set: \(set) of \(facts.passwords.count).")
    return (set == 0 ? [] : [ok])
      + facts.passwords.compactMap { password in
        let subject = "The password of \(password.networks)"
        switch password.state {
        case .set: return nil
        case .missing(let sentence, let advice):
          return Finding(
            .passwords, .error, about: password.networks, "\(subject): \(sentence).", advice: advice)
        case .unchecked(let why):
          return Finding(.passwords, .note, about: password.networks, "\(subject) is unknown: \(why).")
        }
      }
  }

  private func record(of facts: BuildingFacts) -> [Finding] {
    if let fault = facts.recordFault {
      return [Finding(.record, .error, "The building's record cannot be used: \(fault).")]
    }
    let conflicts = conflicts(of: facts.rooms, with: facts.known.lastKnown, allowing: facts.known.permissions)
    let names = RoomNames(facts.building, facts.known.lastKnown)
    return conflicts.prefix(20).map { conflict in
      let words = conflict.explanation(names.name(of:))
      return Finding(.record, .error, words.sentence, advice: words.advice)
    }
  }

  private func rooms(of facts: BuildingFacts) -> [Finding] {
    let without = facts.rooms.filter {
      facts.known.addresses(of: $0).isEmpty && $0.near == nil && $0.deviceName == nil && !$0.isRegistered
    }
    guard !without.isEmpty else { return [] }
    let names = RoomNameList.text(without.map(\.name))
    let count = without.count.rooms + (without.count == 1 ? " has" : " have")
    switch facts.building.assignment {
    case .any:
      return [Finding(.rooms, .note, "\(count) no address and may get any device that waits: \(names).")]
    case .later, .address:
      return [
        Finding(
          .rooms, .warning, "\(count) no address: \(names).", advice: "Read their labels:",
          command: "roboprov capture \(facts.manifest.shellQuoted)")
      ]
    }
  }

  // MARK: RoomReception

  private func reception(of facts: BuildingFacts) -> [Finding] {
    switch facts.reception {
    case nil: return []
    case .unknown(let why):
      return [Finding(.reception, .note, "Which rooms are received from here is unknown: \(why).")]
    case .known(let scan):
      let reception = scan.rooms
      let known = reception.received.count + reception.missing.count
      let place = "in \(scan.seconds.shown) s on \(scan.adapters.joined(separator: ", "))"
      var findings: [Finding] = []
      if reception.missing.isEmpty {
        findings.append(
          Finding(.reception, .ok, "\(reception.received.count) of \(known) rooms received \(place)."))
      } else {
        findings.append(
          Finding(
            .reception, reception.received.isEmpty ? .warning : .note,
            "\(reception.received.count) of \(known) rooms received \(place); not received: "
              + RoomNameList.text(reception.missing.map(\.name)) + ".",
            advice: advice(reception), command: "roboprov doctor \(facts.manifest.shellQuoted)"))
      }
      if !reception.unknown.isEmpty {
        findings.append(
          Finding(
            .reception, .note,
            "Rooms without a known device: \(reception.unknown.count); waiting devices that belong to no room: "
              + "\(reception.unclaimed)."
          ))
      }
      return findings
    }
  }

  /// The advice to move: the floors with rooms that were not received, if the manifest has floors.
  private func advice(_ reception: RoomReception) -> String {
    var floors: [String] = []
    for floor in reception.missing.compactMap(\.floor) where !floors.contains(floor) { floors.append(floor) }
    let makeItWait = Set(reception.missing.compactMap(\.family.words.makeItWait))
      .sorted()
    let power =
      makeItWait.isEmpty ? "check that the devices have power" : "check that the devices have power and wait"
    guard !floors.isEmpty else { return "Move to these rooms, \(power), and check again:" }
    let parts = floors.map { floor in
      let rooms = reception.missing.filter { $0.floor == floor }.map(\.name)
      return "floor \(floor) (\(RoomNameList.text(rooms, atMost: 4)))"
    }
    return "Move to \(parts.joined(separator: ", ")), \(power), and check again:"
  }
}

extension Double {
  fileprivate var shown: String { self == rounded() ? String(Int(self)) : String(self) }
}
