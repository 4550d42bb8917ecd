extension Fact {
  /// This fact with `redact` applied to every outside text: from a device, the stack or another program.
  /// Values that a family has decoded (an identity, a number) and texts of the manifest are not outside
  /// texts: they are compared with the record.
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
    case .deviceDescribed(var fact):
      for index in fact.details.indices { fact.details[index].value = plain(fact.details[index].value) }
      return .deviceDescribed(fact)
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
    case .hostUnavailable(var fact):
      fact.stackText = fact.stackText.map(plain)
      return .hostUnavailable(fact)
    case .adapterFaulted(var fact):
      fact.stackText = fact.stackText.map(plain)
      return .adapterFaulted(fact)
    case .foreignScanDetected(var fact):
      fact.clients = fact.clients.map(plain)
      return .foreignScanDetected(fact)
    case .operatorAwaited(var fact):
      fact.reason = fact.reason.redacted(plain)
      return .operatorAwaited(fact)
    case .runStarted, .adapterAwaited, .linksHeld, .linkReleased, .scanStarted, .scanStopped, .deviceSighted,
      .bindingCommitted, .bindingReleased, .roomRetired, .roomAccepted, .roomVerified, .hostPaused,
      .eventsOmitted,
      .operatorRequested,
      .attemptStarted, .bondIntended, .bondRemoved,
      .stageStarted, .elapsedSent, .settingWritten, .saveSubmitted, .linkEnded, .proofReceived,
      .retryScheduled,
      .canariesJudged, .deviceUnclaimed, .runFinished:
      return self
    }
  }
}

/// A text in a fact that comes from outside the program.
package struct OutsideText {
  package let text: String
  /// Whether it is a status of a device: a secret may continue from the status before.
  package let isStatus: Bool
}

extension FailureReason {
  /// This reason with `redact` applied to the texts of the device and the stack.
  package func redacted(_ redact: (String) -> String) -> FailureReason {
    var context = self.context
    context.networks = context.networks?.map {
      FoundNetwork(ssid: redact($0.ssid), rssi: $0.rssi, channel: $0.channel)
    }
    context.deviceText = context.deviceText.map(redact)
    context.stackText = context.stackText.map(redact)
    // Without a stage it is the identity of a beacon, which the record compares.
    if context.stage != nil { context.held = context.held.map(redact) }
    return FailureReason(code, context)
  }
}
