import Bluetooth
import Model

/// Every reason in words. The compiler requires a sentence here for each new code.
extension SentenceContext {
  func explain(_ reason: FailureReason) -> Explanation {
    switch reason {
    case .neverReceived: neverReceived()
    case .adapterDeaf:
      Explanation(
        "No adapter received any device.",
        "Unplug the adapter and plug it in again, or run `systemctl restart bluetooth`. \(again)")
    case .contentHidden(let stackText):
      Explanation(
        "\(subject) was received, but the Bluetooth service shows old data instead of what it sends now: \(stackText.quoted).",
        "\(forget.uppercasedFirst), or if that fails `systemctl restart bluetooth`. \(again)")
    case .notRecognised: notRecognised()
    case .unknownToStack:
      Explanation(
        "\(subject) was received, but takes no connection: each time, the Bluetooth service removed it from its list before the connection began.",
        "A phone may be connected to it: close the app there, or switch the \(device.noun) off and on. \(again)"
      )
    case .connectTimedOut(let seconds, _): connectTimedOut(seconds)
    case .connectFailed: connectFailed()
    case .linkLost(let step): linkLost(step)
    case .stageTimedOut(let step, let seconds): stageTimedOut(step, seconds)
    case .serviceMissing(let step): serviceMissing(step)
    case .serviceAmbiguous: serviceAmbiguous()
    case .attributeRejected(let step, let attError): rejected(step, attError)
    case .pairingRequired(let step): pairingRequired(step)
    case .refused(_, let text): refused(text)
    case .wifiRefused(let cause, _): wifiRefused(cause)
    case .saveNotKept: saveNotKept()
    case .readBackMismatch(let setting, let held): readBackMismatch(setting, held)
    case .foreignSettings(let held, _): foreignSettings(held)
    case .credentialsRefused(let step, let source): credentialsRefused(step, source)
    case .securityTooLow(let held): securityTooLow(held)
    case .settingUnsupported(let setting): settingUnsupported(setting)
    case .networkNotReceived(let ssid, let networks): networkNotReceived(ssid, networks)
    case .noSelfDisconnect(let seconds): noSelfDisconnect(seconds)
    case .wrongIdentity(let received): wrongIdentity(received)
    case .notReceivedAfterSave: notReceivedAfterSave()
    case .receivedFromOtherAddress(let others, let response): receivedFromOtherAddress(others, response)
    case .beaconAsBefore(let received, _): beaconAsBefore(received)
    case .contradictorySightings(let contradiction, let response):
      contradictorySightings(contradiction, isAfterSave: response != nil)
    case .configuredOtherwise(let received): configuredOtherwise(received)
    case .identityOnAir(let holders): identityOnAir(holders)
    case .identityOnRecord(let holders): identityOnRecord(holders)
    case .settingsChanged(let received, let changes): settingsChanged(received, changes)
    case .settingsUnknown(let received?): settingsUnknown(received)
    case .settingsUnknown(nil): settingsUnknown()
    case .authorizationRequired: authorizationRequired()
    case .localAdapterNeeded: localAdapterNeeded()
    case .planOutdated: planOutdated()
    case .adapterClaimed(let holder): adapterClaimed(holder)
    case .hostPaused(let paused): hostPaused(paused.step)
    case .tooManyCandidates(let addresses, _): tooManyCandidates(addresses)
    case .noCandidate(let near): noCandidate(near: near)
    case .ambiguousFamily(let families): ambiguousFamily(families)
    case .addressNeeded(let received): addressNeeded(received)
    case .addressMissing: addressMissing
    case .notClearlyNearest(let received): notClearlyNearest(received)
    case .notNear(let received): notNear(received)
    case .receivedTooBriefly(let received): receivedTooBriefly(received)
    case .adapterMissing(let near): adapterMissing(near)
    case .adapterShared(let near): adapterShared(near)
    case .notConfirmed: notConfirmed()
    case .tooManyFailures: tooManyFailures()
    case .canariesFailed: canariesFailed()
    case .canariesRefused: canariesRefused()
    case .adapterLost(let loss): adapterLost(loss)
    case .stackLost(let loss): stackLost(loss)
    case .outOfSlots: outOfSlots()
    case .interrupted(let interruption): interrupted(interruption)
    case .recordUnwritable: recordUnwritable()
    case .stackError(let step): stackError(step)
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

  func devices(of holders: IdentityHolders) -> String {
    holders.addresses.isEmpty ? "another \(device.noun)" : list(holders.addresses)
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
