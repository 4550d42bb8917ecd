import Model

extension OperatorRequested {
  /// The effect of the request, for people.
  var words: String {
    switch request {
    case .pause: "paused: no new device starts, active devices finish"
    case .resume: "resumed"
    case .stop:
      "stopping: no new device starts, active devices finish"
        + (within.map { " (at most \($0.asSeconds))" } ?? "")
    }
  }
}
