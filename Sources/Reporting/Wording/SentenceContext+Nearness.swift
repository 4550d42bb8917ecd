import Bluetooth
import Model

/// Why a room that is near an adapter has no device yet, in words.
extension SentenceContext {
  /// Several devices, or several rooms, are received about equally well.
  func notClearlyNearest(_ adapter: String, _ candidates: [ReceivedCandidate]) -> Explanation {
    let near = adapter.visible
    if Set(candidates.map(\.address)).count == 1, candidates.count > 1 {
      let levels = candidates.map { "\($0.rssi) dBm by \($0.adapter)" }.joined(separator: ", ")
      return Explanation(
        "The \(device.noun) nearest to \(near) is received almost as well in another room: \(levels).",
        """
        Place each adapter next to the \(device.noun) of its room, or write the address from the label into the \
        manifest. \(again)
        """)
    }
    return Explanation(
      "No \(device.noun) is clearly nearest to \(near): \(shown(candidates)).",
      """
      Write the address from the label into the manifest, switch off the others, or place the adapter closer to the \
      right one. \(again)
      """)
  }

  /// Each device with its RSSI.
  func shown(_ candidates: [ReceivedCandidate]) -> String {
    candidates.map { "\($0.address) \($0.rssi) dBm" }.joined(separator: ", ")
  }
}
