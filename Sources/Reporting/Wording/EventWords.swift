import Bluetooth
import Model

/// A fact in a few words for the log of a device, on one line; texts of others are made visible.
struct EventWords {
  /// What it is about: a stage, or a word of its own.
  let topic: String
  /// What happened.
  let text: String
  /// What others said about it, verbatim, a line each.
  let quotes: [String]

  private init(_ topic: String, _ text: String, quotes: [String] = []) {
    self.topic = topic
    self.text = text
    self.quotes = quotes
  }

  /// A fact in words; `name` says what the host calls an adapter.
  init(_ fact: Fact, name: (AdapterID) -> String) {
    switch fact {
    case .runStarted: self.init("run", "started")
    case .adapterAwaited(let fact):
      let what =
        switch (fact.trouble, fact.adapter?.visible) {
        case (nil, _): "the Bluetooth service is not running"
        case (.absent?, let name?): "\(CentralError.AdapterTrouble.absent.words) \(name)"
        case (let trouble?, let name?): "\(name) is \(trouble.words)"
        case (let trouble?, nil): trouble.words
        }
      self.init("adapter", "waiting up to \(fact.seconds.asSeconds): \(what)")
    case .adapterSelected(let fact):
      let stack = fact.stack.map { ", " + $0.visible } ?? ""
      self.init("adapter", "\(fact.title.visible) in use\(stack)")
    case .adapterFaulted(let fact):
      let name = name(fact.adapter)
      let what =
        switch (fact.fault, fact.wasPowerCycled) {
        case (.hearsNothing, true?):
          "\(name) heard no device at all for 10 s, and was switched off and on"
        case (.hearsNothing, _):
          "\(name) hears no device at all: unplug it and plug it in again, or restart the Bluetooth service"
        case (.refusesToScan, _):
          "\(name) is not used any more: the Bluetooth service refuses to scan with it"
        case (.tooManyDevices, _):
          "\(name) receives too many sensors: further ones are ignored unless a room names them"
        }
      self.init("adapter", what, quotes: Self.why(fact.stackText))
    case .linkReleased(let fact):
      self.init("link", "\(fact.address) was left connected by an earlier run, and is released")
    case .foreignScanDetected(let fact):
      self.init("adapter", fact.sentence(adapter: name(fact.adapter)))
    case .listeningStarted(let fact):
      self.init("listen", "started on \(name(fact.adapter)), \(fact.purpose.words)")
    case .listeningStopped(let fact):
      self.init("listen", "stopped on \(name(fact.adapter))")
    case .deviceSighted(let fact):
      let life = fact.minor.map { "as a beacon with minor \($0)" } ?? "ready to be connected to"
      self.init("heard", "\(fact.address) on \(name(fact.adapter))\(Self.signal(fact.rssi)), \(life)")
    case .bindingCommitted(let fact):
      self.init("binding", "\(fact.address), \(fact.basis.words)")
    case .bindingReleased(let fact):
      let silence =
        switch fact.silent {
        case true?: ", and is silent"
        case false?: ", and is still on air"
        case nil: ""
        }
      let successor = fact.successor.map { "; \($0) takes its place" } ?? ""
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
        "\(fact.finding.rawValue), heard in \(fact.windowsHeard) of \(fact.windows) scans\(Self.signal(fact.rssi))"
      )
    case .hostPaused(let fact):
      self.init("host", fact.words)
    case .actionRequired(let fact):
      self.init("action", "operator action required: \(fact.reason.code.rawValue)")
    case .operatorRequested(let fact):
      self.init("operator", fact.words)
    case .canariesJudged(let fact):
      self.init(
        "first",
        fact.approved ? "the first rooms were approved of, the rest follows" : "the rest is not to follow")
    case .deviceUnclaimed(let fact):
      self.init(
        "heard", "\(fact.address) on \(name(fact.adapter))\(Self.signal(fact.rssi)), and no room claims it")
    case .attemptStarted(let fact):
      self.init(
        "attempt", "\(fact.number) begins: \(fact.address) on \(name(fact.adapter))\(Self.signal(fact.rssi))")
    case .stageStarted(let fact):
      let what = fact.setting.map { $0.rawValue.visible + " " } ?? ""
      self.init(fact.stage.rawValue, "\(what)begins, at most \(fact.timeout.asSeconds)")
    case .stageEnded(let fact):
      let what = fact.setting.map { $0.rawValue.visible + " " } ?? ""
      self.init(fact.stage.rawValue, what, fact.seconds, fact.failure)
    case .statusReceived(let fact):
      self.init("status", "“\(fact.text.visible)”: \(fact.meaning.words)")
    case .settingsRead(let fact):
      let held = fact.settings.map { "\($0.name.rawValue.visible) \($0.value.visible)" }
      self.init("read", "it holds " + (held.isEmpty ? "nothing" : held.joined(separator: ", ")))
    case .wifiChecked(let fact):
      let networks = fact.networks.map { "\($0.ssid.visible) \($0.rssi) dBm" }
      let list = networks.isEmpty ? "" : "; it receives " + networks.joined(separator: ", ")
      self.init("wifi", "\(fact.ssid.visible): \(fact.result.words)\(list)")
    case .elapsedSent(let fact):
      let time = Decimal.fixed(fact.seconds, places: 6) ?? "?"
      self.init("action", "\(time) s since \(fact.since.words), told as \(fact.byte)")
    case .settingWritten(let fact):
      let bytes = fact.bytes.map { ", \($0) bytes" } ?? ""
      self.init("write", "\(fact.setting.rawValue.visible) confirmed\(bytes)")
    case .saveSubmitted(let fact):
      self.init("save", "submitted to \(fact.address); from here on the device may have changed")
    case .linkEnded(let fact):
      self.init("link", "\(fact.cause.words), \(fact.expected ? "as expected" : "NOT expected")")
    case .proofHeard(let fact):
      self.init("proof", fact.evidence.words)
    case .attemptEnded(let fact):
      self.init("attempt", "\(fact.number) ", fact.seconds, fact.failure)
    case .retryScheduled(let fact):
      self.init("retry", "attempt \(fact.attempt) follows in \(fact.delay.asSeconds)")
    case .roomFinished(let fact):
      self.init("outcome", fact.outcome.rawValue)
    case .runInterrupted(let fact):
      self.init(
        "run", "stopping early: \(fact.cause.words)",
        quotes: [fact.detail.map { "said: \($0.visible)" }].compactMap(\.self))
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

  private static func why(_ reason: String?) -> [String] { reason.map { ["because: \($0.visible)"] } ?? [] }

  private static func signal(_ rssi: Int?) -> String { rssi.map { " at \($0) dBm" } ?? "" }
}

extension FailureReason {
  /// Code and context, for who knows the code.
  var logWords: String {
    var words = code.rawValue
    if let attError { words += ", " + ATTError.words(attError) }
    if let held { words += ", holds \(held.visible)" }
    if let minor { words += ", minor \(minor)" }
    if let seconds { words += ", timeout \(seconds.asSeconds)" }
    if let addresses, !addresses.isEmpty {
      words += ", " + addresses.map(\.description).joined(separator: " ")
    }
    return words
  }

  var quotes: [String] {
    [deviceText.map { "device said: \($0.visible)" }, stackText.map { "stack said: \($0.visible)" }]
      .compactMap(\.self)
  }
}

extension Evidence {
  /// Grade and circumstances in one line.
  var words: String {
    var words = "\(grade.rawValue) from \(address)"
    if let minor { words += ", minor \(minor)" }
    if let rssi { words += " at \(rssi) dBm" }
    if let secondsAfterSave, run == nil, let text = Decimal.fixed(secondsAfterSave, places: 3) {
      words += ", \(text) s after the \(grade == .selfDisconnect ? "write" : "save")"
    }
    if let weakness = grade.weakness { words += " (\(weakness))" }
    if let run {
      let when = seenAt.map { " on \(LocalTime.utc.day($0))" } ?? ""
      words += ", seen\(when) by run \(run.visible), not heard in this run"
    }
    return words
  }

  /// What it says of a device that is done, for who plans: without the address, which stands beside it.
  var claim: String {
    let claim =
      switch grade {
      case .freshBeacon, .freshBeaconOtherAddress, .beaconOnAir:
        "on air" + (minor.map { " with minor \($0)" } ?? "")
      case .readBack: "read to hold what it should"
      case .savedStatus: "saved, by its own word"
      case .selfDisconnect: "it took what was written, and left"
      }
    if let run {
      let when = seenAt.map { " on \(LocalTime.utc.day($0))" } ?? ""
      return claim + when + ", by run \(run.visible)"
    }
    return claim + (rssi.map { " at \($0) dBm" } ?? "")
  }
}

extension Evidence.Grade {
  /// Why it is less than hearing the device at work; nil where it is not.
  fileprivate var weakness: String? {
    switch self {
    case .freshBeacon, .freshBeaconOtherAddress, .beaconOnAir: nil
    case .readBack: "it held the settings when it was read; its beacon was not heard"
    case .savedStatus: "its own word over the link; its beacon was not heard"
    case .selfDisconnect:
      "it ended the link by itself, as it does when it has taken what was written; a lost link looks the same"
    }
  }
}

extension CentralError.AdapterTrouble {
  /// What is the matter, after the adapter's name or alone.
  var words: String {
    switch self {
    case .absent: "no Bluetooth adapter"
    case .poweredOff: "powered off"
    case .blocked: "blocked by rfkill"
    }
  }
}

extension ListeningPurpose {
  fileprivate var words: String {
    switch self {
    case .survey: "to find out who is there"
    case .sighting: "to hear the device again"
    case .proof: "for the proof"
    }
  }
}

extension HostPause {
  /// What happened to the host.
  var words: String {
    switch kind {
    case .suspended: "slept for \(seconds.asSeconds)"
    case .stopped: "stood still for \(seconds.asSeconds)"
    case .clockSet: "its clock was set \(seconds < 0 ? "back" : "forward") by \(abs(seconds).asSeconds)"
    }
  }
}

extension BindingReleased.Cause {
  fileprivate var words: String {
    switch self {
    case .rebound: "the room has another device now"
    case .replaced: "replaced, out of service"
    case .retired: "retired with its room"
    }
  }
}

extension BindingBasis {
  /// What joins room and device.
  var words: String {
    switch self {
    case .address: "named by the manifest"
    case .record: "as on record"
    case .nearest: "clearly the nearest to the room's adapter"
    case .any: "any device would do, and a person confirmed this one"
    }
  }
}

extension ActionSource {
  fileprivate var words: String {
    switch self {
    case .session: "the session began"
    case .key: "the operator's key"
    }
  }
}

extension StatusMeaning {
  fileprivate var words: String {
    switch self {
    case .ready: "it is ready"
    case .saved: "it has saved"
    case .refusal: "it refuses"
    case .stale: "left from an earlier attempt, no refusal"
    case .other: "of no known meaning"
    }
  }
}

extension Disconnection.Cause {
  fileprivate var words: String {
    switch self {
    case .remote: "ended by the device or the radio"
    case .local: "ended by us"
    case .adapterLost: "ended with the adapter"
    case .stackLost: "ended with the Bluetooth service"
    }
  }
}

extension InterruptionCause {
  /// Why a run stops early.
  var words: String {
    switch self {
    case .signal: "interrupted by the user"
    case .record: "the record cannot be written"
    case .stack: "the Bluetooth service went away"
    case .adapter: "no adapter is left"
    case .claimed: "another run works with the adapter"
    case .plan: "what would be done is not what the plan says"
    }
  }
}

extension WiFiCheckResult {
  /// After the network.
  fileprivate var words: String {
    switch self {
    case .received: "received"
    case .notReceived: "NOT received"
    case .unsupported: "not checked, the firmware cannot list networks"
    case .noAnswer: "not checked, the device did not answer to the end"
    }
  }
}
