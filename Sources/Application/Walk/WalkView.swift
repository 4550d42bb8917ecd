import Model
package import Reporting

/// The screen of a walk while it waits for an entry: a pure function from state to lines, for a terminal of 40 columns and 20
/// lines.
package struct WalkView: Sendable {
  package var building = ""
  package var isSimulated = false
  /// `3/8 done`
  package var counts = ""
  package var prompt = Walk.Prompt.nothing
  /// Whether rooms are provisioned, so that the nearest device can be taken.
  package var provisions = true
  /// RSSI of the room's device in dBm; nil if it was not received in this scan.
  package var rssi: Int?
  package var proposal: WalkProposal?
  /// The line being typed.
  package var typed = ""
  /// The lines with the signal of the device to locate; nil if there is none.
  package var signal: [String]?

  package init() {}

  /// The lines of the screen, at most as wide as the terminal.
  package func lines(_ style: TerminalStyle) -> [String] {
    let width = style.width
    let counts = (isSimulated ? " SIM" : "") + (self.counts.isEmpty ? "" : " " + self.counts)
    var lines = [building.visible.fitted(to: max(4, width - counts.columns)) + counts]
    lines += Self.wrapped(prompt.words, to: width)
    lines += signal ?? Self.wrapped(device, to: width)
    lines += Self.wrapped(hint, to: width)
    let (question, typed) = (prompt.question, self.typed.visible)
    let isWhole = question.columns + typed.columns <= width
    lines.append(
      question + (isWhole ? typed : "…" + String(typed.suffix(max(1, width - question.columns - 2)))))
    return lines.map { $0.columns <= width ? $0 : String($0.prefix(width)) }
  }

  /// What is known of the room's device on air.
  private var device: String {
    guard provisions, case .label(let stop, _, _) = prompt else { return "" }
    if stop.device != nil { return rssi.map(Self.signal) ?? "not received now" }
    switch proposal {
    case .switchedOn(let address, let rssi)?: return "New on air: \(address)\(Self.dBm(rssi))"
    case .nearest(let address, let rssi)?: return "Nearest: \(address)\(Self.dBm(rssi))"
    case nil:
      return stop.needsLabel
        ? "Its QR code has the secrets that it asks for." : "No device is clearly the nearest."
    }
  }

  private var hint: String {
    if signal != nil { return "Walk towards it. Any key: back" }
    guard case .label(let stop, _, _) = prompt else { return "" }
    guard provisions else { return "Scan the label. s: skip, u: undo, ?: help" }
    let blink = stop.canIdentify ? ", i: blink" : ""
    if stop.device != nil {
      return (stop.isDone == false ? "Enter: retry, s: skip, ?: help" : "Enter: start, ?: help") + blink
    }
    if proposal == nil { return "Scan the label, ?: help" }
    return "Scan the label, or Enter: take it" + blink
  }

  /// The lines of a text, broken where they are wider than the terminal.
  package static func wrapped(_ text: String, to width: Int) -> [String] {
    text.split(separator: "\n").flatMap { line in
      line.columns <= width
        ? [String(line)] : TerminalStyle(width: width, hasColor: false).paragraph(String(line))
    }
  }

  private static func dBm(_ rssi: Int?) -> String { rssi.map { " \($0) dBm" } ?? "" }

  /// A bar of 10 columns, and the RSSI.
  package static func signal(_ rssi: Int) -> String {
    let bar = SignalView.bar(SignalTrack.fraction(Double(rssi)), columns: 10)
    return "\(bar.full)\(bar.rest) \(rssi) dBm"
  }
}
