import Bluetooth
import Model

/// Requests of the operator during the run, and how a run stops.
extension RunMachine {
  /// Takes a request of the operator. A request without effect is dropped.
  mutating func take(_ request: OperatorRequested.Request) {
    guard goal == .apply else {
      if request == .stop { stop(.interrupted) }
      return
    }
    guard course.stop == nil, !course.isEnding else { return }
    switch request {
    case .pause, .resume:
      guard course.isPaused != (request == .pause) else { return }
      course.isPaused = request == .pause
      isDirty = true
    case .stop: break
    }
    let bound = request == .stop ? RadioLimits.draining.inSeconds : nil
    record(.operatorRequested(OperatorRequested(request, within: bound)))
    if request == .stop { stop(.interrupted) }
  }

  /// Stops the run. A second reason ends the draining that the operator's request began.
  mutating func stop(_ reason: Stop) {
    switch course.phase {
    case .stopping, .concluding, .ended: return
    case .surveying, .closingSurvey, .provisioning, .draining: break
    }
    course.stop = reason
    if reason == .interrupted, case .provisioning = course.phase {
      beginDraining()
    } else {
      endWhatIsUnderWay()
    }
  }

  /// Ends attempts without a link, and lets the others complete within a limit: a device that is being
  /// written reaches a known state, and a submitted save gets its proof.
  private mutating func beginDraining() {
    course.phase = .draining(until: now.advanced(by: RadioLimits.draining))
    course.isPaused = false
    isDirty = true
    perform(.withdrawQuestions)
    matching.question = nil
    endAttempts([.connecting], .stopped)
  }

  /// Ends the run once no attempt and no proof is in flight, or the limit is over.
  mutating func drain(until end: MonotonicInstant) {
    let inFlight: Set<RoomState.Kind> = [.connecting, .connected, .disconnecting, .proving, .diagnosing]
    let isOver = rooms.places(inFlight).isEmpty || now >= end
    if isOver { endWhatIsUnderWay() }
  }
}
