public import Bluetooth

extension Fact {
  /// The device it is about, or nil when it names none.
  public var address: BluetoothAddress? {
    switch self {
    case .linkReleased(let fact): fact.address
    case .deviceSighted(let fact): fact.address
    case .deviceUnclaimed(let fact): fact.address
    case .bindingCommitted(let fact): fact.address
    case .bindingReleased(let fact): fact.address
    case .attemptStarted(let fact): fact.address
    case .saveSubmitted(let fact): fact.address
    case .proofHeard(let fact): fact.evidence.address
    case .roomFinished(let fact): fact.address
    case .runStarted, .adapterAwaited, .adapterSelected, .adapterFaulted, .foreignScanDetected,
      .listeningStarted,
      .listeningStopped, .roomRetired,
      .roomAccepted, .hostPaused, .canariesJudged, .stageStarted, .stageEnded, .statusReceived, .settingsRead,
      .elapsedSent,
      .settingWritten, .linkEnded,
      .attemptEnded, .retryScheduled, .runInterrupted, .runFinished:
      nil
    }
  }
}
