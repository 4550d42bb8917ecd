import Bluetooth
import Model

/// Why the host, the run or a person ended the work on a room, in words.
extension SentenceContext {
  func adapterLost(_ step: FailedStep?) -> Explanation {
    if mayHaveKept {
      return unproved(
        because: "the Bluetooth adapter was switched off or unplugged",
        "Plug it in firmly, and run `bluetoothctl power on`")
    }
    return Explanation(
      "The Bluetooth adapter was switched off or unplugged\(during(step)).",
      """
      Plug it in firmly, without a hub if possible. Run `bluetoothctl power on`; if that fails, run `rfkill unblock \
      bluetooth` first. \(again)
      """)
  }

  func stackLost(_ step: FailedStep?) -> Explanation {
    if let host {
      // The log says whether ssh, the network or the service there failed.
      let cause = "the connection to \(host), or the Bluetooth service there, was lost"
      if mayHaveKept { return unproved(because: cause, "Run `roboprov doctor` to see why") }
      return Explanation(
        "\(cause.uppercasedFirst)\(during(step)).", "Run `roboprov doctor` to see why. \(again)")
    }
    if mayHaveKept {
      return unproved(
        because: "the Bluetooth service of this computer stopped",
        "Run `systemctl restart bluetooth`")
    }
    return Explanation(
      "The Bluetooth service of this computer stopped\(during(step)).",
      "Run `systemctl status bluetooth` to see why, and `systemctl restart bluetooth` to start it. \(again)")
  }

  /// The settings were written, and this computer could not receive the proof. The device is not the cause.
  private func unproved(because cause: String, _ advice: String) -> Explanation {
    Explanation(
      "The settings were written, but not proved: \(cause).",
      "\(advice). \(adviceWhenUnconfirmed)")
  }

  func interrupted(_ step: FailedStep?) -> Explanation {
    if isProved {
      return Explanation(
        (hasBeacon
          ? "The beacon of the \(device.noun) was received" : "The settings of the \(device.noun) are proved")
          + ", but the run ended before the outcome was recorded.",
        adviceWhenUnconfirmed)
    }
    if mayHaveKept {
      return Explanation(
        "The run ended\(during(step)): \(subject.lowercasedFirst) may have kept the settings.",
        adviceWhenUnconfirmed)
    }
    let sentence =
      if let step {
        "The run ended while \(activity(step))."
      } else {
        isTried ? "The run ended before this room was done." : "The run ended before it started this room."
      }
    return Explanation(sentence, retry.uppercasedFirst + ".")
  }

  func recordUnwritable() -> Explanation {
    let advice = "Free disk space where the reports are, or select another directory with --reports"
    if mayHaveKept {
      return unproved(because: "the record of the run could not be written", advice)
    }
    return Explanation(
      "The record of the run could not be written, so nothing more was done.", "\(advice). \(again)")
  }
}
