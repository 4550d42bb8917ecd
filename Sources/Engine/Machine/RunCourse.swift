import Bluetooth
import Model

/// The progress of a run.
struct RunCourse: Sendable {
  enum Phase: Sendable {
    /// The run determines which devices are present.
    case surveying(Survey)
    /// The run waits until its scan windows are closed, then matches.
    case closingSurvey
    case provisioning
    /// The run was asked to stop: no new attempt starts, attempts in flight continue until this instant at
    /// most.
    case draining(until: MonotonicInstant)
    /// The run ends what it has begun.
    case stopping
    /// The stack forgets the leftovers.
    case concluding
    case ended
  }

  var phase = Phase.surveying(Survey())
  /// Why the run stops early; nil while it does not.
  var stop: Stop?
  /// Whether the operator paused the run: no new attempt starts.
  var isPaused = false

  var isEnded: Bool { if case .ended = phase { true } else { false } }

  /// Whether the run only ends what it has begun.
  var isStopping: Bool {
    switch phase {
    case .stopping, .concluding, .ended: true
    case .surveying, .closingSurvey, .provisioning, .draining: false
    }
  }

  var isSurveying: Bool { if case .surveying = phase { true } else { false } }

  /// Whether the run stops or was asked to: attempts in flight may complete, nothing new starts.
  var isEnding: Bool { if case .draining = phase { true } else { isStopping } }

  var mayStartAttempts: Bool { !isPaused && !isEnding }
}

/// Why a run stops early.
enum Stop: Error, Hashable, Sendable {
  case interrupted
  case record(RecordFailure)
  case radio(CentralError)
  case refused(RunRefusal)

  var fact: RunInterrupted {
    switch self {
    case .interrupted: .init(cause: .signal)
    case .record(let failure): .init(cause: .record, detail: failure.text)
    case .refused(.plan): .init(cause: .plan)
    case .refused(.adapterClaimed(let adapter, let holder)):
      .init(cause: .claimed, detail: "\(adapter): \(holder)")
    case .radio(let error):
      if case .adapterUnavailable = error.code {
        .init(cause: .adapter, detail: error.stackText)
      } else {
        .init(cause: .stack, detail: error.stackText)
      }
    }
  }
}
