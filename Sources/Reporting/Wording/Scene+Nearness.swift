import Bluetooth
import Model

/// Why a room that is near an adapter has no device yet, in words.
extension Scene {
  /// Of several, none is ahead of the others; or two rooms' adapters hear the same.
  func notClearlyNearest(_ reason: FailureReason) -> Explanation {
    let candidates = reason.candidates ?? []
    let strengths = candidates.map(\.rssi)
    let span = (strengths.max() ?? 0) - (strengths.min() ?? 0)
    let near = reason.near?.visible ?? "the room's adapter"
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
  func notNear(_ reason: FailureReason) -> Explanation {
    Explanation(
      """
      The \(device.noun) nearest to \(reason.near?.visible ?? "the room's adapter") is too weak to be in the room: \
      \(shown(reason.candidates ?? [])).
      """,
      """
      Check that the room's own \(device.noun) has power\(device.makeItWait.map { " and \($0)" } ?? ""), and put the \
      adapter within 3 m of it. \(again)
      """)
  }

  /// It could be the one, but was heard too little.
  func heardTooBriefly(_ reason: FailureReason) -> Explanation {
    Explanation(
      """
      A \(device.noun) near \(reason.near?.visible ?? "the room's adapter") was heard too briefly to be sure that it is \
      the room's: \(shown(reason.candidates ?? [])).
      """, "Listen longer, with --listen 20. \(again)")
  }

  /// The adapter that stands in the room is not there.
  func adapterMissing(_ reason: FailureReason) -> Explanation {
    Explanation(
      "The adapter \(reason.near?.visible ?? "of the room") that this room is near was not there.",
      """
      Plug it in and see that `bluetoothctl list` has it, and that --adapter does not leave it out; or name the one \
      that stands in the room under `near`. \(again)
      """)
  }

  /// More rooms than one are near it.
  func adapterShared(_ reason: FailureReason) -> Explanation {
    Explanation(
      "Several rooms that have no \(device.noun) yet are near \(reason.near?.visible ?? "the same adapter").",
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
