package import Bluetooth
package import Model

extension FailureReason {
  /// What an error of the radio means in a stage of an attempt.
  package init(_ error: CentralError, stage: Stage, setting: SettingName?) {
    let code: Code
    var attError: UInt8?
    switch error.code {
    case .busUnavailable, .stackUnavailable, .permissionDenied: code = .stackLost
    case .adapterUnavailable: code = .adapterLost
    case .peripheralUnknown: code = stage == .connect ? .unknownToStack : .linkLost
    case .connectFailed: code = .connectFailed
    case .disconnected: code = stage == .connect ? .connectFailed : .linkLost
    case .servicesUnresolved, .attributeMissing: code = .serviceMissing
    case .att(let error):
      code = .attributeRejected
      attError = error
    case .notPermitted: code = .attributeRejected
    case .outOfSlots: code = .outOfSlots
    case .timedOut: code = stage == .connect ? .connectTimedOut : .stageTimedOut
    case .cancelled: code = .interrupted
    case .busy, .other: code = .stackError
    }
    self.init(code, stage: stage, setting: setting, attError: attError, stackText: error.stackText)
  }

  /// The reason with secrets taken out of everything that others said.
  func redacted(by redactor: Redactor) -> Self {
    var copy = self
    copy.deviceText = deviceText.map { redactor($0) }
    copy.stackText = stackText.map { redactor($0) }
    return copy
  }
}
