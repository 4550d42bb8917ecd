import Application
import Engine
import FoundationEssentials
import Model

/// Carries out the decisions of `Capture`: asks for labels, writes the manifest and prints the results.
struct CaptureDialogue {
  private let path: String
  private let building: Building
  private let air: AirLog?
  private let isRehearsal: Bool
  private let isAtTerminal = Screen.canAnswer
  private var capture: Capture
  /// The changes made so far, for undo.
  private var written: [[ManifestPatch]] = []

  /// - Parameters:
  ///   - unlabelled: The rooms whose label must be read although they have a device.
  ///   - air: The devices on air, scanned in parallel; nil without a scan.
  ///   - isRehearsal: Nothing is saved.
  init(_ file: ManifestFile, rooms: [Room], unlabelled: Set<RoomID>, air: AirLog?, isRehearsal: Bool) {
    (path, building, self.air, self.isRehearsal) = (file.path, file.building, air, isRehearsal)
    capture = Capture(building, rooms: rooms.map(\.id), unlabelled: unlabelled)
  }

  /// Asks until every label is read, the input ends, or the operator quits.
  mutating func run() async -> CaptureOutcome {
    Console.say("Commands, each with Enter: u undo, s skip, q quit, ? help")
    var asked: Capture.Prompt?
    var lines = LabelLines()
    defer { lines.end() }
    while capture.prompt != .nothing {
      if asked != capture.prompt {
        ask(capture.prompt)
        asked = capture.prompt
      } else if isAtTerminal {
        ask()
      }
      guard let line = await lines.next(after: question) else { break }
      let action = capture.read(line)
      await carryOut(action)
    }
    let wasInterrupted = Task.isCancelled
    if isAtTerminal, capture.prompt != .nothing { Console.say("") }
    capture.end()
    return CaptureOutcome(
      capture, building: building, air: await air?.current, wasInterrupted: wasInterrupted,
      isRehearsal: isRehearsal)
  }

  // MARK: Questions

  private func ask(_ prompt: Capture.Prompt) {
    switch prompt {
    case .label(let stop, let number, let count):
      let now = building.rooms.first { $0.id == stop.room }?.device.map { " (now \($0))" } ?? ""
      Console.say("[\(number)/\(count)] \(stop.name)\(now)")
    case .offset(let proposal):
      Console.say(
        "Labels that are not on air: \(proposal.silent). For \(proposal.evidence.count) of them label + \(proposal.offset) is on air:"
      )
      for stop in proposal.evidence { Console.say("  \(stop.name)") }
      Console.say("On these boards the label shows the base address.")
      Console.say("Use label + \(proposal.offset) for all of these labels and for the next ones? [y/n]")
    case .nothing: return
    }
    if isAtTerminal { ask() }
  }

  private func ask() { Console.ask(question) }

  private var question: String { if case .offset = capture.prompt { "y/n> " } else { "label> " } }

  // MARK: Answers

  private mutating func carryOut(_ action: Capture.Action) async {
    switch action {
    case .nothing, .askAgain: break
    case .save(let assignments): await save(assignments)
    case .undo(let stop): await undo(stop)
    case .back(let stop): Console.say("  back to \(stop.name)")
    case .skipped(let stop): Console.say("  \(stop.name) skipped")
    case .refused(let refusal): Console.say("  not taken: \(LabelWords.sentence(refusal))")
    case .nothingToUndo: Console.say("  nothing to undo")
    case .offsetDeclined: Console.say("  labels are used unchanged")
    case .help:
      Console.say("  Scan the label or the QR code, or type the label's 12 hex digits.")
      Console.say("  u: undo the last label   s: skip")
      Console.say("  q: end   (each with Enter)")
    }
  }

  private mutating func save(_ assignments: [Capture.Assignment]) async {
    do {
      let labels = assignments.map { ($0.stop.room, $0.device, $0.label) }
      written.append(isRehearsal ? [] : try DeviceLabel.write(labels, to: path))
    } catch {
      capture.notSaved()
      return say(error)
    }
    let received = await air?.current
    capture.saved(received.map { received in { received[$0] != nil } })
    for assignment in assignments {
      let offset = capture.offset > 0 ? " (label + \(capture.offset))" : ""
      let room = assignments.count > 1 ? "\(assignment.stop.name): " : ""
      Console.say(
        "  \(room)\(assignment.device) \(isRehearsal ? "taken" : "saved")\(assignment.device.address == nil ? "" : offset)"
      )
      Console.say("  \(words(for: assignment, received))")
    }
  }

  private mutating func undo(_ stop: Capture.Stop) async {
    do {
      for patch in (written.last ?? []).reversed() { try patch.takeBack() }
    } catch {
      return say(error)
    }
    written.removeLast()
    capture.undone()
    Console.say("  undone: \(stop.name)")
  }

  private func say(_ error: any Error) {
    guard let failure = error as? CommandFailure else { return Console.say("  not saved: \(error)") }
    Console.show("  not saved: " + failure.text + "\n")
  }

  private func words(for assignment: Capture.Assignment, _ received: AirLedger?) -> String {
    guard let received else { return "not compared with what is on air" }
    guard let sighting = received[assignment.device] else { return "not received" }
    let room = building.rooms.first { $0.id == assignment.stop.room }
    let signal = sighting.strongest.rssi.map { ", \($0) dBm" } ?? ""
    var words = "on air, " + (sighting.life?.recognition.shortWords ?? "not recognised") + signal
    if let family = sighting.life?.profile, let room, family != room.family.id {
      words += ": it is a \(family), but the manifest has a \(room.family.id)"
    }
    if assignment.device.address != nil { words += LabelWords.changingAddress(of: sighting) }
    return words
  }
}
