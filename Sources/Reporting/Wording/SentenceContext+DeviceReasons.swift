import Bluetooth
import Model

/// Why an attempt at a device failed, in words.
extension SentenceContext {
  func neverReceived() -> Explanation {
    if isRegistered {
      let identity = identity.map { " (\($0.distinction.visible))" } ?? ""
      return Explanation(
        address == nil
          ? "No \(device.noun) with the identity in the manifest\(identity) was received."
          : "\(subject) was not received with the identity in the manifest\(identity).",
        """
        It was configured elsewhere: check its \(wanted.map(titles.short).joined(separator: ", ")) in the manifest. \
        Check its power, and stand within 3 m of it. \(again)
        """)
    }
    let waiting = device.makeItWait.map { "\(device.notWaiting), \($0.withoutRemark). " } ?? ""
    return Explanation(
      address == nil
        ? "No \(device.noun) was received for this room." : "\(subject) was not received by any adapter.",
      """
      Check its power, and stand within 3 m of it. \(waiting)\
      \(address == nil ? "" : device.label.map { $0 + " " } ?? "")\(again)
      """)
  }

  func notRecognised() -> Explanation {
    guard !isRegistered else { return neverReceived() }
    let waiting = device.makeItWait.map { "\(device.notWaiting), \($0.withoutRemark). " } ?? ""
    return Explanation(
      "\(subject) was received, but what it sends is not what its `profile` sends.",
      "Compare its address with its label, and its `profile` in the manifest with the \(device.noun). \(waiting)\(again)"
    )
  }

  func connectTimedOut(_ seconds: Double?) -> Explanation {
    notConnected("\(subject) was received, but did not accept a connection\(within(seconds)).")
  }

  func notConnected(_ sentence: String) -> Explanation {
    Explanation(
      sentence,
      """
      \(closer) \(isNear ? restart.uppercasedFirst : "If it is near already, \(restart)"): another phone or laptop \
      may be connected to it. \(device.notAnswering.map { $0 + " " } ?? "")\(again)
      """)
  }

  func linkLost(_ reason: FailureReason) -> Explanation {
    let step = reason[\.step]
    let sentence = "The link to \(subject.lowercasedFirst) was lost\(during(step))"
    guard equalFailures > 1 else {
      return Explanation(
        sentence + ".", "\(closer) Check its power supply.\(ifItDemandsPairing(reason)) \(again)")
    }
    return Explanation(
      "\(sentence), \(equalFailures) times in a row.",
      """
      \(closer) The \(device.noun) may restart in this step\(reason.mayDemandPairing ? ", or demand pairing" : ""): check its \
      power supply, and \(restart).\(ifItDemandsPairing(reason)) \(againOrReplace)
      """
    )
  }

  func stageTimedOut(_ reason: FailureReason) -> Explanation {
    let (step, seconds) = (reason[\.step], reason.seconds)
    let sentence: String
    let hint: String
    switch step.stage {
    case .search:
      return neverReceived()
    case .connect:
      return connectTimedOut(seconds)
    case .verify:
      return notReceivedAfterSave(seconds)
    case .discover:
      sentence = "\(subject) connected, but did not list its services" + within(seconds) + "."
      hint = "\(restart.uppercasedFirst)."
    case .ready:
      sentence = "\(subject) did not report that it is ready" + within(seconds) + "."
      hint = "\(restart.uppercasedFirst)."
    case .read:
      sentence =
        "\(subject) did not return \(step.setting.map(titles.words) ?? "its settings")" + within(seconds)
        + "."
      hint = "Switch the \(device.noun) off and on."
    case .write:
      sentence =
        "\(subject) did not confirm \(step.setting.map(titles.words) ?? "a setting")" + within(seconds) + "."
      hint = "\(restart.uppercasedFirst)."
    case .save:
      sentence = "\(subject) did not answer the save request" + within(seconds) + "."
      hint = "\(restart.uppercasedFirst)."
    }
    return Explanation(sentence, "\(closer) \(hint)\(ifItDemandsPairing(reason)) \(again)")
  }

  /// The command that makes this computer forget the device.
  var forget: String {
    address.map { "run `bluetoothctl remove \($0)`" } ?? "run `bluetoothctl remove` with its address"
  }

  func rejected(_ step: FailedStep, _ attError: UInt8?) -> Explanation {
    let what =
      step.setting.map(titles.words) ?? (step.stage == .save ? "the save request" : "a request")
    let answer = attError.map { " (\(ATTError.words($0)))" } ?? ""
    let setting = step.setting.map(titles.words) ?? "the settings of the room"
    let check = "\(restart.uppercasedFirst). \(againOrReplace)"
    let advice =
      switch attError {
      case 0x02, 0x03: "It does not take settings now: \(check.lowercasedFirst)"
      case 0x08:
        """
        It demands a permission, for example pairing (`pairing` in the manifest or in the file of its family), or the Bluetooth \
        service keeps this service for itself. \(device.serviceMissing ?? replaceUnpaired)
        """
      case 0x07, 0x0D: "Check the length of \(setting) in the manifest: this firmware may take less. \(again)"
      case 0x11: "It has no memory left: \(check.lowercasedFirst)"
      case 0x13: "Check \(setting) in the manifest: this firmware does not take the value. \(again)"
      default:
        "Check \(setting) in the manifest: this firmware may take fewer values. If the manifest is right, \(check.lowercasedFirst)"
      }
    return Explanation("\(subject) rejected \(what)\(answer).", advice)
  }

  var replaceUnpaired: String { "Check its firmware, or replace the \(device.noun)." }

  func wifiRefused(_ cause: WiFiRefusal) -> Explanation {
    let why =
      switch cause {
      case .password: "the network does not accept its password"
      case .network: "it does not find the network"
      case .unknown: "it reports no cause"
      }
    let check =
      switch cause {
      case .password: "Check the WiFi password in the manifest."
      case .network:
        "Check the WiFi name in the manifest, and that the network has 2.4 GHz and reaches this room."
      case .unknown:
        "Check the WiFi name and password in the manifest, and that the network has 2.4 GHz and reaches this room."
      }
    return Explanation("\(subject) could not join the WiFi network: \(why).", "\(check) \(again)")
  }

  var adviceAboutWiFi: String {
    let check =
      hasWiFi
      ? "Check the WiFi name and password in the manifest, and that the network has 2.4 GHz."
      : "Its firmware may not save without WiFi: give the room a WiFi in the manifest."
    return "\(check) Then \(waitAndRun)."
  }

  /// A device may refuse by ending the link, and a link that is lost looks the same: the sentence says what was seen.
  func credentialsRefused(_ reason: FailureReason) -> Explanation {
    let seen = reason.stackText.map { " (\($0.visible))" } ?? ""
    let place = reason.source.map { "They come from \($0.quoted)" } ?? "They are in the manifest"
    return Explanation(
      "\(subject) did not accept the credentials of this room\(seen), so nothing was written.",
      hasCredentialsOnLabel
        ? "\(place): compare them with the label of this \(device.noun), and check that it belongs in this room. \(again)"
        : """
        Check that it belongs in this room. If it does, a person has set another password on it: \(place.lowercasedFirst), so \
        correct them there, or reset the \(device.noun) to its factory settings. \(again)
        """)
  }

  func networkNotReceived(_ ssid: String, _ networks: [FoundNetwork]) -> Explanation {
    let names = networks.map { network in
      let name = network.ssid.isEmpty ? "a hidden network" : network.ssid.quoted
      return "\(name) (\(network.rssi) dBm\(network.isAt5GHz ? ", 5 GHz" : ""))"
    }
    let band =
      networks.contains(where: \.isAt5GHz)
      ? "reaches this room" : "reaches this room at 2.4 GHz: few devices receive 5 GHz"
    let received =
      names.isEmpty ? "It receives no network." : "It receives only \(names.joined(separator: ", "))."
    return Explanation(
      "\(subject) does not receive the WiFi network \(ssid.quoted), so nothing was written.",
      """
      \(received) Check the WiFi name in the manifest, and that the network \(band). \
      If the network hides its name, give it `hidden: true`. \(again)
      """)
  }

  func notReceivedAfterSave(_ seconds: Double? = nil) -> Explanation {
    guard hasBeacon else {
      return Explanation(
        "The settings were written, but \(subject.lowercasedFirst) did not report that it works with them"
          + within(seconds) + ".", adviceWhenUnconfirmed)
    }
    let done = grade == .readBack ? "The settings were written and read back" : "The settings were written"
    return Explanation(
      "\(done), but \(subject.lowercasedFirst) was not received afterwards" + within(seconds) + ".",
      adviceWhenUnconfirmed)
  }
}

extension String {
  /// Without the remark in parentheses at its end.
  fileprivate var withoutRemark: String {
    guard hasSuffix(")"), let start = lastIndex(of: "(") else { return self }
    return String(self[..<start]).trimmingSpaces
  }

  private var trimmingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}
