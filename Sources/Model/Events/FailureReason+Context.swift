extension FailureReason {
  /// A part of the context of any reason, for logs and tables, which treat all reasons alike.
  package subscript<Value>(dynamicMember key: KeyPath<Form, Value>) -> Value { Form(self)[keyPath: key] }
}

extension SaveResponse {
  /// The messages of a failure after the submission.
  package init(of problem: FailureReason?) {
    self.init(deviceText: problem?.deviceText, stackText: problem?.stackText)
  }
}

extension FailureReason {
  /// The loss of the adapter or the stack that looked like this failure.
  private var hostLoss: Interruption {
    let form = Form(self)
    guard let step = form.step else { return .idle(stackText: form.stackText) }
    return Interruption(step, seconds: form.seconds)
  }

  /// The host loss that may have caused this failure; nil when none can.
  package var possibleHostLoss: Interruption? {
    switch self {
    case .adapterLost(let loss), .stackLost(let loss): loss
    default: trait == .mayBeHostLoss ? hostLoss : nil
    }
  }

  /// This failure with the loss of the adapter as its cause.
  package var causedByAdapterLoss: FailureReason { .adapterLost(hostLoss) }

  /// This failure with a pause of the host as its cause; outside an attempt it stays unchanged.
  package var causedByHostPause: FailureReason {
    let form = Form(self)
    guard let step = form.step else { return self }
    return .hostPaused(PausedStep(step, form.finding))
  }
}
