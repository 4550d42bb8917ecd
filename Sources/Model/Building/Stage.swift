/// The stages of one attempt at one device. Each has a timeout of its own.
public enum Stage: String, Hashable, Sendable, Codable, CaseIterable {
  /// Hearing it, before it is dialled.
  case search
  /// Getting the link up; the clock starts when the radio is given to this device.
  case connect
  /// Finding the service and its characteristics.
  case discover
  /// Waiting until the device says that it is ready.
  case ready
  /// Reading what the device holds (each read has the whole timeout).
  case read
  /// Writing one setting (each write has the whole timeout).
  case write
  /// Asking the device to keep what was written, and its answer.
  case save
  /// Hearing the proof on air.
  case verify
}

/// A timeout for each stage: none can be forgotten. Those of stages that a family does not have (`DeviceFamily.stages`)
/// mean nothing.
public struct StageTimeouts: Hashable, Sendable {
  /// For `Stage.search`.
  public var search: Duration
  /// For `Stage.connect`.
  public var connect: Duration
  /// For `Stage.discover`.
  public var discover: Duration
  /// For `Stage.ready`.
  public var ready: Duration
  /// For each read of `Stage.read`.
  public var read: Duration
  /// For each write of `Stage.write`.
  public var write: Duration
  /// For `Stage.save`.
  public var save: Duration
  /// For `Stage.verify`.
  public var verify: Duration

  /// All of them; what the device families have in common need not be said.
  public init(
    search: Duration = .seconds(15), connect: Duration = .seconds(15), discover: Duration = .seconds(20),
    ready: Duration = .seconds(10), read: Duration = .seconds(10), write: Duration = .seconds(10),
    save: Duration = .seconds(10), verify: Duration = .seconds(30)
  ) {
    self.search = search
    self.connect = connect
    self.discover = discover
    self.ready = ready
    self.read = read
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
    case .search: \.search
    case .connect: \.connect
    case .discover: \.discover
    case .ready: \.ready
    case .read: \.read
    case .write: \.write
    case .save: \.save
    case .verify: \.verify
    }
  }
}
