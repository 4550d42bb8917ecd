package import Bluetooth
package import Model

extension FailureReason {
  /// The reason for an error of the radio in a stage of an attempt.
  package init(_ error: CentralError, stage: Stage, setting: SettingName?) {
    let text = error.stackText
    let step = FailedStep(stage, setting: setting, stackText: text)
    self =
      switch error.code {
      case .busUnavailable, .stackUnavailable, .permissionDenied: .stackLost(.during(step))
      case .adapterUnavailable: .adapterLost(.during(step))
      case .peripheralUnknown: stage == .connect ? .unknownToStack(stackText: text) : .linkLost(step)
      case .connectFailed: .connectFailed(step)
      case .disconnected: stage == .connect ? .connectFailed(step) : .linkLost(step)
      case .servicesUnresolved, .attributeMissing: .serviceMissing(step)
      case .attributeAmbiguous: .serviceAmbiguous(step)
      case .att(let error): .attributeRejected(step, attError: error)
      case .notPermitted: .attributeRejected(step)
      case .pairingRequired: .pairingRequired(step)
      case .outOfSlots: .outOfSlots(step)
      case .timedOut: stage == .connect ? .connectTimedOut(stackText: text) : .stageTimedOut(step)
      case .cancelled: .interrupted(.during(step))
      case .pairing(let problem): Self(problem, step)
      case .busy, .other: .stackError(step)
      }
  }

  private init(_ problem: CentralError.PairingProblem, _ step: FailedStep) {
    self =
      switch problem {
      case .refused: .pairingRefused(step)
      case .passkeyRefused: .passkeyRefused(step)
      case .passkeyUnused: .passkeyUnused(step)
      case .unsuitable: .pairingUnsuitable(step)
      case .lost: .pairingLost(step)
      // The next attempt uses that bond.
      case .bondExists: .stackError(step)
      }
  }

  package init(timeoutOf stage: Stage, setting: SettingName?, seconds: Double) {
    self =
      switch stage {
      case .search: .neverReceived(searchSeconds: seconds)
      case .connect: .connectTimedOut(seconds: seconds)
      case .discover, .ready, .read, .write, .save, .verify:
        .stageTimedOut(FailedStep(stage, setting: setting), seconds: seconds)
      }
  }
}
