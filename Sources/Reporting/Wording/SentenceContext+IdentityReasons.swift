import Bluetooth
import Model

/// Why a device does not fit its room, or why the room has none, in words.
extension SentenceContext {
  var correctAddress: String { "correct the address of this room in the manifest" }

  /// What distinguishes the devices of the room's family: `minor`.
  var number: String { identity?.distinctionName.visible ?? "identity" }

  func wrongIdentity(_ received: DeviceIdentity) -> Explanation {
    if expectsBeacon, received.distinction == identity?.distinction {
      return Explanation(
        "\(subject) returned with another beacon than expected: \(received.description.visible).",
        "\(expectBeacon) If they are wrong, replace the \(device.noun).")
    }
    return Explanation(
      "\(subject) returned with \(shown(received)).",
      "\(waitAndRun.uppercasedFirst). If it fails again, replace the \(device.noun).")
  }

  func receivedFromOtherAddress(_ reason: FailureReason) -> Explanation {
    let candidates = reason[\.candidates]
    let senders = candidates.isEmpty ? list(reason[\.addresses]) : shown(candidates)
    let answer =
      reason.deviceText.map { "\(subject) answered \($0.quoted)" }
      ?? "\(subject) was written, but not received afterwards"
    return Explanation(
      "\(answer); \(reason[\.identity].distinction.visible) was received only from \(senders), which proves nothing.",
      """
      Find the \(device.noun) with that address. If it is a neighbour's, give this room another \(number) in the manifest, \
      and run the same command with `--renumber`. If it is this room's, its firmware changes its address: set \
      `proof: any_address` for this room in the manifest, then \(waitAndRun).
      """)
  }

  func configuredOtherwise(_ received: DeviceIdentity) -> Explanation {
    let isOfFirmware = received.distinction == identity?.distinction
    let shown = isRegistered || isOfFirmware ? received.description.visible : shown(received)
    let sentence = "\(subject) already has \(shown)."
    let elsewhere = "If it belongs in another room, \(correctAddress)."
    if isRegistered {
      return Explanation(
        sentence,
        "If it belongs in this room, write its values into the manifest, or have it configured again. \(elsewhere)"
      )
    }
    if isOfFirmware {
      return Explanation(sentence, "\(expectBeacon) \(elsewhere)")
    }
    return Explanation(sentence, "If it belongs in this room, \(waitAndRun). \(elsewhere)")
  }

  /// The advice for a beacon of which only the firmware's part is unexpected.
  private var expectBeacon: String {
    """
    If its uuid and major are right, write them into the manifest, as `beacon: { uuid: …, major: … }`, and \(retry).
    """
  }

  func identityOnAir(_ reason: FailureReason) -> Explanation {
    let held = reason[\.identity].distinction.visible.uppercasedFirst
    let sentence = "\(held) is already on air from \(devices(reason[\.addresses]))."
    if let earlier = reason.earlier, !earlier.isEmpty {
      return Explanation(
        "\(held) is still on air from \(list(earlier)), which this room had before.",
        "Switch the old \(device.noun) off, or put it into provisioning mode. \(again)")
    }
    if isRegistered {
      return Explanation(
        sentence,
        "Find that \(device.noun). If it is this room's, \(correctAddress). If not, switch it off, or give it another \(number). \(again)"
      )
    }
    return Explanation(
      sentence,
      """
      Find that \(device.noun). If its \(number) is wrong, switch it off, or give it its own \(number). If it is a neighbour's, \
      give this room another \(number) in the manifest. \(again)
      """)
  }

  func settingsChanged(_ received: DeviceIdentity?, _ changes: [PlannedSetting]) -> Explanation {
    let received = received.map { " (\($0.distinction.visible))" } ?? ""
    guard !changes.isEmpty else {
      return Explanation(
        "\(subject) has the settings of an earlier run\(received).",
        "To write them again, \(waitAndRun).")
    }
    return Explanation(
      "The manifest has changed since \(subject.lowercasedFirst)\(received) was written: \(changes.words(titles)).",
      "\(waitAndRun.uppercasedFirst). Or undo the change in the manifest.")
  }

  func contradictorySightings(_ contradiction: Contradiction, isAfterSave: Bool) -> Explanation {
    func shown(_ sighting: StateSighting) -> String {
      let state = sighting.identity.map { "with \($0.distinction.visible)" } ?? "waiting for provisioning"
      return "\(state) (adapter \(sighting.adapter))"
    }
    let consequence =
      isAfterSave ? "the settings of this room's \(device.noun) are unknown" : "this run wrote neither"
    return Explanation(
      """
      \(contradiction.address) was received \(shown(contradiction.first)) and, in the same run, \
      \(shown(contradiction.second)). Two devices seem to use this address, or another person is configuring it: \
      \(consequence).
      """,
      "Switch off the device that does not belong here. \(again)")
  }

  func settingsUnknown(_ received: DeviceIdentity) -> Explanation {
    Explanation(
      "\(subject) is at work with \(received.distinction.visible), and nothing on record shows its other settings.",
      """
      If another laptop wrote it, merge both records with `roboprov report merge FOLDER FOLDER --into reports`. If not, \(waitAndRun), which writes it. \
      For a \(device.noun) that was configured elsewhere, set `register: true` for this room.
      """)
  }

  func settingsUnknown() -> Explanation {
    Explanation(
      "\(subject) is at work already, and nothing on record shows with which settings.",
      """
      If another laptop wrote it, merge both records with `roboprov report merge FOLDER FOLDER --into reports`. If not, \
      \(waitAndRun), which writes it. If you know that it works, run `roboprov room accept` for this room.
      """)
  }

  func tooManyCandidates(_ addresses: [BluetoothAddress]) -> Explanation {
    let names = addresses.isEmpty ? "" : ": " + list(addresses)
    if isRegistered {
      return Explanation(
        "Several \(device.noun)s send the identity of this room\(names).",
        """
        Write the address of this room's \(device.noun) into the manifest. Switch off the others, or give them another \
        identity. \(again)
        """)
    }
    return Explanation(
      "More \(device.noun)s wait for provisioning than there are rooms left, so none was assigned\(names).",
      "Switch off those that do not belong here, or write the addresses from the labels into the manifest. \(again)"
    )
  }

  func noCandidate(near: String?) -> Explanation {
    if let near {
      return Explanation(
        "No \(device.noun) near \(near.visible) can be assigned to this room.",
        "Check the power of the room's \(device.noun)\(device.makeItWait.map { ", \($0)" } ?? ""), and place the adapter within 3 m of it. \(again)"
      )
    }
    return Explanation(
      "No \(device.noun) is left for this room.",
      "Switch on one more within range\(device.makeItWait.map { ", and \($0)" } ?? ", with its factory settings"). \(again)"
    )
  }

  func addressNeeded(_ received: [BluetoothAddress]) -> Explanation {
    let received = received.isEmpty ? "" : " Received: \(list(received))."
    return Explanation(
      "A \(device.noun) advertises no identity, so the manifest must name the \(device.noun) of this room.\(received)",
      """
      Write the address of this room's \(device.noun) into the manifest, or the adapter beside it (`near: hci0`). \(again)
      """)
  }
}
