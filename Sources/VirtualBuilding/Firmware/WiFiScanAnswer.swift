/// A Robo Sensor's response to `SCAN`: lines `SSID,RSSI`, strongest first, at most ten. They are split into
/// notifications wherever one is full, even within a line.
///
/// Each notification ends with a line `MORE` if another one follows, or `END` [the words: S; a separate line:
/// assumed].
struct WiFiScanAnswer {
  /// The notifications in order.
  let notifications: [[UInt8]]

  init(networks: [WiFiNetwork], longest: Int) {
    let strongest = networks.enumerated()
      .sorted { ($1.element.rssi, $0.offset) < ($0.element.rssi, $1.offset) }
      .prefix(10)
    let text = Array(strongest.map { "\($0.element.ssid),\($0.element.rssi)" }.joined(separator: "\n").utf8)
    let room = longest - "\nMORE".utf8.count
    precondition(room > 0, "an MTU is at least 23")
    var pieces = stride(from: 0, to: text.count, by: room).map { text[$0..<min($0 + room, text.count)] }
    let last = pieces.popLast() ?? []
    notifications =
      pieces.map { Array($0) + Array("\nMORE".utf8) } + [
        Array(last) + Array((last.isEmpty ? "END" : "\nEND").utf8)
      ]
  }
}
