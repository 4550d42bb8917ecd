import Bluetooth
import Model

/// An event in one line, for the log of a device. Texts of devices and of the stack are made visible.
struct EventWords {
  /// The subject: a stage, or another word.
  let topic: String
  let text: String
  /// Error messages and reasons, verbatim, one in a line.
  let quotes: [String]

  private init(_ topic: String, _ text: String, quotes: [String] = []) {
    (self.topic, self.text, self.quotes) = (topic, text, quotes)
  }

  /// An event in words; `name` gives the host's name of an adapter.
  init(_ fact: Fact, _ titles: SettingTitles, times: LocalTime = .utc, name: (AdapterID) -> String) {
    switch fact {
    case .runStarted(let fact):
      let clock = fact.clockBehind.map { "; this clock is \($0.asSeconds) behind the record" }
      self.init("run", "started\(clock ?? "")")
    case .adapterAwaited(let fact):
      let what =
        switch (fact.problem, fact.adapter?.visible) {
        case (nil, _): "no Bluetooth service runs and responds" + fact.place
        case (.absent?, let name?): "\(CentralError.AdapterProblem.absent.words) \(name)"
        case (let problem?, let name?): "\(name) is \(problem.words)"
        case (let problem?, nil): problem.words
        }
      self.init("adapter", "waiting up to \(fact.seconds.asSeconds): \(what)")
    case .hostUnavailable(let fact):
      self.init("host", fact.sentence)
    case .adapterSelected(let fact):
      let stack = fact.stack.map { ", " + $0.visible } ?? ""
      self.init("adapter", "\(fact.title.visible) in use\(stack)")
    case .adapterFaulted(let fact):
      let name = name(fact.adapter)
      let what =
        switch (fact.fault, fact.wasPowerCycled) {
        case (.receivesNothing, true?):
          "\(name) scanned and received no device, and was switched off and on"
        case (.receivesNothing, _):
          "\(name) receives no device: unplug it and plug it in again, or run `systemctl restart bluetooth`"
        case (.makesNoLink, true?):
          "\(name) received devices but connected to none, and was switched off and on"
        case (.makesNoLink, _):
          "\(name) receives devices but connects to none: unplug it and plug it in again, or run `systemctl restart bluetooth`"
        case (.refusesToScan, _):
          "\(name) is not used any more: the Bluetooth service does not scan with it"
        case (.keepsDevice, _):
          "\(fact.address?.description ?? "a device") is received on \(name), but the Bluetooth service shows old data instead of what it sends now: run `bluetoothctl remove \(fact.address?.description ?? "ADDRESS")`, or if that fails `systemctl restart bluetooth`"
        case (.comesAndGoes, _):
          "\(name) is not used any more: it disappeared again and again. Plug it in somewhere else, or use another one"
        case (.notLocked, _):
          AdapterFault.noLock(on: name)
        case (.serviceStuck, _):
          "the Bluetooth service is stuck on \(name): run `systemctl restart bluetooth`"
        case (.tooManyDevices, _):
          "\(name) receives too many devices: the run ignores further ones, unless a room names them"
        }
      self.init("adapter", what, quotes: Self.why(fact.stackText))
    case .eventsOmitted(let fact):
      let count = fact.omitted.reduce(0) { $0 + $1.count }
      self.init("record", "\(count.counted("event")) left out: more came than the record may take at once")
    case .linksHeld(let fact):
      let links = "\(fact.links) \(fact.links == 1 ? "connection" : "connections")"
      self.init(
        "adapter",
        "\(name(fact.adapter)) holds \(links) at once\(fact.isFull == true ? ": it refused a further one" : "")"
      )
    case .linkReleased(let fact):
      self.init("link", "\(fact.address) was still connected from an earlier run, and was disconnected")
    case .foreignScanDetected(let fact):
      self.init("adapter", fact.sentence(adapter: name(fact.adapter)))
    case .scanStarted(let fact):
      self.init("scan", "started on \(name(fact.adapter)), \(fact.purpose.words)")
    case .scanStopped(let fact):
      self.init("scan", "stopped on \(name(fact.adapter))")
    case .deviceSighted(let fact):
      let life = fact.identity.map { "at work with \($0.distinction.visible)" } ?? "without an identity"
      self.init("received", "\(fact.address) on \(name(fact.adapter))\(Self.signal(fact.rssi)), \(life)")
    case .bindingCommitted(let fact):
      let consent = fact.consent.map { ", \($0.words)" } ?? ""
      self.init("binding", "\(fact.address), \(fact.basis.words)\(consent)")
    case .bindingReleased(let fact):
      let silence =
        switch fact.silent {
        case true?: ", not received any more\((fact.adapters ?? []).by)"
        case false?: ", still on air"
        case nil: ""
        }
      let successor = fact.successor.map { ", replaced by \($0)" } ?? ""
      self.init(
        "binding", "\(fact.address) released: \(fact.cause.words)\(silence)\(successor)",
        quotes: Self.why(fact.reason))
    case .roomRetired(let fact):
      self.init("room", "taken out of service", quotes: Self.why(fact.reason))
    case .roomAccepted(let fact):
      self.init("room", "accepted as it is by \(fact.by.visible)", quotes: Self.why(fact.reason))
    case .roomVerified(let fact):
      self.init(
        "verified",
        "\(fact.finding.words), received in \(fact.windowsReceived) of \(fact.windows) scans"
          + (fact.needsAction ? (fact.adapters ?? []).by : "") + Self.signal(fact.rssi)
      )
    case .hostPaused(let fact):
      self.init("host", fact.words)
    case .operatorAwaited(let fact):
      self.init("action", "operator action required: \(fact.reason.code.words)")
    case .operatorRequested(let fact):
      self.init("operator", fact.words)
    case .canariesJudged(let fact):
      self.init(
        "first",
        fact.approved ? "approved: the run continues" : "not approved: the run does not continue")
    case .deviceUnclaimed(let fact):
      self.init(
        "received", "\(fact.address) on \(name(fact.adapter))\(Self.signal(fact.rssi)), belongs to no room")
    case .attemptStarted(let fact):
      self.init(
        "attempt", "\(fact.number) started: \(fact.address) on \(name(fact.adapter))\(Self.signal(fact.rssi))"
      )
    case .stageStarted(let fact):
      let what = fact.setting.map { titles.title($0) + " " } ?? ""
      self.init(fact.stage.rawValue, "\(what)started, at most \(fact.timeout.asSeconds)")
    case .stageEnded(let fact):
      let what = fact.setting.map { titles.title($0) + " " } ?? ""
      self.init(fact.stage.rawValue, what, fact.seconds, fact.failure)
    case .statusReceived(let fact):
      self.init("status", "“\(fact.text.visible)”: \(fact.meaning.words)")
    case .settingsRead(let fact):
      let held = fact.settings.map { "\(titles.short($0.name)) \($0.value.visible)" }
      self.init("read", held.isEmpty ? "no settings" : held.joined(separator: ", "))
    case .wifiChecked(let fact):
      let networks = fact.networks.map {
        "\($0.ssid.visible) \($0.rssi) dBm\($0.isAt5GHz ? " at 5 GHz" : "")"
      }
      let list = networks.isEmpty ? "" : "; the device receives " + networks.joined(separator: ", ")
      self.init("wifi", "\(fact.ssid.visible): \(fact.result.words)\(list)")
    case .deviceDescribed(let fact):
      self.init("device", fact.details.map { "\($0.name.words) \($0.value.visible)" }.joined(separator: ", "))
    case .elapsedSent(let fact):
      let time = Decimal.fixed(fact.seconds, places: 6) ?? "?"
      self.init("action", "\(time) s since \(fact.since.words), sent as \(fact.byte)")
    case .settingWritten(let fact):
      let bytes = fact.bytes.map { ", \($0) bytes" } ?? ""
      self.init("write", "\(titles.title(fact.setting)) confirmed\(bytes)")
    case .saveSubmitted(let fact):
      self.init("save", "save request sent to \(fact.address); the device may have changed from now on")
    case .bondIntended(let fact):
      let words =
        fact.kept == true
        ? "has a bond with \(fact.address), which stays" : "may have a bond with \(fact.address) from now on"
      self.init("pairing", "\(name(fact.adapter)) \(words)")
    case .bondRemoved(let fact):
      self.init("pairing", "\(name(fact.adapter)) has no bond with \(fact.address) any more")
    case .linkEnded(let fact):
      self.init("link", "\(fact.cause.words), \(fact.expected ? "as expected" : "unexpected")")
    case .proofReceived(let fact):
      self.init("proof", fact.evidence.words(times))
    case .attemptEnded(let fact):
      let exemption = fact.notCounted.map { "\($0.clause), " } ?? ""
      self.init("attempt", "\(fact.number) \(exemption)", fact.seconds, fact.failure)
    case .retryScheduled(let fact):
      self.init("retry", "attempt \(fact.attempt) starts in \(fact.delay.asSeconds)")
    case .roomFinished(let fact):
      self.init("outcome", fact.outcome.words)
    case .runInterrupted(let fact):
      self.init(
        "run", "stops early: \(fact.cause.words)",
        quotes: [fact.detail.map { "error: \($0.visible)" }].compactMap(\.self))
    case .runFinished(let fact):
      self.init("run", "ended, \(fact.outcome.rawValue)")
    }
  }

  private init(_ topic: String, _ what: String, _ seconds: Double, _ failure: FailureReason?) {
    let time = Decimal.fixed(seconds, places: 3) ?? "?"
    if let failure {
      self.init(topic, "\(what)FAILED after \(time) s: \(failure.logWords)", quotes: failure.quotes)
    } else {
      self.init(topic, "\(what)done in \(time) s")
    }
  }

  private static func why(_ reason: String?) -> [String] { reason.map { ["reason: \($0.visible)"] } ?? [] }

  private static func signal(_ rssi: Int?) -> String { rssi.map { " at \($0) dBm" } ?? "" }
}

extension FailureReason {
  /// The reason with its context, for support.
  var logWords: String {
    var words = code.words
    if let attError = self.attError { words += ", " + ATTError.words(attError) }
    if let held = self.held { words += ", the device holds \(held.visible)" }
    if let identity = self.identity { words += ", \(identity.description.visible)" }
    if let seconds = self.seconds { words += ", timeout \(seconds.asSeconds)" }
    if let addresses = self.addresses, !addresses.isEmpty {
      words += ", " + addresses.map(\.description).joined(separator: " ")
    }
    return words
  }

  var quotes: [String] {
    [
      self.deviceText.map { "device error: \($0.visible)" },
      self.stackText.map { "stack error: \($0.visible)" },
    ]
    .compactMap(\.self)
  }
}

extension Evidence {
  /// Grade and details in one line.
  func words(_ times: LocalTime) -> String {
    var words = "\(grade.plainWords), from \(address)"
    if let identity = self.identity { words += ", \(identity.distinction.visible)" }
    if let rssi { words += " at \(rssi) dBm" }
    if let secondsAfterSave, run == nil, let text = Decimal.fixed(secondsAfterSave, places: 3) {
      words += ", \(text) s after the \(grade == .selfDisconnect ? "write" : "save")"
    }
    if let weakness = grade.weakness { words += " (\(weakness))" }
    if let run {
      let when = seenAt.map { " on \(times.day($0))" } ?? ""
      words += ", recorded\(when) by run \(run.visible), not received in this run"
    }
    return words
  }

  /// The evidence of a device that is done, for a plan, which has the address in another column.
  func claim(_ times: LocalTime) -> String {
    let claim =
      switch grade {
      case .freshBeacon, .freshBeaconUnacknowledged, .freshBeaconOtherAddress, .beaconOnAir:
        "on air" + (identity.map { " with \($0.distinction.visible)" } ?? "")
      case .readBack, .deviceStatus, .settingsReadBack, .savedStatus, .selfDisconnect: grade.plainWords
      }
    if let run {
      let when = seenAt.map { " on \(times.day($0))" } ?? ""
      return claim + when + ", by run \(run.visible)"
    }
    return claim + (rssi.map { " at \($0) dBm" } ?? "")
  }
}

extension CentralError.AdapterProblem {
  /// The cause, for use after the adapter's name or alone.
  var words: String {
    switch self {
    case .absent: "no Bluetooth adapter"
    case .poweredOff: "powered off"
    case .blocked: "blocked by rfkill"
    }
  }
}

extension ScanPurpose {
  fileprivate var words: String {
    switch self {
    case .survey: "for all devices"
    case .sighting: "for this device"
    case .proof: "for the proof"
    }
  }
}

extension HostPause {
  var words: String {
    switch kind {
    case .suspended: "suspended for \(seconds.asSeconds)"
    case .stopped: "stopped for \(seconds.asSeconds)"
    case .busy: "roboprov waited \(seconds.asSeconds) for a processor"
    case .clockSet: "clock set \(seconds < 0 ? "back" : "forward") by \(seconds.magnitude.asSeconds)"
    }
  }
}

extension BindingReleased.Cause {
  fileprivate var words: String {
    switch self {
    case .rebound: "the room has another device now"
    case .replaced: "replaced, out of service"
    case .retired: "the room was retired"
    }
  }
}

extension BindingBasis {
  /// Why the device belongs to the room.
  var words: String {
    switch self {
    case .address: "address in the manifest"
    case .record: "on record"
    case .name: "name in the manifest"
    case .nearest: "clearly nearest to the room's adapter"
    case .any: "any device"
    }
  }
}

extension Consent {
  fileprivate var words: String {
    switch self {
    case .answer: "confirmed by the operator"
    case .option: "not confirmed (--yes)"
    }
  }
}

extension ActionSource {
  fileprivate var words: String {
    switch self {
    case .session: "the start of the session"
    case .key: "the operator's key"
    }
  }
}

extension StatusMeaning {
  fileprivate var words: String {
    switch self {
    case .ready: "ready"
    case .accepted: "the command is accepted"
    case .notAccepted: "not by this command"
    case .saved: "saved"
    case .refusal: "refused"
    case .stale: "from an earlier attempt, not a refusal"
    case .other: "unknown status"
    }
  }
}

extension AttemptExemption {
  /// What the attempt was instead of a failure.
  var clause: String { "not counted: \(words)" }

  /// How an attempt failed, after its number. A restart is the reason and the exemption at once.
  static func clause(_ exemption: Self?, _ reason: FailureReason, after time: String = "") -> String {
    guard let exemption else { return "failed\(time): \(reason.code.words)" }
    return exemption.clause + time + (exemption == .deviceRestarts ? "" : ": \(reason.code.words)")
  }

  var words: String {
    switch self {
    case .adapterFull: "adapter may be full"
    case .hostLost: "adapter or Bluetooth service lost"
    case .deviceForgotten: "no connection began"
    case .deviceRestarts: "it restarts for its settings"
    }
  }
}

extension Disconnection.Cause {
  fileprivate var words: String {
    switch self {
    case .remote: "ended by the device, or lost"
    case .local: "ended by roboprov"
    case .adapterLost: "lost with the adapter"
    case .stackLost: "lost with the Bluetooth service"
    }
  }
}

extension InterruptionCause {
  /// Why the run stops early.
  var words: String {
    switch self {
    case .signal: "interrupted by the operator"
    case .record: "the record cannot be written"
    case .stack: "the Bluetooth service was lost"
    case .adapter: "no adapter is left"
    case .claimed: "another run uses the adapter"
    case .plan: "the run would not follow the saved plan"
    }
  }
}

extension WiFiCheckResult {
  /// The result, for use after the network.
  fileprivate var words: String {
    switch self {
    case .received: "received"
    case .notReceived: "not received by the device"
    case .listFull: "not certain, the device lists no more networks than these"
    case .listEndsStrong: "not certain, the device may receive fainter networks than these"
    case .hidden: "not checked, it hides its name"
    case .unsupported: "not checked, the firmware cannot list networks"
    case .noAnswer: "not checked, the answer of the device was incomplete"
    }
  }
}

extension DeviceDetail.Name {
  /// The name before a value.
  var words: String {
    switch self {
    case .firmware: "firmware"
    case .firmwareVersion: "firmware version"
    case .hardware: "hardware"
    case .deviceName: "device name"
    case .system: "system"
    case .systemVersion: "system version"
    case .url: "URL"
    case .security: "security"
    case .ipAddress: "IP address"
    case .bssid: "BSSID"
    case .channel: "channel"
    case .nodeID: "node ID"
    }
  }
}

extension AdapterFault {
  /// The sentence about an adapter that could not be locked.
  package static func noLock(on adapter: String) -> String {
    "no lock could be made for \(adapter): make sure that no other run uses it"
  }
}
