import Bluetooth
import Model

/// Why the host, the run or a person ended the work on a room, in words.
extension Scene {
  func planOutdated() -> Explanation {
    Explanation(
      "What would be done is not what the plan says, so nothing was begun.",
      "Look at it with `roboprov plan`, and save a new plan if it is right.")
  }

  func adapterClaimed(_ holder: String) -> Explanation {
    Explanation(
      "Another run works with the adapter: \(holder.quoted).",
      "Wait until it is done, or name another adapter with --adapter.")
  }

  func hostPaused(_ step: FailedStep) -> Explanation {
    Explanation(
      "This computer slept or stood still\(during(step)).",
      "Keep its lid open and its power plugged in. \(again)")
  }

  func tooManyFailures() -> Explanation {
    Explanation(
      "More rooms failed than --max-failures allows, so this one was not begun.",
      "See why they failed, and what they have in common. Then run the same command again: it does what is left."
    )
  }

  func canariesFailed() -> Explanation {
    Explanation(
      "None of the first rooms of its \(hasWiFi ? "WiFi network" : "kind") was done, so this one was not begun.",
      "See why these failed. Then run the same command again: it does what is left.")
  }

  func canariesRefused() -> Explanation {
    Explanation(
      "The first rooms were done, and the rest was not to follow.",
      "Mend what was wrong with them in the manifest, or run the same command again.")
  }

  func notConfirmed() -> Explanation {
    Explanation(
      "Nobody confirmed which \(device.noun) goes into which room.",
      "Run the same command again and confirm the list, or pass --yes when any \(device.noun) may go into any room."
    )
  }

  func adapterLost(_ loss: HostLoss) -> Explanation {
    if mayHaveKept {
      return unproved(
        because: "the Bluetooth adapter was switched off or unplugged",
        "Plug it in firmly, and switch it on (`bluetoothctl power on`)")
    }
    return Explanation(
      "The Bluetooth adapter was switched off or unplugged\(during(loss.step)).",
      """
      Plug it in firmly, without a hub if possible, and switch it on (`bluetoothctl power on`; if it is blocked, \
      `rfkill unblock bluetooth`). \(again)
      """)
  }

  func stackLost(_ loss: HostLoss) -> Explanation {
    if mayHaveKept {
      return unproved(
        because: "the Bluetooth service of this computer went away",
        "Start it with `systemctl restart bluetooth`")
    }
    return Explanation(
      "The Bluetooth service of this computer went away\(during(loss.step)).",
      "See why with `systemctl status bluetooth`, start it with `systemctl restart bluetooth`. \(again)")
  }

  /// Written, and the host could not listen for the proof. Nothing of it is about one device.
  private func unproved(because cause: String, _ cure: String) -> Explanation {
    Explanation(
      "The settings were written, and could not be proved: \(cause).",
      "\(cure). \(adviceWhenUnconfirmed)")
  }

  func outOfSlots() -> Explanation {
    Explanation(
      "The Bluetooth adapter has no free connection.",
      """
      Close other programs that use Bluetooth, see who is connected with `bluetoothctl devices Connected`, or unplug \
      the adapter and plug it in again. \(again)
      """)
  }

  func interrupted(_ interruption: Interruption) -> Explanation {
    if isProved {
      return Explanation(
        "The \(device.noun)'s beacon was heard, but the run ended before the room's outcome was on record.",
        adviceWhenUnconfirmed)
    }
    if mayHaveKept {
      return Explanation(
        "The run ended\(during(interruption.step)): \(subject.lowercasedFirst) may have kept the settings.",
        adviceWhenUnconfirmed)
    }
    let sentence =
      if let step = interruption.step {
        "The run ended while \(step.stage.activity(step.setting))."
      } else {
        isTried ? "The run ended before this room was done." : "The run ended before this room's turn."
      }
    return Explanation(sentence, "Run the same command again: it does what is left.")
  }

  func recordUnwritable() -> Explanation {
    if mayHaveKept {
      return unproved(
        because: "the record of the run could not be written",
        "Free some space where the reports are, or name another place with --reports")
    }
    return Explanation(
      "The record of the run could not be written, so nothing more was done.",
      "Free some space where the reports are, or name another place with --reports. \(again)")
  }

  func stackError(_ step: FailedStep) -> Explanation {
    let words = step.stackText.map { ": \($0.quoted)" } ?? ""
    return Explanation(
      "The Bluetooth service reported an error\(during(step))\(words).",
      """
      Run the same command again. If it happens again, restart Bluetooth (`systemctl restart bluetooth`), and send \
      this room's log with your question.
      """)
  }
}
