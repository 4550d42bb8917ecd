import Bluetooth
import Model

/// Why a device does not fit its room, or none was found for it, in words.
extension Scene {
  func foreignSettings(_ held: String) -> Explanation {
    Explanation(
      """
      \(subject) holds settings that are neither the factory's nor this room's (\(held.visible)), so it was left alone.
      """,
      """
      Make sure that it belongs in this room, and not in another one or to somebody else. If it does, allow it with \
      --overwrite and the room's name; if not, correct the address of this room in the manifest. \(again)
      """)
  }

  func wrongIdentity(_ heard: UInt16, _ held: String?) -> Explanation {
    if let held {
      return Explanation(
        "\(subject) came back with its minor, and another beacon than expected: \(held.visible).",
        "\(expectBeacon) Else replace it.")
    }
    return Explanation(
      "\(subject) came back with \(identity(heard)).",
      "\(waitAndRun.uppercasedFirst). If it happens again, replace it.")
  }

  func heardFromOtherAddress(_ others: OtherSenders, _ response: SaveResponse) -> Explanation {
    let senders = others.candidates.isEmpty ? list(others.addresses) : shown(others.candidates)
    let answer =
      response.deviceText.map { "\(subject) answered \($0.quoted)" }
      ?? "\(subject) was written, but not heard afterwards"
    return Explanation(
      "\(answer), and minor \(others.minor) was then heard only from \(senders), which proves nothing.",
      """
      Find the \(device.noun) with that address. If it is a neighbour's, give this room another minor in the manifest, \
      with --renumber. If it is this room's, its firmware changes its address: give the room `proof: any_address` in the \
      manifest. Then \(waitAndRun).
      """)
  }

  func configuredOtherwise(_ heard: UInt16, _ held: String?) -> Explanation {
    let sentence = "\(subject) is already set up with \(held?.visible ?? identity(heard))."
    let elsewhere = "If it belongs in another, correct the address of this room in the manifest."
    if isRegistered {
      return Explanation(
        sentence,
        "If it belongs in this room, write into the manifest what it has, or have it configured again. \(elsewhere)"
      )
    }
    if held != nil {
      return Explanation(sentence, "If it belongs in this room: \(expectBeacon.lowercasedFirst) \(elsewhere)")
    }
    return Explanation(
      sentence,
      "If it belongs in this room, \(waitAndRun). \(elsewhere)")
  }

  /// What to do about a beacon with the right minor, and a uuid or major that nobody expected.
  private var expectBeacon: String {
    """
    If uuid and major are right, its firmware sends them: write them into the manifest, as \
    `beacon: { uuid: …, major: … }`. \(again)
    """
  }

  func minorOnAir(_ holders: MinorHolders) -> Explanation {
    let sentence = "Minor \(holders.minor) is already on air from \(devices(of: holders))."
    if isRegistered {
      return Explanation(
        sentence,
        """
        Find that \(device.noun). If it is this room's, correct the address of this room in the manifest; if not, it must \
        be switched off, or be given something else to send. \(again)
        """)
    }
    return Explanation(
      sentence,
      """
      Find that \(device.noun). If it should not have this minor, switch it off or give it its own; if it is a \
      neighbour's, give this room another minor in the manifest. \(again)
      """)
  }

  func minorOnRecord(_ holders: MinorHolders) -> Explanation {
    Explanation(
      "Minor \(holders.minor) is on record at \(devices(of: holders)), which was not heard.",
      """
      If that \(device.noun) is out of service, say so with `roboprov replace` or `roboprov retire` for its room; \
      if it gets another minor, provision it first. \(again)
      """)
  }

  func settingsChanged(_ minor: UInt16?) -> Explanation {
    let heard = minor.map { " (minor \($0))" } ?? ""
    return Explanation(
      "\(subject) works with the settings of an earlier run\(heard), and the manifest has others now.",
      """
      It cannot be rewritten while it works: \(waitAndRun). Or undo the change in the manifest.
      """)
  }

  func tooManyCandidates(_ addresses: [BluetoothAddress]) -> Explanation {
    let who = addresses.isEmpty ? "" : ": " + list(addresses)
    if isRegistered {
      return Explanation(
        "Several \(device.noun)s are on air with what the manifest says of this room\(who).",
        """
        Find out which one is in this room, and write its address into the manifest. The others must be switched off, \
        or be given something else to send. \(again)
        """)
    }
    return Explanation(
      "More \(device.noun)s wait to be provisioned than rooms are left, so none was taken\(who).",
      "Switch off those that do not belong here, or write the addresses from the labels into the manifest. \(again)"
    )
  }

  func noCandidate(near: String?) -> Explanation {
    if let near {
      return Explanation(
        "No \(device.noun) was heard near \(near.visible) that this room could get.",
        """
        Check that the room's \(device.noun) has power\(device.makeItWait.map { " and \($0)" } ?? ""), and that the \
        adapter stands within 3 m of it. \(again)
        """)
    }
    return Explanation(
      "No \(device.noun) was left for this room.",
      "Switch on one more within range\(device.makeItWait.map { " and \($0)" } ?? ", with its factory settings"). \(again)"
    )
  }

  var addressMissing: Explanation {
    Explanation(
      "The manifest does not give this room's \(device.noun) yet.",
      "Read its label with `roboprov capture`, or write its address into the manifest. \(again)")
  }

  func addressNeeded(_ heard: [BluetoothAddress]) -> Explanation {
    let heard = heard.isEmpty ? "" : " Heard: \(list(heard))."
    return Explanation(
      """
      A \(device.noun) does not tell on air whether it is provisioned already, so none is taken for a room that does not \
      name its own.\(heard)
      """,
      """
      Write the address of this room's \(device.noun) into the manifest, or the adapter that stands beside it \
      (`near: hci0`). \(again)
      """)
  }
}
