import Bluetooth
import Model

/// Why a room that is near an adapter has no device yet, in words.
extension SentenceContext {
  /// Several devices, or several rooms, are received about equally well.
  func notClearlyNearest(_ received: NearCandidates) -> Explanation {
    let candidates = received.candidates
    let near = received.near.visible
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

  /// The nearest device is too far away.
  func notNear(_ received: NearCandidates) -> Explanation {
    Explanation(
      "The \(device.noun) nearest to \(received.near.visible) is too weak to be in the room: \(shown(received.candidates)).",
      "Check the power of the room's \(device.noun)\(device.makeItWait.map { ", \($0)" } ?? ""), and place the adapter within 3 m of it. \(again)"
    )
  }

  /// A device could be the one, but was received for too short a time.
  func receivedTooBriefly(_ received: NearCandidates) -> Explanation {
    Explanation(
      "The \(device.noun) nearest to \(received.near.visible) was not received long enough: \(shown(received.candidates)).",
      "Scan longer: run the same command with `--scan-time 20`.")
  }

  /// The adapter of the room is not present.
  func adapterMissing(_ near: String) -> Explanation {
    Explanation(
      "The adapter \(near.visible) of this room was not found.",
      """
      Plug it in, and check that `bluetoothctl list` shows it and that --adapter does not exclude it. Or change `near` \
      in the manifest. \(again)
      """)
  }

  /// Several rooms are near the same adapter.
  func adapterShared(_ near: String) -> Explanation {
    Explanation(
      "Several rooms without a \(device.noun) are near \(near.visible).",
      """
      Take the adapter to one room at a time, and \(run(with: "--only")). Or give each room its own adapter or address in \
      the manifest.
      """)
  }

  /// Each device with its RSSI.
  func shown(_ candidates: [ReceivedCandidate]) -> String {
    candidates.map { "\($0.address) \($0.rssi) dBm" }.joined(separator: ", ")
  }
}
