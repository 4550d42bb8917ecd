import Engine
import Model
import Reporting

/// Checks of what the building needs, and which rooms are received from here.
extension Diagnosis {
  static let buildingChecks: [DoctorCheck<(building: BuildingFacts, facts: Diagnosis)>] = [
    DoctorCheck(each: "manifest_adapter") { building, facts in
      guard let radio = facts.radio, radio.failure == nil else { return [] }
      let absent = building.building.adapters.filter { description in
        !radio.adapters.contains { description.reference.names($0.adapter) }
      }
      return absent.map { description in
        let reference = description.reference.text
        let name = description.title.map { "\($0) (\(reference))" } ?? reference
        let rooms = building.rooms.filter { $0.near == description.reference }.map(\.name)
        let what = rooms.isEmpty ? "" : "; rooms that are matched by it: \(RoomNameList.text(rooms))"
        return Finding(
          .warning, about: reference, "The manifest's adapter \(name) is not present\(what).",
          advice:
            "Plug it in, or correct its address in the manifest; those that are present are listed above.")
      }
    },
    DoctorCheck(each: "passwords") { building, _ in
      let others = building.passwords.compactMap { wanted, failure -> Finding? in
        let (networks, source) = (SecretMessages.networks(of: wanted), wanted.reference.source)
        let subject = "The password of \(networks)"
        switch source {
        case .command:
          let why = "it is the output of a program, which only `plan` and `apply` run"
          return Finding(.note, about: networks, "\(subject) is unknown: \(why).")
        case .prompt:
          let why = "`plan` and `apply` ask for it at the terminal"
          return Finding(.note, about: networks, "\(subject) is unknown: \(why).")
        case .environment, .file, .labels:
          guard let failure else { return nil }
          let words = SecretMessages.sentence(failure, source)
          return Finding(.error, about: networks, "\(subject): \(words.sentence).", advice: words.advice)
        }
      }
      let (all, set) = (building.passwords.count, building.passwords.count - others.count)
      return set == 0 ? others : [Finding(.ok, "Passwords that are set: \(set) of \(all).")] + others
    },
    DoctorCheck(each: "record") { building, _ in
      if let fault = building.recordFault {
        return [Finding(.error, "The building's record cannot be used: \(fault).")]
      }
      let known = building.known
      let names = RoomNames(building.building, known.lastKnown)
      return conflicts(of: building.rooms, with: known.lastKnown, allowing: known.permissions).prefix(20).map
      {
        let words = $0.explanation(names.name(of:))
        return Finding(.error, words.sentence, advice: words.advice)
      }
    },
    DoctorCheck("rooms") { building, _ in
      let without = building.rooms.filter {
        building.known.addresses(of: $0).isEmpty && $0.near == nil && $0.deviceName == nil && !$0.isRegistered
      }
      guard !without.isEmpty else { return nil }
      let names = RoomNameList.text(without.map(\.name))
      let count = without.count.rooms + (without.count == 1 ? " has" : " have")
      guard building.building.assignment != .any else {
        return Finding(.note, "\(count) no address and may get any device that waits: \(names).")
      }
      return Finding(
        .warning, "\(count) no address: \(names).", advice: "Read their labels:",
        command: "roboprov capture \(building.manifest.shellQuoted)")
    },
    DoctorCheck("reception") { building, _ in
      building.reception?.finding("Which rooms are received from here is") { scan in
        let (received, missing) = (scan.rooms.received, scan.rooms.missing)
        let place = "in \(scan.seconds.shown) s on \(scan.adapters.joined(separator: ", "))"
        let sentence = "\(received.count) of \(received.count + missing.count) rooms received \(place)"
        guard !missing.isEmpty else { return Finding(.ok, "\(sentence).") }
        return Finding(
          received.isEmpty ? .warning : .note,
          "\(sentence); not received: \(RoomNameList.text(missing.map(\.name))).",
          advice: Diagnosis.advice(missing), command: "roboprov doctor \(building.manifest.shellQuoted)")
      }
    },
    DoctorCheck("reception") { building, _ in
      guard let rooms = building.reception?.value?.rooms, !rooms.unknown.isEmpty else { return nil }
      return Finding(
        .note,
        "Rooms without a known device: \(rooms.unknown.count); waiting devices that belong to no room: \(rooms.unclaimed)."
      )
    },
  ]

  /// The advice to move: the floors with rooms that were not received, if the manifest has floors.
  private static func advice(_ missing: [Room]) -> String {
    var floors: [String] = []
    for floor in missing.compactMap(\.floor) where !floors.contains(floor) { floors.append(floor) }
    let waits = missing.contains { $0.family.words.makeItWait != nil }
    let power = "check that the devices have power" + (waits ? " and wait" : "")
    guard !floors.isEmpty else { return "Move to these rooms, \(power), and check again:" }
    let parts = floors.map { floor in
      let rooms = missing.filter { $0.floor == floor }.map(\.name)
      return "floor \(floor) (\(RoomNameList.text(rooms, atMost: 4)))"
    }
    return "Move to \(parts.joined(separator: ", ")), \(power), and check again:"
  }
}

extension Double {
  fileprivate var shown: String { self == rounded() ? String(Int(self)) : String(self) }
}
