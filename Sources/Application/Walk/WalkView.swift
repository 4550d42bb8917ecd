import Model
package import Reporting

/// The screen of `roboprov walk` while it waits for the installer: a pure function from state to lines, for a
/// terminal of 40 columns and 20 lines.
package struct WalkView: Sendable {
  package var building = ""
  package var isSimulated = false
  package var done = 0
  package var rooms = 0
  package var stop: Walk.Stop?
  /// RSSI of the room's device in dBm; nil if it was not received in this scan.
  package var rssi: Int?
  package var proposal: WalkProposal?
  /// The last message.
  package var message = ""
  /// The line being typed.
  package var typed = ""
  /// The lines with the signal of the device to locate; nil if there is none.
  package var signal: [String]?

  package init() {}

  /// The lines of the screen, at most as wide as the terminal.
  package func lines(_ style: TerminalStyle) -> [String] {
    let width = style.width
    let counts = "\(done)/\(rooms) done"
    let mark = isSimulated ? " SIM" : ""
    let room = max(4, width - counts.columns - mark.columns - 1)
    var lines = [building.visible.fitted(to: room) + mark + " " + counts]
    guard let stop else { return lines }
    lines.append("Room: \(stop.name.visible)" + (stop.floor.map { " · floor \($0.visible)" } ?? ""))
    lines += signal ?? wrapped(device(of: stop), width)
    if !message.isEmpty { lines += wrapped(message.visibleLines, width) }
    lines += wrapped(hint(for: stop), width)
    let entry = "> " + typed.visible
    lines.append(entry.columns <= width ? entry : "> …" + String(typed.visible.suffix(max(1, width - 4))))
    return lines.map { $0.columns <= width ? $0 : String($0.prefix(width)) }
  }

  private func device(of stop: Walk.Stop) -> String {
    if let device = stop.device {
      return "\(device.description.visible) " + (rssi.map(Self.signal) ?? "not received now")
    }
    switch proposal {
    case .switchedOn(let address, let rssi)?: return "Just switched on: \(address)\(Self.dBm(rssi))"
    case .nearest(let address, let rssi)?: return "Nearest: \(address)\(Self.dBm(rssi))"
    case nil:
      return stop.needsLabel
        ? "Its QR code has the secrets that it asks for." : "No sensor is clearly the nearest."
    }
  }

  private func hint(for stop: Walk.Stop) -> String {
    let blink = stop.canIdentify ? ", i: blink" : ""
    if signal != nil { return "Walk towards it. Any key: back" }
    if stop.device != nil {
      return (stop.state == .failed ? "Enter: retry, s: skip, ?: help" : "Enter: start, ?: help") + blink
    }
    if proposal == nil { return "Scan the label, ?: help" }
    return "Scan the label, or Enter: take it" + blink
  }

  private func wrapped(_ text: String, _ width: Int) -> [String] {
    text.split(separator: "\n").flatMap { line in
      line.columns <= width ? [String(line)] : Self.wrap(String(line), to: width)
    }
  }

  /// The text in lines of at most `width` columns.
  static func wrap(_ text: String, to width: Int) -> [String] {
    TerminalStyle(width: width, hasColor: false).paragraph(text)
  }

  private static func dBm(_ rssi: Int?) -> String { rssi.map { " \($0) dBm" } ?? "" }

  /// A bar of 10 columns, and the RSSI.
  package static func signal(_ rssi: Int) -> String {
    let bar = SignalView.bar(SignalTrack.fraction(Double(rssi)), columns: 10)
    return "\(bar.full)\(bar.rest) \(rssi) dBm"
  }

  static let help = """
    Scan a label, or type its 12 digits.
    Enter: take the sensor, start, retry
    r retry  s skip  u undo the label
    l locate (signal)  i make it blink
    q quit  ? help
    """
}

extension Walk.Message {
  package var words: String {
    switch self {
    case .help: WalkView.help
    case .badLabel(let problem): "Not a label: \(LabelWords.sentence(problem))"
    case .wrongLabel(let device, let room): "Wrong label: \(device) is the sensor of \(room)"
    case .otherDevice(let device, let has):
      "Wrong label: \(device). This room has \(has); press u to undo that, or use roboprov replace"
    case .needsLabel: "This room needs the secrets in its device's QR code: scan that code"
    case .nothingToTake: "No sensor is clearly the nearest: scan the label"
    case .nothingToUndo: "Nothing to undo: no device was set in this walk, or its room is done"
    case .skipped(let name): "– \(name) skipped"
    case .noDevice: "No sensor to locate: scan the label first"
    case .cannotIdentify: "It cannot be made to blink: press l to locate it by its signal"
    }
  }
}
