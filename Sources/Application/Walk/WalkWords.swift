package import Model
package import Reporting

extension Walk {
  /// What an entry is answered with.
  package enum Message: Hashable, Sendable {
    case help(provisions: Bool)
    /// The text names no device, or several.
    case badLabel(LabelProblem)
    /// The label belongs to the device of another room.
    case wrongLabel(DeviceReference, room: String)
    /// The room has another device.
    case otherDevice(DeviceReference, has: DeviceReference)
    /// The label's address plus the offset exceeds 48 bits.
    case beyondAll(DeviceReference)
    /// No device is proposed, and the room has none.
    case nothingToTake
    /// Only the product's label has what the room needs.
    case needsLabel
    /// There is no step since the last room that was done.
    case nothingToUndo
    case skipped(String)
    /// A room that was skipped is the current one again.
    case back(String)
    /// Devices of its family cannot blink.
    case cannotIdentify
    /// The addresses stay as the labels show them.
    case offsetDeclined
    /// The address in an EUI-64 is not that of the device.
    case notConverted
    /// Another person is at the room.
    case occupied(String, by: String)
    /// Another person changed the room after the step that was to be taken back.
    case changedSince(String, by: String)
    /// The device is none that was offered for this room.
    case notOffered
    case noRoom
    /// There is no scan.
    case notReceiving
    /// No free device whose label may end in these digits is received.
    case noMatch(String)
    /// Several are.
    case severalMatches(String, Int)
  }
}

extension Walk.Message {
  /// Whether what was asked for was done.
  var isGood: Bool {
    switch self {
    case .skipped, .back, .offsetDeclined, .help: true
    default: false
    }
  }

  package var words: String {
    switch self {
    case .help(let provisions):
      "Scan a label, or type its 12 digits, or the last 4.\n"
        + (provisions ? "Enter: take the device, start, retry\nr retry  l locate (signal)  i blink\n" : "")
        + "s skip  u undo  q quit  ? help"
    case .badLabel(let problem): "Not taken: \(LabelWords.sentence(problem))"
    case .wrongLabel(let device, let room): "Wrong label: \(device) is already the device of \(room)"
    case .otherDevice(let device, let has):
      "Wrong label: \(device). This room has \(has); press u to undo that, or use roboprov room replace"
    case .beyondAll(let label): "Wrong label: \(label) is the highest possible address"
    case .needsLabel: "This room needs the secrets on its device's label: scan its QR code"
    case .nothingToTake: "No device is clearly the nearest: scan the label"
    case .nothingToUndo: "Nothing to undo: no label was read, or its room is done"
    case .skipped(let name): "– \(name) skipped"
    case .back(let name): "back to \(name)"
    case .cannotIdentify: "It cannot be made to blink: press l to locate it by its signal"
    case .offsetDeclined: "labels are used unchanged"
    case .notConverted: "Not taken: type the 12 hex digits of the device's address"
    case .occupied(let room, let name): "\(name) is at \(room)"
    case .changedSince(let room, let name):
      "Not undone: \(room) was changed after that" + (name.isEmpty ? "" : " by \(name)")
    case .notOffered: "Not taken: this device was not offered for this room; enter its label again"
    case .noRoom: "This room is not one of this session"
    case .notReceiving: "Not found: nothing is received; type the 12 hex digits of the label"
    case .noMatch(let digits):
      "No free device on air has a label that ends in \(digits): check that it has power, or type all 12 digits"
    case .severalMatches(let digits, let count):
      "\(count) devices on air have labels that end in \(digits): type more digits"
    }
  }
}

extension Walk.Message {
  /// The same without keys of the terminal.
  var wordsOnPhone: String {
    switch self {
    case .otherDevice(let device, let has):
      "Wrong label: \(device). This room has \(has): undo that first, or use roboprov room replace"
    case .cannotIdentify: "It cannot be made to blink"
    default: words
    }
  }
}

extension RoomReport {
  /// The result of a room in a walk.
  /// - Parameters:
  ///   - next: The room that follows.
  ///   - retry: What starts the room again, as an imperative.
  package func walkWords(next: String?, retry: String, by person: String? = nil) -> String {
    let by = person.map { " (\($0.visible))" } ?? ""
    if outcome.isSuccess {
      return "✓ \(planned.name) done" + (rssi.map { ", \($0) dBm" } ?? "") + by
        + (next.map { ", next \($0)" } ?? "")
    }
    let words = Explanation(of: self, retry: retry)
    return "✗ \(planned.name)\(by): " + (words.map { "\($0.sentence)\n→ \($0.advice)" } ?? outcome.words)
  }
}

extension Walk.Prompt {
  package var words: String {
    switch self {
    case .label(let stop, let number, let count):
      "[\(number)/\(count)] \(stop.name.visible)" + (stop.room.floor.map { " · floor \($0.visible)" } ?? "")
        + (stop.device.map { " (now \($0.description.visible))" } ?? "")
    case .offset(let proposal):
      "Use label + \(proposal.offset) for all \(proposal.silent), and for the next ones? [y/n]"
    case .conversion(let address):
      "The label has an EUI-64, of 8 bytes. Without the FF:FE in its middle it is \(address): use that? [y/n]"
    case .offer(let offer, let stop):
      "\(stop.name.visible): \(offer.device), \(offer.words). Take it? [Y/n]"
    case .nothing: ""
    }
  }

  /// What precedes the line that is typed.
  package var question: String {
    switch self {
    case .offset, .conversion, .offer: "y/n> "
    case .label, .nothing: "label> "
    }
  }
}

extension AddressOffset {
  /// The reason for the question.
  package var words: String {
    """
    \(sentence):
    \(evidence.map { "  \($0)" }.joined(separator: "\n"))
    On these boards the label shows the base address.
    """
  }
}

extension Walk {
  /// The first of some rooms.
  package static func list(_ names: [String]) -> String {
    names.prefix(12).map(\.visible).joined(separator: ", ")
      + (names.count > 12 ? " and \(names.count - 12) more" : "")
  }
}
