package import Model

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
  }
}

extension Walk.Message {
  package var words: String {
    switch self {
    case .help(let provisions):
      "Scan a label, or type its 12 digits.\n"
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
    }
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
    case .nothing: ""
    }
  }

  /// What precedes the line that is typed.
  package var question: String {
    switch self {
    case .offset, .conversion: "y/n> "
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
