import Bluetooth
import Model

/// Why a room that is near an adapter has no device yet, in words.
extension Scene {
  /// Of several, none is ahead of the others; or two rooms' adapters hear the same.
  func notClearlyNearest(_ heard: NearCandidates) -> Explanation {
    let candidates = heard.candidates
    let strengths = candidates.map(\.rssi)
    let span = (strengths.max() ?? 0) - (strengths.min() ?? 0)
    let near = heard.near.visible
    if Set(candidates.map(\.address)).count == 1, candidates.count > 1 {
      return Explanation(
        """
        The \(device.noun) that is nearest to \(near) is heard nearly as well in another room: \
        \(candidates.map { "\($0.rssi) dBm at \($0.adapter)" }.joined(separator: ", ")).
        """,
        """
        Put each adapter close to the \(device.noun) of its room, or write the address from the label into the \
        manifest. \(again)
        """)
    }
    return Explanation(
      "No \(device.noun) is clearly the nearest to \(near): within \(span) dB there are \(shown(candidates)).",
      """
      Write the address from the label into the manifest, switch off the others, or put the adapter closer to the \
      right one. \(again)
      """)
  }

  /// The nearest is too far away.
  func notNear(_ heard: NearCandidates) -> Explanation {
    Explanation(
      """
      The \(device.noun) nearest to \(heard.near.visible) is too weak to be in the room: \
      \(shown(heard.candidates)).
      """,
      """
      Check that the room's own \(device.noun) has power\(device.makeItWait.map { " and \($0)" } ?? ""), and put the \
      adapter within 3 m of it. \(again)
      """)
  }

  /// It could be the one, but was heard too little.
  func heardTooBriefly(_ heard: NearCandidates) -> Explanation {
    Explanation(
      """
      A \(device.noun) near \(heard.near.visible) was heard too briefly to be sure that it is \
      the room's: \(shown(heard.candidates)).
      """, "Listen longer, with --listen 20. \(again)")
  }

  /// The adapter that stands in the room is not there.
  func adapterMissing(_ near: String) -> Explanation {
    Explanation(
      "The adapter \(near.visible) that this room is near was not there.",
      """
      Plug it in and see that `bluetoothctl list` has it, and that --adapter does not leave it out; or name the one \
      that stands in the room under `near`. \(again)
      """)
  }

  /// More rooms than one are near it.
  func adapterShared(_ near: String) -> Explanation {
    Explanation(
      "Several rooms that have no \(device.noun) yet are near \(near.visible).",
      """
      Carry the adapter from room to room and do one at a time, with --only; or give each room an adapter or an \
      address of its own.
      """)
  }

  /// Each with how strongly it was heard.
  func shown(_ candidates: [HeardCandidate]) -> String {
    candidates.map { "\($0.address) \($0.rssi) dBm" }.joined(separator: ", ")
  }
}
