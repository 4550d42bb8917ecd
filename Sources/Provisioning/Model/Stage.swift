/// The stages of one attempt at one device. Each has a timeout of its own.
public enum Stage: String, Hashable, Sendable, Codable, CaseIterable {
  /// Getting the link up; the clock starts when the radio is given to this device.
  case connect
  /// Finding the service and its characteristics.
  case discover
  /// Waiting until the device says that it is ready.
  case ready
  /// Writing one setting (each write has the whole timeout).
  case write
  /// Asking the device to keep what was written, and its answer.
  case save
  /// Hearing the proof on air.
  case verify
}

/// A timeout for each stage: none can be forgotten.
public struct StageTimeouts: Hashable, Sendable {
  /// For `Stage.connect`.
  public var connect: Duration
  /// For `Stage.discover`.
  public var discover: Duration
  /// For `Stage.ready`.
  public var ready: Duration
  /// For each write of `Stage.write`.
  public var write: Duration
  /// For `Stage.save`.
  public var save: Duration
  /// For `Stage.verify`.
  public var verify: Duration

  /// All six timeouts.
  public init(
    connect: Duration, discover: Duration, ready: Duration, write: Duration, save: Duration, verify: Duration
  ) {
    self.connect = connect
    self.discover = discover
    self.ready = ready
    self.write = write
    self.save = save
    self.verify = verify
  }

  /// The timeout of a stage.
  public subscript(stage: Stage) -> Duration {
    get { self[keyPath: Self.path(stage)] }
    set { self[keyPath: Self.path(stage)] = newValue }
  }

  private static func path(_ stage: Stage) -> WritableKeyPath<Self, Duration> {
    switch stage {
    case .connect: \.connect
    case .discover: \.discover
    case .ready: \.ready
    case .write: \.write
    case .save: \.save
    case .verify: \.verify
    }
  }
}
