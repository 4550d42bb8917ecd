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
  package var causedByAdapterLoss: FailureReason {
    let form = Form(self)
    guard let stage = form.stage else { return .adapterLost(.idle(stackText: form.stackText)) }
    return .adapterLost(HostLoss(FailedStep(stage, setting: form.setting, stackText: form.stackText)))
  }

  /// This failure with a pause of the host as its cause; outside an attempt it stays unchanged.
  package var causedByHostPause: FailureReason {
    let form = Form(self)
    guard let stage = form.stage else { return self }
    let step = FailedStep(stage, setting: form.setting, stackText: form.stackText)
    return .hostPaused(PausedStep(step, form.finding))
  }
}
