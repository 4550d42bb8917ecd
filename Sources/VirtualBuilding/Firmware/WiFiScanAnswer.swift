/// A Robo Sensor's answer to `SCAN`: lines `SSID,RSSI`, strongest first, at most ten, cut into notifications
/// wherever one is full, even within a line.
///
/// Each notification ends in a line of its own that says whether another follows (`MORE`) or not (`END`) [the words
/// are [S], that they stand on a line of their own is assumed].
struct WiFiScanAnswer {
  /// What goes out, in order.
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
