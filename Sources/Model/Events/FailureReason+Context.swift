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
