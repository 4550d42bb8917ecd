package import Bluetooth

/// The context of any reason, for logs and tables, which treat all reasons alike.
extension FailureReason {
  /// The stage in which it happened.
  package var stage: Stage? { Form(self).stage }
  /// The setting concerned.
  package var setting: SettingName? { Form(self).setting }
  /// The ATT error of the device.
  package var attError: UInt8? { Form(self).attError }
  /// The device's error message.
  package var deviceText: String? { Form(self).deviceText }
  /// The stack's error message.
  package var stackText: String? { Form(self).stackText }
  /// The settings that the device holds instead, for display.
  package var held: String? { Form(self).held }
  /// The identity that was received instead, or that another device has.
  package var identity: DeviceIdentity? { Form(self).identity }
  /// Other devices concerned: candidates, or those with the room's identity.
  package var addresses: [BluetoothAddress]? { Form(self).addresses }
  /// The devices that could be the room's, or that have its identity, with their RSSI.
  package var candidates: [ReceivedCandidate]? { Form(self).candidates }
  /// The adapter that the room is near, as the manifest names it.
  package var near: String? { Form(self).near }
  /// The WiFi networks that the device receives.
  package var networks: [FoundNetwork]? { Form(self).networks }
  /// The time of a timeout, in seconds.
  package var seconds: Double? { Form(self).seconds }
}

extension SaveResponse {
  /// The messages of a failure after the submission.
  package init(of problem: FailureReason?) {
    self.init(deviceText: problem?.deviceText, stackText: problem?.stackText)
  }
}

extension FailureReason {
  /// The loss of the adapter or the stack that looked like this failure.
  var hostLoss: HostLoss {
    let form = Form(self)
    guard let stage = form.stage else { return .idle(stackText: form.stackText) }
    return HostLoss(
      FailedStep(stage, setting: form.setting, stackText: form.stackText), seconds: form.seconds)
  }

  /// This failure with the loss of the adapter as its cause.
  package var causedByAdapterLoss: FailureReason { .adapterLost(hostLoss) }

  /// This failure with a pause of the host as its cause; outside an attempt it stays unchanged.
  package var causedByHostPause: FailureReason {
    let form = Form(self)
    guard let stage = form.stage else { return self }
    let step = FailedStep(stage, setting: form.setting, stackText: form.stackText)
    return .hostPaused(PausedStep(step, form.finding))
  }
}
