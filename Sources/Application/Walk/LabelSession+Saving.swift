import Engine
import Model
import Reporting
import Waiting

extension LabelSession {
  /// Carries out what follows from an entry.
  /// - Returns: What the person is told; nil if there is nothing to say.
  func take(
    _ action: Walk.Action, _ received: Received, by person: Walk.Person
  ) async -> PhoneAnswer? {
    switch action {
    case .nothing, .locate: return nil
    case .show(let message):
      return PhoneAnswer(person == .terminal ? message.words : message.wordsOnPhone, isGood: message.isGood)
    case .save(let assignments): return save(assignments, received, by: person)
    case .provision(let room):
      queue(room, by: person)
      return nil
    case .undo(let name): return undo(name, by: person)
    case .find(let digits, let stop): return await find(digits, for: stop, by: person)
    case .identify(let device):
      guard let address = await address(of: device) else {
        return PhoneAnswer("not received now", isGood: false)
      }
      let answer = OneShot<PhoneAnswer>()
      add(.identify(address, answer))
      return await answer.value()
    }
  }

  private func find(
    _ digits: String, for stop: Walk.Stop, by person: Walk.Person
  ) async -> PhoneAnswer? {
    guard let wanted = LabelDigits(digits) else { return nil }
    var found = await offers(wanted, for: stop.room)
    while found?.isEmpty == true, isScanYoung {
      try? await means.stack?.clock.sleep(for: .milliseconds(250))
      found = await offers(wanted, for: stop.room)
    }
    guard let offers = found else {
      return PhoneAnswer(Walk.Message.notReceiving.words, isGood: false)
    }
    // The person may have gone on meanwhile.
    guard walk.stop(of: person)?.room.id == stop.room.id else { return nil }
    switch offers.count {
    case 0: return PhoneAnswer(Walk.Message.noMatch(wanted.text).words, isGood: false)
    case 1:
      walk.offer(offers, to: person)
      return nil
    case let count: return PhoneAnswer(Walk.Message.severalMatches(wanted.text, count).words, isGood: false)
    }
  }

  // MARK: The manifest

  private func save(
    _ assignments: [Walk.Assignment], _ received: Received, by person: Walk.Person
  ) -> PhoneAnswer? {
    if walk.provisions, let problem = problem(with: assignments[0], in: received.all) {
      walk.notSaved(by: person)
      return PhoneAnswer(problem, isGood: false)
    }
    let rooms = source.building.rooms.filter { room in assignments.contains { $0.room == room.id } }
    var complete = assignments
    do {
      if !means.isRehearsal { complete = try DeviceLabel.completed(assignments, in: source.building) }
      let patches = means.isRehearsal ? [] : try DeviceLabel.write(complete, to: source.path)
      if walk.provisions, !means.isRehearsal {
        // The digest for the record must be that of the changed manifest.
        let resolved = source.building
        source = try ManifestSource.load(source.path)
        source.building = resolved
      }
      follow(patches)
      written.append((person, patches, rooms))
    } catch {
      walk.notSaved(by: person)
      return PhoneAnswer("not saved: \(Self.words(error))", isGood: false)
    }
    for assignment in complete { source.setLabel(assignment) }
    if walk.provisions {
      walk.saved(by: person)
      queue(assignments[0].room, by: person)
      return nil
    }
    walk.saved(by: person, received.current.map { received in { received[$0] != nil } })
    let words = assignments.map { self.words(for: $0, received.current) }
    return PhoneAnswer(words.joined(separator: "\n"), isGood: true)
  }

  private func follow(_ patches: [ManifestPatch]) {
    for patch in patches {
      for index in written.indices {
        for place in written[index].patches.indices { written[index].patches[place].follow(patch) }
      }
    }
  }

  /// Why a label's device must not be provisioned: its identity shows that it is at work for another room.
  private func problem(with assignment: Walk.Assignment, in air: AirLedger?) -> String? {
    guard let identity = air?[assignment.device]?.identityAtWork,
      let owner = source.building.rooms.first(where: { $0.identity == identity }), owner.id != assignment.room
    else { return nil }
    return
      "Wrong device: \(assignment.device) is at work with \(identity.distinction), which belongs to \(owner.name)"
  }

  private func undo(_ name: String, by person: Walk.Person) -> PhoneAnswer? {
    guard let index = written.lastIndex(where: { $0.person == person }) else { return nil }
    let last = written.remove(at: index)
    do {
      for patch in last.patches.reversed() { follow([try patch.takeBack()]) }
    } catch {
      written.insert(last, at: index)
      return PhoneAnswer("not undone: \(Self.words(error))", isGood: false)
    }
    for room in last.rooms {
      released.insert(room.id)
      source.removeLabel(from: room)
      waiting.removeAll { $0.room == room.id }
    }
    walk.undone(by: person)
    return PhoneAnswer("undone: \(name)", isGood: true)
  }

  static func words(_ error: any Error) -> String { (error as? CommandFailure)?.text ?? "\(error)" }

  /// The message about a device that was saved.
  private func words(for assignment: Walk.Assignment, _ received: AirLedger?) -> String {
    let offset = walk.offset > 0 && assignment.device.address != nil ? " (label + \(walk.offset))" : ""
    var words =
      "\(assignment.name): \(assignment.device) \(means.isRehearsal ? "taken" : "saved")\(offset)\n"
    guard let received else { return words + "not compared with what is on air" }
    guard let sighting = received[assignment.device] else { return words + "not received" }
    words += "on air, " + (sighting.life?.recognition.shortWords ?? "not recognised")
    words += sighting.strongest.rssi.map { ", \($0) dBm" } ?? ""
    let wanted = source.building.rooms.first { $0.id == assignment.room }?.family.id
    if let family = sighting.life?.profile, let wanted, family != wanted {
      words += ": it is a \(family), but the manifest has a \(wanted)"
    }
    return words + (assignment.device.address == nil ? "" : LabelWords.changingAddress(of: sighting))
  }
}
