import Bluetooth
import Model

/// Every reason in words. The compiler requires a sentence here for each new code.
extension SentenceContext {
  func explain(_ reason: FailureReason) -> Explanation {
    switch reason.code {
    case .neverReceived: neverReceived()
    case .adapterDeaf:
      Explanation(
        "No adapter received any device.",
        "Unplug the adapter and plug it in again, or run `systemctl restart bluetooth`. \(again)")
    case .contentHidden:
      Explanation(
        "\(subject) was received, but the Bluetooth service shows old data instead of what it sends now: \(reason[\.stackText].quoted).",
        "\(forget.uppercasedFirst), or if that fails `systemctl restart bluetooth`. \(again)")
    case .notRecognised: notRecognised()
    case .unknownToStack:
      Explanation(
        "\(subject) was received, but takes no connection: each time, the Bluetooth service removed it from its list before the connection began.",
        "A phone may be connected to it: close the app there, or switch the \(device.noun) off and on. \(again)"
      )
    case .connectTimedOut: connectTimedOut(reason.seconds)
    case .connectFailed: notConnected("\(subject) was received, but the connection failed.")
    case .linkLost: linkLost(reason)
    case .stageTimedOut: stageTimedOut(reason)
    case .serviceMissing:
      Explanation(
        "\(subject) connected, but its provisioning service or a characteristic is missing\(reason.stackText.map { " (\($0.visible))" } ?? "").",
        device.serviceMissing ?? """
          This computer may have stored the services of an older firmware: \(forget), then \(retry). If it fails again, \
          replace the \(device.noun): it is another kind of device, or its firmware is too old.
          """)
    case .serviceAmbiguous:
      Explanation(
        "\(subject) has the provisioning service or one of its characteristics twice, so nothing was written.",
        "\(forget.uppercasedFirst), then \(retry). If it fails again, replace the \(device.noun): roboprov does not know its kind."
      )
    case .attributeRejected: rejected(reason[\.step], reason.attError)
    case .pairingRequired:
      Explanation(
        "\(subject) demands pairing\(during(reason.step)), and the manifest does not want it.",
        howToPair)
    case .pairingRefused, .passkeyRefused, .passkeyUnused, .pairingUnsuitable, .pairingLost:
      pairingFailed(reason)
    case .refused:
      Explanation(
        "\(subject) refused the settings: \(reason[\.deviceText].quoted).",
        RefusalCause(reason[\.deviceText])?.advice(in: self) ?? adviceAboutWiFi)
    case .wifiRefused: wifiRefused(reason[\.cause])
    case .saveNotKept:
      Explanation(
        "\(subject) restarted and waits for provisioning again: it did not keep the settings.",
        "Check its power supply. \(againOrReplace)")
    case .readBackMismatch:
      Explanation(
        "\(subject) confirmed \(titles.words(reason[\.setting])), but returns other settings: \(reason[\.held].visible).",
        "\(retry.uppercasedFirst): it writes only what is wrong. If it fails again, replace the \(device.noun)."
      )
    case .foreignSettings:
      Explanation(
        "\(subject) holds settings that are neither the factory's nor this room's (\(reason[\.held].visible)), so nothing was written.",
        """
        Check that it belongs in this room. If it does, \(run(with: "--overwrite")). If not, \(correctAddress), then \(retry).
        """)
    case .otherDevice:
      Explanation(
        "\(subject) says that it is \(reason[\.held].visible), which is not the device of this room, so nothing was written.",
        """
        Compare `device` in the manifest with the label of the \(device.noun) in this room. If the room got another \(device.noun), \
        run `roboprov room replace` for it. \(again)
        """)
    case .credentialsRefused: credentialsRefused(reason)
    case .securityTooLow:
      Explanation(
        "\(subject) offers only \(reason[\.held].visible), not what the manifest demands or what the device had before, so nothing was written.",
        """
        Another device may imitate it: check that it belongs in this room. To accept it, set `security` for this room to what it \
        has, without a `username`; with `security: 0` the WiFi password is sent unencrypted. \(again)
        """)
    case .notForWiFi:
      Explanation(
        "\(subject) joins Thread networks, not WiFi, so nothing was sent to it.",
        "Check that this \(device.noun) belongs in this room. If it does, it needs firmware for WiFi. \(again)"
      )
    case .settingUnsupported:
      Explanation(
        "\(subject) does not take \(reason[\.setting].rawValue.quoted), which the manifest gives, so nothing was written.",
        """
        Compare the name with the documentation of the product, and check that the \(device.noun) belongs in this room. \
        \(again)
        """)
    case .networkNotReceived: networkNotReceived(reason[\.ssid], reason[\.networks])
    case .deviceRestarts:
      Explanation(
        "\(subject) has its settings and restarted, and nothing shows yet that it works with them.",
        adviceWhenUnconfirmed)
    case .noSelfDisconnect:
      Explanation(
        "\(subject) was written, but did not confirm it by ending the connection\(within(reason.seconds)).",
        closerAndAgain)
    case .wrongIdentity: wrongIdentity(reason[\.identity])
    case .notReceivedAfterSave: notReceivedAfterSave()
    case .receivedFromOtherAddress: receivedFromOtherAddress(reason)
    case .beaconAsBefore:
      Explanation(
        "\(subject) did not acknowledge the save. Its beacon (\(reason[\.identity].distinction.visible)) was the same before: nothing shows that it kept \(hasWiFi ? "the new WiFi password" : "its new settings").",
        """
        \(waitAndRun.uppercasedFirst), which writes it again. Or, if you know that it works, run `roboprov room accept` for \
        this room.
        """)
    case .contradictorySightings:
      contradictorySightings(reason[\.contradiction], isAfterSave: reason.stage != nil)
    case .configuredOtherwise: configuredOtherwise(reason[\.identity])
    case .identityOnAir: identityOnAir(reason)
    case .identityOnRecord:
      Explanation(
        "\(reason[\.identity].distinction.visible.uppercasedFirst) is on record for \(devices(reason[\.addresses])), which was not received.",
        """
        If that \(device.noun) is out of service, run `roboprov room replace` or `roboprov room retire` for its room. If it \
        gets another \(number), provision it first. \(again)
        """)
    case .settingsChanged: settingsChanged(reason.identity, reason.changes ?? [])
    case .settingsUnknown where reason.identity == nil: settingsUnknown()
    case .settingsUnknown: settingsUnknown(reason[\.identity])
    case .authorizationRequired:
      Explanation(
        "\(subject) accepts settings only after its button is pressed.",
        "Press the button, then \(retry) within a minute. Or add `--watch`, and press it while the run waits."
      )
    case .localAdapterNeeded:
      Explanation(
        "\(subject) was not written: it acknowledges a write only by the moment at which it ends the link, and that cannot be seen through the network.",
        "Use an adapter of this computer for it: \(retry) within its reach.")
    case .planOutdated:
      Explanation(
        "The run would not follow the saved plan, so nothing was started.",
        "Run `roboprov plan` with the same options to see what has changed, and save it again with --save if it is right."
      )
    case .adapterClaimed:
      Explanation(
        "Another run uses the adapter: \(reason[\.stackText].quoted).",
        "Wait until it ends, or select another adapter with --adapter. \(again)")
    case .hostPaused:
      Explanation(
        "This computer was suspended or stopped\(during(reason.step)).",
        "Keep its lid open and its power plugged in. \(again)")
    case .tooManyCandidates: tooManyCandidates(reason[\.addresses])
    case .noCandidate: noCandidate(near: reason.near)
    case .ambiguousFamily:
      Explanation(
        """
        \(address.map(\.description) ?? "The device of this room") matches several families \
        (\(reason[\.families].map(\.rawValue.visible).joined(separator: ", "))), so roboprov cannot know which settings it takes.
        """,
        "Add to `recognise` in the family file what only its devices send. \(again)")
    case .addressNeeded: addressNeeded(reason.addresses ?? [])
    case .addressMissing:
      Explanation(
        "The manifest does not name this room's \(device.noun).",
        "Read its label with `roboprov capture`, or write its `address` or `device` into the manifest. \(again)"
      )
    case .notClearlyNearest: notClearlyNearest(reason[\.near], reason[\.candidates])
    case .notNear:
      Explanation(
        "The \(device.noun) nearest to \(reason[\.near].visible) is too weak to be in the room: \(shown(reason[\.candidates])).",
        "Check the power of the room's \(device.noun)\(device.makeItWait.map { ", \($0)" } ?? ""), and place the adapter within 3 m of it. \(again)"
      )
    case .receivedTooBriefly:
      Explanation(
        "The \(device.noun) nearest to \(reason[\.near].visible) was not received long enough: \(shown(reason[\.candidates])).",
        "Scan longer: run the same command with `--scan-time 20`.")
    case .adapterMissing:
      Explanation(
        "The adapter \(reason[\.near].visible) of this room was not found.",
        """
        Plug it in, and check that `bluetoothctl list` shows it and that --adapter does not exclude it. Or change `near` \
        in the manifest. \(again)
        """)
    case .adapterShared:
      Explanation(
        "Several rooms without a \(device.noun) are near \(reason[\.near].visible).",
        """
        Take the adapter to one room at a time, and \(run(with: "--only")). Or give each room its own adapter or address in \
        the manifest.
        """)
    case .notConfirmed:
      Explanation(
        "The list of rooms and \(device.noun)s was not confirmed, so nothing was started.",
        "\(retry.uppercasedFirst) and confirm the list, or add --yes to accept any list."
      )
    case .tooManyFailures:
      Explanation(
        "More rooms failed than --max-failures allows, so this room was not started.",
        "Correct what the failures have in common. \(again)")
    case .canariesFailed:
      Explanation(
        "All the first rooms (--canary) of its \(hasWiFi ? "WiFi network" : "kind") failed, so this room was not started.",
        "Correct the cause of these failures. \(again)")
    case .canariesRefused:
      Explanation(
        "The first rooms were done, but not approved, so this room was not started.",
        "Correct the manifest where it is wrong. \(again)")
    case .adapterLost: adapterLost(reason.step)
    case .stackLost: stackLost(reason.step)
    case .outOfSlots:
      Explanation(
        "The Bluetooth adapter has no free connection.",
        """
        Close other programs that use Bluetooth (`bluetoothctl devices Connected` lists their devices), or unplug the \
        adapter and plug it in again. \(again)
        """)
    case .interrupted: interrupted(reason.step)
    case .recordUnwritable: recordUnwritable()
    case .stackError:
      Explanation(
        "The Bluetooth service reported an error\(during(reason.step))\(reason.stackText.map { ": \($0.quoted)" } ?? "").",
        """
        \(retry.uppercasedFirst). If it fails again, run `systemctl restart bluetooth`. If that does not help, send the log \
        of this room to your support.
        """)
    }
  }
}

extension SentenceContext {
  /// The identity that was received, and the wanted one.
  func shown(_ received: DeviceIdentity) -> String {
    // With the same last part, another part differs.
    guard received.distinction != identity?.distinction else { return "another identity" }
    return received.distinction.visible + (identity.map { " instead of \($0.distinction.visible)" } ?? "")
  }

  func within(_ seconds: Double?) -> String {
    seconds.map { " within \($0.asSeconds)" } ?? ""
  }

  func during(_ step: FailedStep?) -> String {
    step.map { " while " + activity($0) } ?? ""
  }

  func activity(_ step: FailedStep) -> String {
    step.stage.activity(step.setting, titles, hasBeacon: hasBeacon)
  }

  func devices(_ holders: [BluetoothAddress]) -> String {
    holders.isEmpty ? "another \(device.noun)" : list(holders)
  }

  /// The first few, and how many more.
  func list(_ addresses: [BluetoothAddress]) -> String {
    let shown = addresses.prefix(5).map(\.description).joined(separator: ", ")
    return addresses.count > 5 ? "\(shown) and \(addresses.count - 5) more" : shown
  }
}

extension String {
  /// In quotation marks, on one line, at most 120 characters long.
  var quoted: String {
    let text = visible
    return "“" + (text.count > 120 ? text.prefix(119) + "…" : text) + "”"
  }

  /// With a small first letter, for use within a sentence.
  var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
  /// With a capital first letter, for use at the beginning of a sentence.
  var uppercasedFirst: String { prefix(1).uppercased() + dropFirst() }
}
