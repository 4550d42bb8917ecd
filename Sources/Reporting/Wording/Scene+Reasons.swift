import Bluetooth
import Model

/// Every reason there can be, in words. A new code makes the compiler ask for its sentence here.
extension Scene {
  /// What a reason means here, and what to do about it.
  func explain(_ reason: FailureReason) -> Explanation {
    switch reason.code {
    case .neverHeard: neverHeard()
    case .adapterDeaf:
      Explanation(
        "No adapter heard any device at all, so nothing is known of this room's \(device.noun).",
        "Unplug the adapter and plug it in again, or restart the Bluetooth service. \(again)")
    case .unknownToStack:
      Explanation(
        "The Bluetooth service forgot this room's \(device.noun) each time before it could be connected to.",
        "Stop other programs that use Bluetooth. \(again)")
    case .connectTimedOut, .connectFailed: notConnected(reason)
    case .linkLost: linkLost(reason)
    case .stageTimedOut: stageTimedOut(reason)
    case .serviceMissing: serviceMissing()
    case .attributeRejected: rejected(reason)
    case .refused: refused(reason)
    case .saveNotKept: saveNotKept()
    case .readBackMismatch: readBackMismatch(reason)
    case .foreignSettings: foreignSettings(reason)
    case .noSelfDisconnect: noSelfDisconnect(reason)
    case .wrongIdentity: wrongIdentity(reason)
    case .notHeardAfterSave: notHeardAfterSave(reason)
    case .heardFromOtherAddress: heardFromOtherAddress(reason)
    case .configuredOtherwise: configuredOtherwise(reason)
    case .minorOnAir: minorOnAir(reason)
    case .minorOnRecord: minorOnRecord(reason)
    case .settingsChanged: settingsChanged(reason)
    case .planOutdated: planOutdated()
    case .adapterClaimed: adapterClaimed(reason)
    case .hostPaused: hostPaused(reason)
    case .tooManyCandidates: tooManyCandidates(reason)
    case .noCandidate: noCandidate(reason)
    case .addressNeeded: addressNeeded(reason)
    case .notClearlyNearest: notClearlyNearest(reason)
    case .notNear: notNear(reason)
    case .heardTooBriefly: heardTooBriefly(reason)
    case .adapterMissing: adapterMissing(reason)
    case .adapterShared: adapterShared(reason)
    case .notConfirmed: notConfirmed()
    case .tooManyFailures: tooManyFailures()
    case .canariesFailed: canariesFailed()
    case .canariesRefused: canariesRefused()
    case .adapterLost: adapterLost(reason)
    case .stackLost: stackLost(reason)
    case .outOfSlots: outOfSlots()
    case .interrupted: interrupted(reason)
    case .recordUnwritable: recordUnwritable()
    case .stackError: stackError(reason)
    }
  }

  private func neverHeard() -> Explanation {
    if isRegistered {
      let who = address.map { "The \(device.noun) \($0) was not heard" } ?? "No \(device.noun) was heard"
      return Explanation(
        "\(who) with what the manifest says of this room\(minor.map { ", minor \($0)" } ?? "").",
        """
        It was configured elsewhere: check its \(told.map(\.rawValue.visible).joined(separator: ", ")) in the manifest \
        and that it has power, and stand within 3 m of it. \(again)
        """)
    }
    let waiting = device.makeItWait.map { "\(device.notWaiting), \($0). " } ?? ""
    return Explanation(
      address == nil
        ? "No \(device.noun) was heard for this room." : "\(subject) was not heard on any adapter.",
      """
      Check that it has power and stand within 3 m of it. \(waiting)\
      \(address == nil ? "" : device.label.map { $0 + " " } ?? "")\(again)
      """)
  }

  private func notConnected(_ reason: FailureReason) -> Explanation {
    let sentence =
      if reason.code == .connectTimedOut {
        "\(subject) was heard but did not answer a connection" + within(reason) + "."
      } else {
        "\(subject) was heard, but the connection to it failed."
      }
    return Explanation(
      sentence,
      """
      \(closer) If it is near, \(restart): another phone or laptop \
      may be holding it. \(device.notAnswering.map { $0 + " " } ?? "")\(again)
      """)
  }

  private func linkLost(_ reason: FailureReason) -> Explanation {
    Explanation(
      "The link to \(subject.lowercasedFirst) was lost\(during(reason)).",
      "\(closer) Check that its power is steady: a brown-out looks the same. \(again)")
  }

  private func stageTimedOut(_ reason: FailureReason) -> Explanation {
    let sentence: String
    let hint: String
    switch reason.stage {
    case .search:
      return neverHeard()
    case .connect:
      return notConnected(FailureReason(.connectTimedOut, seconds: reason.seconds))
    case .verify:
      return notHeardAfterSave(reason)
    case .discover:
      sentence = "\(subject) connected, but did not list its services" + within(reason) + "."
      hint = "\(restart.uppercasedFirst)."
    case .ready:
      sentence = "\(subject) did not say that it is ready" + within(reason) + "."
      hint = "\(restart.uppercasedFirst)."
    case .read:
      let setting = reason.setting?.words ?? "what it holds"
      sentence = "\(subject) did not say \(setting)" + within(reason) + "."
      hint = "If it happens again, switch it off and on."
    case .write:
      let setting = reason.setting?.words ?? "a setting"
      sentence = "\(subject) did not confirm \(setting)" + within(reason) + "."
      hint = "If it happens again, \(restart)."
    case .save:
      sentence = "\(subject) did not answer the request to save" + within(reason) + "."
      hint = "If it happens again, \(restart)."
    case nil:
      sentence = "\(subject) took too long" + (reason.seconds.map { " (\($0.asSeconds))" } ?? "") + "."
      hint = "If it happens again, \(restart)."
    }
    return Explanation(sentence, "\(closer) \(hint) \(again)")
  }

  private func serviceMissing() -> Explanation {
    let forget = address.map { "`bluetoothctl remove \($0)`" } ?? "`bluetoothctl remove` and its address"
    return Explanation(
      "\(subject) connected, but the service or a characteristic for provisioning is missing.",
      device.serviceMissing ?? """
        This host may remember an older firmware of it: make it forget the \(device.noun) with \(forget), and run \
        the same command again. If it is missing still, this is another kind of device or its firmware is too old.
        """)
  }

  private func rejected(_ reason: FailureReason) -> Explanation {
    let what =
      reason.setting.map { $0.words } ?? (reason.stage == .save ? "the request to save" : "a request")
    let answer = reason.attError.map { " (\(ATTError.words($0)))" } ?? ""
    let check =
      reason.setting.map { "Check \($0.words) in the manifest" }
      ?? "Check the room's settings in the manifest"
    return Explanation(
      "\(subject) rejected \(what)\(answer).",
      """
      \(check): the firmware may take less than the manifest allows. If it is right, switch the \
      \(device.noun) off and on, \(wait)and run the same command again.
      """)
  }

  private func refused(_ reason: FailureReason) -> Explanation {
    let words = reason.deviceText.map { " It said: \($0.quoted)." } ?? ""
    let check =
      hasWiFi
      ? "Check the WiFi name and password in the manifest, and that the network has 2.4 GHz."
      : "Its firmware may not save without WiFi: give the room a WiFi in the manifest."
    return Explanation(
      "\(subject) refused the settings.\(words)",
      "\(check) Then switch the \(device.noun) off and on, \(wait)and run the same command again."
    )
  }

  private func saveNotKept() -> Explanation {
    Explanation(
      "\(subject) came back waiting for provisioning: it did not keep what was written.",
      "Check that its power is steady while it restarts. Run the same command again; if it happens again, replace it."
    )
  }

  private func readBackMismatch(_ reason: FailureReason) -> Explanation {
    let setting = reason.setting?.words ?? "a setting"
    let held = reason.held.map { ": \($0.visible)" } ?? ""
    return Explanation(
      "\(subject) confirmed \(setting), but holds something else\(held).",
      "Run the same command again: it reads first, and writes what is wrong. If it happens again, replace it: its "
        + "memory may be worn out.")
  }

  private func foreignSettings(_ reason: FailureReason) -> Explanation {
    let held = reason.held.map { " (\($0.visible))" } ?? ""
    return Explanation(
      "\(subject) holds settings that are neither the factory's nor this room's\(held), so it was left alone.",
      """
      Make sure that it belongs in this room, and not in another one or to somebody else. If it does, allow it with \
      --overwrite and the room's name; if not, correct the address of this room in the manifest. \(again)
      """)
  }

  private func noSelfDisconnect(_ reason: FailureReason) -> Explanation {
    Explanation(
      "\(subject) was written, but did not end the connection" + within(reason)
        + ", as it does when it has taken what was written.",
      "\(closer) \(again)")
  }

  private func wrongIdentity(_ reason: FailureReason) -> Explanation {
    Explanation(
      "\(subject) came back with \(identity(reason)).",
      "\(waitAndRun.uppercasedFirst). If it happens again, replace it.")
  }

  private func notHeardAfterSave(_ reason: FailureReason) -> Explanation {
    let done =
      grade == .readBack
      ? "The settings were written and read back" : "The settings were written and saving was asked for"
    return Explanation(
      "\(done), but \(subject.lowercasedFirst) was not heard afterwards" + within(reason) + ".",
      adviceWhenUnconfirmed)
  }

  private func heardFromOtherAddress(_ reason: FailureReason) -> Explanation {
    let identity = (reason.minor ?? minor).map { "minor \($0)" } ?? "its identity"
    let senders =
      reason.candidates.map { "only from \(shown($0))" }
      ?? reason.addresses.map { "only from \(list($0))" } ?? "from another address only"
    let answer =
      reason.deviceText.map { "\(subject) answered \($0.quoted)" }
      ?? "\(subject) was written, but not heard afterwards"
    return Explanation(
      "\(answer), and \(identity) was then heard \(senders), which proves nothing.",
      """
      Find the \(device.noun) with that address. If it is a neighbour's, give this room another minor in the manifest, \
      with --renumber. If it is this room's, its firmware changes its address: give the room `proof: any_address` in the \
      manifest. Then \(waitAndRun).
      """)
  }

  private func configuredOtherwise(_ reason: FailureReason) -> Explanation {
    let sentence = "\(subject) is already set up with \(identity(reason))."
    let elsewhere = "If it belongs in another, correct the address of this room in the manifest."
    if isRegistered {
      return Explanation(
        sentence,
        "If it belongs in this room, write into the manifest what it has, or have it configured again. \(elsewhere)"
      )
    }
    return Explanation(
      sentence,
      "If it belongs in this room, \(waitAndRun). \(elsewhere)")
  }

  private func minorOnAir(_ reason: FailureReason) -> Explanation {
    let minor = reason.minor ?? minor
    let who =
      reason.addresses.map { $0.isEmpty ? "another \(device.noun)" : list($0) } ?? "another \(device.noun)"
    let sentence = "\(minor.map { "Minor \($0)" } ?? "The minor of this room") is already on air from \(who)."
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

  private func minorOnRecord(_ reason: FailureReason) -> Explanation {
    let minor = reason.minor ?? minor
    let who =
      reason.addresses.map { $0.isEmpty ? "another \(device.noun)" : list($0) } ?? "another \(device.noun)"
    return Explanation(
      "\(minor.map { "Minor \($0)" } ?? "The minor of this room") is on record at \(who), which was not heard.",
      """
      If that \(device.noun) is out of service, say so with `roboprov replace` or `roboprov retire` for its room; \
      if it gets another minor, provision it first. \(again)
      """)
  }

  private func settingsChanged(_ reason: FailureReason) -> Explanation {
    let heard = reason.minor.map { " (minor \($0))" } ?? ""
    return Explanation(
      "\(subject) works with the settings of an earlier run\(heard), and the manifest has others now.",
      """
      It cannot be rewritten while it works: \(waitAndRun). Or undo the change in the manifest.
      """)
  }

  private func planOutdated() -> Explanation {
    Explanation(
      "What would be done is not what the plan says, so nothing was begun.",
      "Look at it with `roboprov plan`, and save a new plan if it is right.")
  }

  private func adapterClaimed(_ reason: FailureReason) -> Explanation {
    let who = reason.stackText.map { ": \($0.quoted)" } ?? ""
    return Explanation(
      "Another run works with the adapter\(who).",
      "Wait until it is done, or name another adapter with --adapter.")
  }

  private func hostPaused(_ reason: FailureReason) -> Explanation {
    Explanation(
      "This computer slept or stood still\(during(reason)).",
      "Keep its lid open and its power plugged in. \(again)")
  }

  private func tooManyCandidates(_ reason: FailureReason) -> Explanation {
    let who = reason.addresses.map { $0.isEmpty ? "" : ": " + list($0) } ?? ""
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

  private func noCandidate(_ reason: FailureReason) -> Explanation {
    if let near = reason.near {
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

  private func addressNeeded(_ reason: FailureReason) -> Explanation {
    let heard = reason.addresses.map { " Heard: \(list($0))." } ?? ""
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

  private func tooManyFailures() -> Explanation {
    Explanation(
      "More rooms failed than --max-failures allows, so this one was not begun.",
      "See why they failed, and what they have in common. Then run the same command again: it does what is left."
    )
  }

  private func canariesFailed() -> Explanation {
    Explanation(
      "None of the first rooms of its \(hasWiFi ? "WiFi network" : "kind") was done, so this one was not begun.",
      "See why these failed. Then run the same command again: it does what is left.")
  }

  private func canariesRefused() -> Explanation {
    Explanation(
      "The first rooms were done, and the rest was not to follow.",
      "Mend what was wrong with them in the manifest, or run the same command again.")
  }

  private func notConfirmed() -> Explanation {
    Explanation(
      "Nobody confirmed which \(device.noun) goes into which room.",
      "Run the same command again and confirm the list, or pass --yes when any \(device.noun) may go into any room."
    )
  }

  private func adapterLost(_ reason: FailureReason) -> Explanation {
    if mayHaveKept {
      return unproved(
        because: "the Bluetooth adapter was switched off or unplugged",
        "Plug it in firmly, and switch it on (`bluetoothctl power on`)")
    }
    return Explanation(
      "The Bluetooth adapter was switched off or unplugged\(during(reason)).",
      """
      Plug it in firmly, without a hub if possible, and switch it on (`bluetoothctl power on`; if it is blocked, \
      `rfkill unblock bluetooth`). \(again)
      """)
  }

  /// Written, and the host could not listen for the proof. Nothing of it is about one device.
  private func unproved(because cause: String, _ cure: String) -> Explanation {
    Explanation(
      "The settings were written, and could not be proved: \(cause).",
      "\(cure). \(adviceWhenUnconfirmed)")
  }

  private func stackLost(_ reason: FailureReason) -> Explanation {
    if mayHaveKept {
      return unproved(
        because: "the Bluetooth service of this computer went away",
        "Start it with `systemctl restart bluetooth`")
    }
    return Explanation(
      "The Bluetooth service of this computer went away\(during(reason)).",
      "See why with `systemctl status bluetooth`, start it with `systemctl restart bluetooth`. \(again)")
  }

  private func outOfSlots() -> Explanation {
    Explanation(
      "The Bluetooth adapter has no free connection.",
      """
      Close other programs that use Bluetooth, see who is connected with `bluetoothctl devices Connected`, or unplug \
      the adapter and plug it in again. \(again)
      """)
  }

  private func interrupted(_ reason: FailureReason) -> Explanation {
    if isProved {
      return Explanation(
        "The \(device.noun)'s beacon was heard, but the run ended before the room's outcome was on record.",
        adviceWhenUnconfirmed)
    }
    if mayHaveKept {
      return Explanation(
        "The run ended\(during(reason)): \(subject.lowercasedFirst) may have kept the settings.",
        adviceWhenUnconfirmed)
    }
    let sentence =
      if let stage = reason.stage {
        "The run ended while \(stage.activity(reason.setting))."
      } else {
        isTried ? "The run ended before this room was done." : "The run ended before this room's turn."
      }
    return Explanation(sentence, "Run the same command again: it does what is left.")
  }

  private func recordUnwritable() -> Explanation {
    if mayHaveKept {
      return unproved(
        because: "the record of the run could not be written",
        "Free some space where the reports are, or name another place with --reports")
    }
    return Explanation(
      "The record of the run could not be written, so nothing more was done.",
      "Free some space where the reports are, or name another place with --reports. \(again)")
  }

  private func stackError(_ reason: FailureReason) -> Explanation {
    let words = reason.stackText.map { ": \($0.quoted)" } ?? ""
    return Explanation(
      "The Bluetooth service reported an error\(during(reason))\(words).",
      """
      Run the same command again. If it happens again, restart Bluetooth (`systemctl restart bluetooth`), and send \
      this room's log with your question.
      """)
  }
}

extension Scene {
  /// What a device was heard to be, and what it should be.
  private func identity(_ reason: FailureReason) -> String {
    // The same minor is still another identity: uuid and major belong to it.
    if let held = reason.held { return held.visible }
    guard let heard = reason.minor, heard != minor else { return "another identity" }
    return "minor \(heard)" + (minor.map { " instead of minor \($0)" } ?? "")
  }

  /// What makes it wait for provisioning, before a comma and what comes next; nothing where it always does.
  private var wait: String { device.makeItWait.map { "\($0), " } ?? "" }

  private func within(_ reason: FailureReason) -> String {
    reason.seconds.map { " within \($0.asSeconds)" } ?? ""
  }

  private func during(_ reason: FailureReason) -> String {
    reason.stage.map { " while " + $0.activity(reason.setting) } ?? ""
  }

  /// The first few, and how many more.
  private func list(_ addresses: [BluetoothAddress]) -> String {
    let shown = addresses.prefix(5).map(\.description).joined(separator: ", ")
    return addresses.count > 5 ? "\(shown) and \(addresses.count - 5) more" : shown
  }
}

extension String {
  /// In quotation marks, on one line, and not longer than a sentence bears.
  fileprivate var quoted: String {
    let text = visible
    return "“" + (text.count > 120 ? text.prefix(119) + "…" : text) + "”"
  }

  /// With a small first letter, to stand within a sentence.
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
  /// With a capital first letter, to begin a sentence.
  var uppercasedFirst: String { prefix(1).uppercased() + dropFirst() }
}
