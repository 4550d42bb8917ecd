extension Fact {
  /// This fact with every text in it that comes from outside (from a device, the stack, another program) changed by
  /// `redact`. What a family has decoded (an identity, a number) and what the manifest says are no such texts: they are
  /// compared with what is on record.
  /// - Parameter redact: what a text becomes.
  package func redacted(_ redact: (OutsideText) -> String) -> Fact {
    func plain(_ text: String) -> String { redact(OutsideText(text: text, isStatus: false)) }
    switch self {
    case .statusReceived(var fact):
      fact.text = redact(OutsideText(text: fact.text, isStatus: true))
      return .statusReceived(fact)
    case .settingsRead(var fact):
      for index in fact.settings.indices { fact.settings[index].value = plain(fact.settings[index].value) }
      return .settingsRead(fact)
    case .wifiChecked(var fact):
      for index in fact.networks.indices { fact.networks[index].ssid = plain(fact.networks[index].ssid) }
      return .wifiChecked(fact)
    case .stageEnded(var fact):
      fact.failure = fact.failure?.redacted(plain)
      return .stageEnded(fact)
    case .attemptEnded(var fact):
      fact.failure = fact.failure?.redacted(plain)
      return .attemptEnded(fact)
    case .roomFinished(var fact):
      fact.reason = fact.reason?.redacted(plain)
      return .roomFinished(fact)
    case .runInterrupted(var fact):
      fact.detail = fact.detail.map(plain)
      return .runInterrupted(fact)
    case .adapterSelected(var fact):
      fact.stack = fact.stack.map(plain)
      return .adapterSelected(fact)
    case .adapterFaulted(var fact):
      fact.stackText = fact.stackText.map(plain)
      return .adapterFaulted(fact)
    case .foreignScanDetected(var fact):
      fact.clients = fact.clients.map(plain)
      return .foreignScanDetected(fact)
    case .actionRequired(var fact):
      fact.reason = fact.reason.redacted(plain)
      return .actionRequired(fact)
    case .runStarted, .adapterAwaited, .linkReleased, .listeningStarted, .listeningStopped, .deviceSighted,
      .bindingCommitted, .bindingReleased, .roomRetired, .roomAccepted, .roomVerified, .hostPaused,
      .operatorRequested,
      .attemptStarted,
      .stageStarted, .elapsedSent, .settingWritten, .saveSubmitted, .linkEnded, .proofHeard, .retryScheduled,
      .canariesJudged, .deviceUnclaimed, .runFinished:
      return self
    }
  }
}

/// A text in a fact that comes from outside.
package struct OutsideText {
  /// The text.
  package let text: String
  /// Whether it is a device's status, which goes on where the one before ended.
  package let isStatus: Bool
}

extension FailureReason {
  /// This reason with the texts of the device and the stack changed by `redact`.
  package func redacted(_ redact: (String) -> String) -> FailureReason {
    var form = Form(self)
    guard
      form.deviceText != nil || form.stackText != nil || form.networks != nil || code == .readBackMismatch
    else { return self }
    form.networks = form.networks?.map { HeardNetwork(ssid: redact($0.ssid), rssi: $0.rssi) }
    form.deviceText = form.deviceText.map(redact)
    form.stackText = form.stackText.map(redact)
    if code == .readBackMismatch { form.held = form.held.map(redact) }
    do {
      return try form.reason(at: [])
    } catch {
      preconditionFailure("a reason that cannot be read back: \(error)")
    }
  }
}
