import Bluetooth
import Model

/// Why an attempt at a device failed, in words.
extension Scene {
  func neverHeard() -> Explanation {
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

  func connectTimedOut(_ seconds: Double?) -> Explanation {
    notConnected("\(subject) was heard but did not answer a connection\(within(seconds)).")
  }

  func connectFailed() -> Explanation {
    notConnected("\(subject) was heard, but the connection to it failed.")
  }

  private func notConnected(_ sentence: String) -> Explanation {
    Explanation(
      sentence,
      """
      \(closer) If it is near, \(restart): another phone or laptop \
      may be holding it. \(device.notAnswering.map { $0 + " " } ?? "")\(again)
      """)
  }

  func linkLost(_ step: FailedStep) -> Explanation {
    Explanation(
      "The link to \(subject.lowercasedFirst) was lost\(during(step)).",
      "\(closer) Check that its power is steady: a brown-out looks the same. \(again)")
  }

  func stageTimedOut(_ step: FailedStep, _ seconds: Double?) -> Explanation {
    let sentence: String
    let hint: String
    switch step.stage {
    case .search:
      return neverHeard()
    case .connect:
      return connectTimedOut(seconds)
    case .verify:
      return notHeardAfterSave(seconds)
    case .discover:
      sentence = "\(subject) connected, but did not list its services" + within(seconds) + "."
      hint = "\(restart.uppercasedFirst)."
    case .ready:
      sentence = "\(subject) did not say that it is ready" + within(seconds) + "."
      hint = "\(restart.uppercasedFirst)."
    case .read:
      let setting = step.setting?.words ?? "what it holds"
      sentence = "\(subject) did not say \(setting)" + within(seconds) + "."
      hint = "If it happens again, switch it off and on."
    case .write:
      let setting = step.setting?.words ?? "a setting"
      sentence = "\(subject) did not confirm \(setting)" + within(seconds) + "."
      hint = "If it happens again, \(restart)."
    case .save:
      sentence = "\(subject) did not answer the request to save" + within(seconds) + "."
      hint = "If it happens again, \(restart)."
    }
    return Explanation(sentence, "\(closer) \(hint) \(again)")
  }

  /// The command that makes this host forget the device.
  private var forget: String {
    address.map { "`bluetoothctl remove \($0)`" } ?? "`bluetoothctl remove` and its address"
  }

  func serviceAmbiguous() -> Explanation {
    Explanation(
      "\(subject) has the service or a characteristic for provisioning more than once, so nothing was written.",
      """
      Make this host forget the \(device.noun) with \(forget), and run the same command again. If it happens again, this \
      is not a device that roboprov knows: replace it.
      """)
  }

  func serviceMissing() -> Explanation {
    return Explanation(
      "\(subject) connected, but the service or a characteristic for provisioning is missing.",
      device.serviceMissing ?? """
        This host may remember an older firmware of it: make it forget the \(device.noun) with \(forget), and run \
        the same command again. If it is missing still, this is another kind of device or its firmware is too old.
        """)
  }

  func rejected(_ step: FailedStep, _ attError: UInt8?) -> Explanation {
    let what =
      step.setting.map { $0.words } ?? (step.stage == .save ? "the request to save" : "a request")
    let answer = attError.map { " (\(ATTError.words($0)))" } ?? ""
    let check =
      step.setting.map { "Check \($0.words) in the manifest" }
      ?? "Check the room's settings in the manifest"
    return Explanation(
      "\(subject) rejected \(what)\(answer).",
      """
      \(check): the firmware may take less than the manifest allows. If it is right, switch the \
      \(device.noun) off and on, \(wait)and run the same command again.
      """)
  }

  func refused(_ text: String) -> Explanation {
    let sentence = "\(subject) refused the settings. It said: \(text.quoted)."
    let words = text.lowercased()
    func speaks(of topics: String...) -> Bool { topics.contains { words.contains($0) } }
    // Its own words say more than a guess.
    if speaks(of: "flash", "nvs", "eeprom", "memory", "storage") {
      return Explanation(
        sentence,
        "Switch the \(device.noun) off and on, \(wait)and run the same command again. If it says the same, it cannot store "
          + "settings: replace it.")
    }
    let check =
      hasWiFi
      ? "Check the WiFi name and password in the manifest, and that the network has 2.4 GHz."
      : "Its firmware may not save without WiFi: give the room a WiFi in the manifest."
    return Explanation(
      sentence, "\(check) Then switch the \(device.noun) off and on, \(wait)and run the same command again.")
  }

  func saveNotKept() -> Explanation {
    Explanation(
      "\(subject) came back waiting for provisioning: it did not keep what was written.",
      "Check that its power is steady while it restarts. Run the same command again; if it happens again, replace it."
    )
  }

  func readBackMismatch(_ setting: SettingName, _ held: String) -> Explanation {
    Explanation(
      "\(subject) confirmed \(setting.words), but holds something else: \(held.visible).",
      "Run the same command again: it reads first, and writes what is wrong. If it happens again, replace it: its "
        + "memory may be worn out.")
  }

  func networkNotReceived(_ ssid: String, _ networks: [HeardNetwork]) -> Explanation {
    let names = networks.map { "\($0.ssid.isEmpty ? "a hidden network" : $0.ssid.quoted) (\($0.rssi) dBm)" }
    let received = names.isEmpty ? "It receives no network." : "It receives \(names.joined(separator: ", "))."
    return Explanation(
      "\(subject) does not receive the network \(ssid.quoted): nothing was written.",
      """
      \(received) Check the WiFi name in the manifest, and that the network has 2.4 GHz and reaches this room. If it is hidden, \
      set `wifi_check: false` for this room. \(again)
      """)
  }

  func noSelfDisconnect(_ seconds: Double?) -> Explanation {
    Explanation(
      "\(subject) was written, but did not end the connection" + within(seconds)
        + ", as it does when it has taken what was written.",
      "\(closer) \(again)")
  }

  func notHeardAfterSave(_ seconds: Double? = nil) -> Explanation {
    let done =
      grade == .readBack
      ? "The settings were written and read back" : "The settings were written and saving was asked for"
    return Explanation(
      "\(done), but \(subject.lowercasedFirst) was not heard afterwards" + within(seconds) + ".",
      adviceWhenUnconfirmed)
  }
}
