import Bluetooth
import Model

/// Why the host, the run or a person ended the work on a room, in words.
extension SentenceContext {
  func planOutdated() -> Explanation {
    Explanation(
      "The run would not follow the saved plan, so nothing was started.",
      "Run `roboprov plan` with the same options to see what has changed, and save it again with --save if it is right."
    )
  }

  func adapterClaimed(_ holder: String) -> Explanation {
    Explanation(
      "Another run uses the adapter: \(holder.quoted).",
      "Wait until it ends, or select another adapter with --adapter. \(again)")
  }

  func hostPaused(_ step: FailedStep) -> Explanation {
    Explanation(
      "This computer was suspended or stopped\(during(step)).",
      "Keep its lid open and its power plugged in. \(again)")
  }

  func tooManyFailures() -> Explanation {
    Explanation(
      "More rooms failed than --max-failures allows, so this room was not started.",
      "Correct what the failures have in common. \(again)")
  }

  func canariesFailed() -> Explanation {
    Explanation(
      "All the first rooms (--canary) of its \(hasWiFi ? "WiFi network" : "kind") failed, so this room was not started.",
      "Correct the cause of these failures. \(again)")
  }

  func canariesRefused() -> Explanation {
    Explanation(
      "The first rooms were done, but not approved, so this room was not started.",
      "Correct the manifest where it is wrong. \(again)")
  }

  func notConfirmed() -> Explanation {
    Explanation(
      "The list of rooms and \(device.noun)s was not confirmed, so nothing was started.",
      "\(retry.uppercasedFirst) and confirm the list, or add --yes to accept any list."
    )
  }

  func adapterLost(_ loss: Interruption) -> Explanation {
    if mayHaveKept {
      return unproved(
        because: "the Bluetooth adapter was switched off or unplugged",
        "Plug it in firmly, and run `bluetoothctl power on`")
    }
    return Explanation(
      "The Bluetooth adapter was switched off or unplugged\(during(loss.step)).",
      """
      Plug it in firmly, without a hub if possible. Run `bluetoothctl power on`; if that fails, run `rfkill unblock \
      bluetooth` first. \(again)
      """)
  }

  func stackLost(_ loss: Interruption) -> Explanation {
    if let host {
      // The log says whether ssh, the network or the service there failed.
      let cause = "the connection to \(host), or the Bluetooth service there, was lost"
      if mayHaveKept { return unproved(because: cause, "Run `roboprov doctor` to see why") }
      return Explanation(
        "\(cause.uppercasedFirst)\(during(loss.step)).", "Run `roboprov doctor` to see why. \(again)")
    }
    if mayHaveKept {
      return unproved(
        because: "the Bluetooth service of this computer stopped",
        "Run `systemctl restart bluetooth`")
    }
    return Explanation(
      "The Bluetooth service of this computer stopped\(during(loss.step)).",
      "Run `systemctl status bluetooth` to see why, and `systemctl restart bluetooth` to start it. \(again)")
  }

  /// The settings were written, and this computer could not receive the proof. The device is not the cause.
  private func unproved(because cause: String, _ advice: String) -> Explanation {
    Explanation(
      "The settings were written, but not proved: \(cause).",
      "\(advice). \(adviceWhenUnconfirmed)")
  }

  func outOfSlots() -> Explanation {
    Explanation(
      "The Bluetooth adapter has no free connection.",
      """
      Close other programs that use Bluetooth (`bluetoothctl devices Connected` lists their devices), or unplug the \
      adapter and plug it in again. \(again)
      """)
  }

  func interrupted(_ interruption: Interruption) -> Explanation {
    if isProved {
      return Explanation(
        (hasBeacon
          ? "The beacon of the \(device.noun) was received" : "The settings of the \(device.noun) are proved")
          + ", but the run ended before the outcome was recorded.",
        adviceWhenUnconfirmed)
    }
    if mayHaveKept {
      return Explanation(
        "The run ended\(during(interruption.step)): \(subject.lowercasedFirst) may have kept the settings.",
        adviceWhenUnconfirmed)
    }
    let sentence =
      if let step = interruption.step {
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

  func stackError(_ step: FailedStep) -> Explanation {
    let words = step.stackText.map { ": \($0.quoted)" } ?? ""
    return Explanation(
      "The Bluetooth service reported an error\(during(step))\(words).",
      """
      \(retry.uppercasedFirst). If it fails again, run `systemctl restart bluetooth`. If that does not help, send the log \
      of this room to your support.
      """)
  }
}
