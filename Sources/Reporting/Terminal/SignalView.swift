package import Bluetooth
import Model

/// The signal of a device that the operator searches for, for a terminal and for other outputs.
package enum SignalView {
  /// The lines at an instant, always three: the device, its signal as a bar, and the strongest so far.
  /// - Parameters:
  ///   - name: the room, where it is known.
  ///   - adapter: the adapter that receives it, where several scan.
  package static func lines(
    _ track: SignalTrack, name: String?, address: BluetoothAddress?, on adapter: String? = nil,
    at now: MonotonicInstant, style: TerminalStyle
  ) -> [String] {
    // The last column stays free: some terminals begin a new line after it.
    let width = style.width - 1
    return [
      title(name?.visible, address?.description, width),
      signal(track.state(at: now), width, style),
      style.paint(
        ((adapter.map { "On \($0.visible). " } ?? "")
          + (track.strongest.map { "Strongest \($0) dBm. " } ?? "")
          + "Ctrl-C ends.").truncated(to: width),
        .dim),
    ]
  }

  /// A permanent line, for output without a terminal: `12 s  -57 dBm`, and ` on hci1` where several adapters scan.
  package static func plain(
    _ track: SignalTrack, on adapter: String? = nil, since began: MonotonicInstant, at now: MonotonicInstant
  ) -> String {
    let words =
      if case .received(let level?) = track.state(at: now) {
        "\(Int(level.rounded())) dBm" + (adapter.map { " on \($0.visible)" } ?? "")
      } else {
        words(track.state(at: now))
      }
    return "\(began.duration(to: now).components.seconds) s  \(words)"
  }

  private static func title(_ name: String?, _ address: String?, _ width: Int) -> String {
    guard let name else { return (address ?? "").truncated(to: width) }
    guard let address else { return name.truncated(to: width) }
    // The address is that of the label, so it is not cut.
    let room = width - address.columns - 2
    return room < 4 ? name.truncated(to: width) : "\(name.truncated(to: room))  \(address)"
  }

  private static func signal(_ state: SignalTrack.State, _ width: Int, _ style: TerminalStyle) -> String {
    guard case .received(let level?) = state else {
      return style.paint(words(state).truncated(to: width), .yellow)
    }
    let number = "\(Int(level.rounded())) dBm".leftPadded(to: 8)
    let bar = bar(SignalTrack.fraction(level), columns: width - number.columns - 2)
    return "\(number)  \(style.paint(bar.full, level >= -70 ? .green : .plain))\(style.paint(bar.rest, .dim))"
  }

  /// The words for a signal without a level.
  private static func words(_ state: SignalTrack.State) -> String {
    switch state {
    case .nothing(let time): "Not received yet, for \(time.components.seconds) s"
    case .received: "Received, without RSSI"
    case .silent(let age, let rssi):
      "Not received for \(age.components.seconds) s" + (rssi.map { ", last \($0) dBm" } ?? "")
    }
  }

  /// A bar with this number of columns, to the eighth of a column, and its remainder.
  package static func bar(_ fraction: Double, columns: Int) -> (full: String, rest: String) {
    let columns = max(1, columns)
    let eighths = Int((min(max(fraction, 0), 1) * Double(columns * 8)).rounded())
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    let full = String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    return (full, String(repeating: "·", count: columns - full.count))
  }
}

extension String {
  fileprivate func leftPadded(to columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - self.columns)) + self
  }
}
