import Model

/// Why a device could not be paired, in words. None of these is about WiFi, and only a lost link may be about distance.
extension SentenceContext {
  func pairingFailed(_ reason: FailureReason) -> Explanation {
    switch reason.code {
    case .passkeyRefused:
      let place = reason.source.map { "It comes from \($0.quoted)" } ?? "It is in the manifest"
      return Explanation(
        "\(subject) did not accept the passkey of this room, so nothing was written.",
        """
        \(place): compare it with the label of this \(device.noun), and check that it belongs in this room. \(again)
        """)
    case .passkeyUnused:
      return Explanation(
        "Nothing shows that \(subject.lowercasedFirst) knows the passkey of this room\(seen(reason)), so nothing was written.",
        """
        If this computer has a bond with it, \(forget). Otherwise another device may imitate it: check that it belongs in this \
        room, and that its product has a passkey. If not, its family pairs by `just_works`. \(again)
        """)
    case .pairingUnsuitable:
      return Explanation(
        "\(subject) demands another way to pair\(seen(reason)), so nothing was written.",
        """
        Compare `pairing` with the documentation of the product: roboprov pairs by `just_works`, or with a `passkey` from the \
        label. \(again)
        """)
    case .pairingLost:
      return Explanation(
        "The link to \(subject.lowercasedFirst) was lost while it was being paired, or it did not answer.",
        """
        \(restart.uppercasedFirst), and \(retry). If it fails again, reset the \(device.noun): it may end the link to refuse. If \
        this computer has an old bond with it, \(forget).
        """)
    default:
      return Explanation(
        "\(subject) refused to pair\(seen(reason)), so nothing was written.",
        """
        It may pair only for some minutes after its start: \(restart). It may have been paired with another phone or computer, \
        or with too many: remove it there, or reset it. If this computer has an old bond with it, \(forget). \(again)
        """)
    }
  }

  /// What to write for a device that demands pairing.
  var howToPair: String {
    device.toPair.map { "\($0.uppercasedFirst). \(again)" } ?? replaceUnpaired
  }

  /// What to write in case that a failure is the demand of a device (`mayDemandPairing`).
  func ifItDemandsPairing(_ reason: FailureReason) -> String {
    guard reason.mayDemandPairing, let toPair = device.toPair else { return "" }
    return " If it demands pairing, \(toPair)."
  }

  private func seen(_ reason: FailureReason) -> String {
    reason.stackText.map { " (\($0.visible))" } ?? ""
  }
}
