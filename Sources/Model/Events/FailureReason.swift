/// Why something failed: a code, and the context that this code has. The edge makes sentences and advice from it.
/// `Reporting/Wording/ReasonWords.swift` explains each code.
@dynamicMemberLookup
package struct FailureReason: Hashable, Sendable {
  package let code: Code
  let context: FailureContext

  init(_ code: Code, _ context: FailureContext = FailureContext()) {
    (self.code, self.context) = (code, context)
  }

  /// A part of the context.
  package subscript<Value>(dynamicMember key: KeyPath<FailureContext, Value>) -> Value {
    context[keyPath: key]
  }

  /// A part of the context that the code always has.
  package subscript<Value>(key: KeyPath<FailureContext, Value?>) -> Value {
    guard let value = context[keyPath: key] else { preconditionFailure("\(code.rawValue) lacks \(key)") }
    return value
  }
}

extension FailureReason {
  /// A further property on which something depends. No reason has two of them.
  package enum Trait {
    /// The device itself reports that it did not take the settings.
    case refusal
    /// It concerns the host or the whole run, and no device.
    case ofHost
    /// The loss of the adapter or the stack may look like it.
    case mayBeHostLoss
    /// It says what the device has: it was received after the save, or nothing was written.
    case knownState
    /// It says that, too, and ends when the device is in provisioning mode.
    case endsInProvisioningMode
    /// The room has no device, and may get one from further advertisements.
    case mayGetADevice
  }

  /// Whether the settings were sent and their proof was pending, so the device may have changed.
  private var isUnproved: Bool {
    switch code {
    case .linkLost, .stageTimedOut, .contradictorySightings, .adapterLost, .stackLost, .interrupted,
      .recordUnwritable:
      context.stage == .verify
    default: false
    }
  }

  /// Its consequence for a retry.
  package var failureClass: FailureClass {
    let failureClass = code.row.failureClass
    return isUnproved && failureClass == .host ? .permanent : failureClass
  }

  /// The outcome of a room that gets no further attempt in this run, by the reason of its last failure.
  package var outcome: Outcome { isUnproved ? .unconfirmed : code.row.outcome }
  package var trait: Trait? { code.row.trait }

  /// What a failure shows of the settings that were sent, by the device's own evidence.
  package enum Content {
    /// The device kept nothing: it waits to be provisioned again.
    case nothing
    /// The device refused them, so what it holds is unknown.
    case refused
    /// The device holds other settings.
    case other

    package var deniesSave: Bool { self != .other }
  }

  /// What it shows of the device's settings; nil if it shows nothing. Nothing else decides whether a device may have kept
  /// what was sent.
  package var content: Content? {
    switch code {
    case .saveNotKept: .nothing
    case .wrongIdentity, .configuredOtherwise, .foreignSettings: .other
    default: trait == .refusal ? .refused : nil
    }
  }

  /// Whether the device demands pairing, or may: by the version of BlueZ, a request that needs a secure link is refused, ends
  /// the link, or is never answered (docs/internals/bluez.md, traps 67 and 74).
  package var mayDemandPairing: Bool {
    switch code {
    case .pairingRequired: true
    case .linkLost, .stageTimedOut: context.stage.map([Stage.ready, .read, .write].contains) ?? false
    default: false
    }
  }

  /// Whether the device answered a request with an ATT error, so it did not take what the request had.
  package var isATTError: Bool {
    [.attributeRejected, .pairingRequired, .pairingUnsuitable].contains(code)
  }
}

// MARK: Causes on the host

extension FailureReason {
  /// The loss of the adapter or the stack that looked like this failure.
  private var hostLoss: FailureContext {
    guard let step = context.step else { return .idle(stackText: context.stackText) }
    return .during(step, seconds: context.seconds)
  }

  /// The host loss that may have caused this failure; nil when none can.
  package var possibleHostLoss: FailureContext? {
    switch code {
    case .adapterLost, .stackLost: context
    default: trait == .mayBeHostLoss ? hostLoss : nil
    }
  }

  /// This failure with the loss of the adapter as its cause.
  package var causedByAdapterLoss: FailureReason { .adapterLost(hostLoss) }

  /// This failure with a pause of the host as its cause; outside an attempt it stays unchanged.
  package var causedByHostPause: FailureReason {
    guard let step = context.step else { return self }
    return .hostPaused(
      step, seconds: context.seconds, attError: context.attError, deviceText: context.deviceText,
      held: context.held)
  }
}

extension SaveResponse {
  /// The messages of a failure after the submission.
  package init(of problem: FailureReason?) {
    self.init(deviceText: problem?.deviceText, stackText: problem?.stackText)
  }
}
