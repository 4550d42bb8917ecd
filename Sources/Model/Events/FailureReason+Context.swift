public import Bluetooth

/// The context of a reason, whichever it is: for logs and tables, which treat all alike.
extension FailureReason {
  /// The stage it happened in.
  public var stage: Stage? { Form(self).stage }
  /// The setting concerned.
  public var setting: SettingName? { Form(self).setting }
  /// The ATT error that the device answered with.
  public var attError: UInt8? { Form(self).attError }
  /// The device's own words.
  public var deviceText: String? { Form(self).deviceText }
  /// The stack's own words.
  public var stackText: String? { Form(self).stackText }
  /// What the device holds instead of what is wanted, as people read it.
  public var held: String? { Form(self).held }
  /// The minor that was heard instead, or that another device has.
  public var minor: UInt16? { Form(self).minor }
  /// Other devices concerned: candidates, or those that have the room's identity.
  public var addresses: [BluetoothAddress]? { Form(self).addresses }
  /// The devices that could be the room's, or that have its identity, and how strongly each was heard.
  public var candidates: [HeardCandidate]? { Form(self).candidates }
  /// The adapter that the room is near, as the manifest names it.
  public var near: String? { Form(self).near }
  /// The WiFi networks that the device receives.
  public var networks: [HeardNetwork]? { Form(self).networks }
  /// The seconds after which a timeout was over.
  public var seconds: Double? { Form(self).seconds }
}

extension SaveResponse {
  /// What the trouble after a submission says.
  package init(of trouble: FailureReason?) {
    self.init(deviceText: trouble?.deviceText, stackText: trouble?.stackText)
  }
}

extension FailureReason {
  /// This failure of an attempt, put down to a pause of the host; one that happened in no stage of it stays.
  package var causedByHostPause: FailureReason {
    let form = Form(self)
    guard let stage = form.stage else { return self }
    let step = FailedStep(stage, setting: form.setting, stackText: form.stackText)
    return .hostPaused(PausedStep(step, form.finding))
  }
}
