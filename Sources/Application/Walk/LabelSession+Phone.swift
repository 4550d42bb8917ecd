import Bluetooth
import Engine
import Host
package import Model
import Reporting
import Waiting

/// What the phones are told beside the state of the walk.
struct PhoneNotes {
  struct Note {
    let words: String
    let advice: String?

    init(_ words: String, _ advice: String? = nil) { (self.words, self.advice) = (words, advice) }
  }

  /// The result of each room's last run.
  var notes: [RoomID: Note] = [:]
  /// Why there is no scan.
  var problem: String?
  fileprivate var lastActions: [Walk.Person: MonotonicInstant] = [:]
  fileprivate var state: PhoneState?
  fileprivate var readers: [AsyncStream<PhoneState>.Continuation] = []

  func end() { for reader in readers { reader.finish() } }
}

extension LabelSession: PhoneSession {
  static let hasEndedWords = "The session has ended at the laptop"
  private static let busy = PhoneAnswer("A run is at work: ask again when it has ended", isGood: false)

  /// After this time without an action a person's room is free for others: a phone may be without power.
  private static let absence = Duration.seconds(900)
  /// How long to wait until one device is clearly the nearest, or was just switched on.
  private static let nearLimit = 10

  package func act(_ action: PhoneAction, in room: RoomID, by person: Walk.Person) async -> PhoneAnswer {
    let received = await received
    defer { publish() }
    guard !hasEnded else { return PhoneAnswer(Self.hasEndedWords, isGood: false) }
    freeRooms(for: person)
    if let refusal = refusal(of: action, in: room, by: person) { return refusal }
    let given: PhoneAnswer?
    switch action {
    case .go: given = PhoneAnswer("", isGood: true)
    case .label(let texts): given = await label(texts, in: room, received, by: person)
    case .digits(let text):
      guard let digits = LabelDigits(text) else {
        return PhoneAnswer("Type the last 4 to 11 hex digits of the label", isGood: false)
      }
      given = await take(walk.enter(.digits(digits.text), by: person), received, by: person)
    case .near: given = await near(in: room, by: person)
    case .bind(let device): given = await take(walk.enter(.device(device), by: person), received, by: person)
    case .provision: given = await take(walk.enter(.start, by: person), received, by: person)
    case .skip:
      given = await take(walk.enter(.skip, by: person), received, by: person)
    case .undo: given = await take(walk.enter(.undo, by: person), received, by: person)
    case .identify:
      guard working.isEmpty else { return Self.busy }
      given = await take(walk.enter(.identify, by: person), received, by: person)
    case .answer(let isYes):
      given = await take(walk.enter(.answer(isYes), by: person), received, by: person)
    }
    let answer = answer(given, room, person)
    if answer.isGood, action != .go, !answer.words.isEmpty { await say(answer.words, person) }
    return answer
  }

  /// The answer with the question that is open now.
  private func answer(_ given: PhoneAnswer?, _ room: RoomID, _ person: Walk.Person) -> PhoneAnswer {
    var answer = given ?? PhoneAnswer("", isGood: true)
    switch walk.prompt(to: person) {
    case .offset(let proposal): answer.question = proposal.words + "\n" + walk.prompt(to: person).words
    case .conversion: answer.question = walk.prompt(to: person).words
    case .offer(let offer, _): answer.candidates = [.init(offer)]
    case .label, .nothing: break
    }
    // Until it is answered, nothing else is done.
    if given == nil, answer.question != nil { answer.isGood = false }
    if answer.words.isEmpty, waiting.contains(where: { $0.room == room }) {
      let isNext = working.isEmpty && Set(waiting.map(\.person)).count == 1
      answer.words = "\(name(of: room)): taken" + (isNext ? "" : ", it waits for the run that is at work")
    }
    return answer
  }

  private func refusal(of action: PhoneAction, in room: RoomID, by person: Walk.Person) -> PhoneAnswer? {
    if action == .undo {
      guard let changed = walk.undoes(by: person), working.contains(changed.room.id) else { return nil }
      return PhoneAnswer("\(changed.name) is being provisioned", isGood: false)
    }
    // The question about all labels has no room.
    if case .answer = action, case .offset = walk.prompt(to: person) { return nil }
    if let message = walk.go(to: room, by: person) { return PhoneAnswer(message.words, isGood: false) }
    guard action != .go, action != .skip else { return nil }
    if working.contains(room) {
      return PhoneAnswer("\(name(of: room)) is being provisioned", isGood: false)
    }
    if waiting.contains(where: { $0.room == room }) {
      return PhoneAnswer("\(name(of: room)) waits for its run; undo its label first", isGood: false)
    }
    if walk.stop(of: person)?.isDone == true {
      return PhoneAnswer("\(name(of: room)) is done", isGood: false)
    }
    return nil
  }

  private func name(of room: RoomID) -> String { walk.all.first { $0.room.id == room }?.name ?? "This room" }

  /// Takes the room from those who did nothing for long.
  private func freeRooms(for person: Walk.Person) {
    let now = (means.stack?.clock ?? Surroundings.time().clock).now
    for (other, last) in phones.lastActions where other != person && last.duration(to: now) > Self.absence {
      walk.leave(by: other)
      phones.lastActions[other] = nil
    }
    phones.lastActions[person] = now
  }

  /// Reads the texts of a label: one that was typed, or those of the codes in a photo.
  private func label(
    _ texts: [String], in room: RoomID, _ received: Received, by person: Walk.Person
  ) async -> PhoneAnswer? {
    guard texts.count != 1 else {
      return await take(walk.enter(.label(texts[0]), by: person), received, by: person)
    }
    guard let stop = walk.stop(of: person), !texts.isEmpty else {
      return PhoneAnswer(
        "No code was read: take the photo again, from nearer by, or type the label", isGood: false)
    }
    // A photo of a box may show its barcode, too.
    let labels = texts.filter { text in
      (try? LabelText.label(
        in: text, of: stop.room.family.id, source.building.drivers, beside: Array(walk.taken))) != nil
    }
    guard labels.count == 1 else {
      return PhoneAnswer(
        "Not taken: \(texts.count) codes are in the photo, and \(labels.isEmpty ? "none" : "\(labels.count)") of them can be the label: take a photo of one label only",
        isGood: false)
    }
    return await take(walk.enter(.label(labels[0]), by: person), received, by: person)
  }

  /// Finds the device that was just switched on, or that is clearly the nearest to the adapters that are carried along.
  private func near(in room: RoomID, by person: Walk.Person) async -> PhoneAnswer? {
    guard let stop = walk.stop(of: person) else { return nil }
    if stop.needsLabel { return PhoneAnswer(Walk.Message.needsLabel.words, isGood: false) }
    guard stop.device == nil else {
      return PhoneAnswer("\(stop.name) has its device already", isGood: false)
    }
    guard let clock = means.stack?.clock, !carried.isEmpty else {
      return PhoneAnswer(
        "No adapter is with you: nearness to a gateway says nothing. Give the label.", isGood: false)
    }
    guard working.isEmpty else { return Self.busy }
    // A new scan would take a device that was switched on before it for one that was always on.
    if let offer = await proposed(for: stop), offer.isSwitchedOn {
      walk.offer([offer.device], to: person)
      return nil
    }
    add(.renew)
    let asked = clock.now
    for _ in 0..<2 * Self.nearLimit where !hasEnded {
      try? await clock.sleep(for: .milliseconds(500))
      guard let began, began > asked, walk.stop(of: person)?.room.id == room,
        let offer = await proposed(for: stop)
      else { continue }
      walk.offer([offer.device], to: person)
      return nil
    }
    return PhoneAnswer(Walk.Message.nothingToTake.words, isGood: false)
  }

  private func proposed(for stop: Walk.Stop) async -> (device: Walk.Offer, isSwitchedOn: Bool)? {
    guard let ledger = await air?.air,
      let found = propose(for: stop.room, in: ledger, on: carried),
      let sighting = ledger[found.address]
    else { return nil }
    let isSwitchedOn = if case .switchedOn = found { true } else { false }
    return (Walk.Offer(sighting, DeviceLabel(.address(found.address)), plus: 0), isSwitchedOn)
  }

  // MARK: The state

  package func states() -> AsyncStream<PhoneState> {
    let (states, reader) = AsyncStream.makeStream(of: PhoneState.self, bufferingPolicy: .bufferingNewest(1))
    phones.readers.append(reader)
    reader.yield(state)
    if hasEnded { reader.finish() }
    return states
  }

  /// Tells the readers what has changed.
  func publish() {
    guard !phones.readers.isEmpty, !hasEnded else { return }
    let state = state
    guard state != phones.state else { return }
    phones.state = state
    for reader in phones.readers { reader.yield(state) }
  }

  private var state: PhoneState {
    let queued = Set(waiting.map(\.room))
    return PhoneState(
      building: source.building.name, isSimulated: means.isRehearsal, provisions: walk.provisions,
      people: walk.people.filter { $0 != .terminal }.map {
        .init(
          phone: $0.phone, name: $0.name, room: walk.stop(of: $0)?.room.id, undo: walk.undoes(by: $0)?.name)
      },
      rooms: walk.all.map { stop in room(stop, isWaiting: queued.contains(stop.room.id)) })
  }

  private func room(_ stop: Walk.Stop, isWaiting: Bool) -> PhoneState.Room {
    let id = stop.room.id
    let state: PhoneState.Room.State =
      if working.contains(id) {
        .working
      } else if isWaiting {
        .waiting
      } else if let isDone = stop.isDone {
        isDone ? .done : .failed
      } else if !walk.provisions, stop.isLabelled {
        .labelled
      } else {
        stop.isSkipped ? .skipped : .left
      }
    let note: PhoneNotes.Note? =
      switch state {
      case .done, .failed: phones.notes[id]
      case .waiting: phones.problem.map { .init($0) }
      default: nil
      }
    return PhoneState.Room(
      id: id, name: stop.name, floor: stop.room.floor, state: state, device: stop.device?.description,
      words: note?.words, advice: note?.advice, by: stop.by?.name, needsLabel: stop.needsLabel,
      canIdentify: stop.canIdentify)
  }
}

extension PhoneAnswer.Candidate {
  fileprivate init(_ offer: Walk.Offer) {
    self.init(device: offer.device, name: offer.name, rssi: offer.rssi, words: offer.words)
  }
}
