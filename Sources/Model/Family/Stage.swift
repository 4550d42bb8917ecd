/// The stages of one attempt at one device, each with its own timeout.
package enum Stage: String, Hashable, Sendable, Codable, CaseIterable {
  /// A scan for the device before the connection.
  case search
  /// The connection; it begins when the adapter is free for this device.
  case connect
  /// The discovery of the service and its characteristics.
  case discover
  /// The wait until the device reports that it is ready.
  case ready
  /// A read of a setting; the timeout applies to each read.
  case read
  /// A write of a setting; the timeout applies to each write.
  case write
  /// The save command and the device's response.
  case save
  /// The wait for the proof on air.
  case verify
}

/// A timeout for each stage. Those of stages that a family does not have (`DeviceFamily.stages`) are not
/// used.
package struct StageTimeouts: Hashable, Sendable {
  package var search: Duration
  package var connect: Duration
  package var discover: Duration
  package var ready: Duration
  package var read: Duration
  package var write: Duration
  package var save: Duration
  package var verify: Duration

  /// The defaults suit all families.
  package init(
    search: Duration = .seconds(15), connect: Duration = .seconds(15), discover: Duration = .seconds(20),
    ready: Duration = .seconds(10), read: Duration = .seconds(10), write: Duration = .seconds(10),
    save: Duration = .seconds(10), verify: Duration = .seconds(30)
  ) {
    (self.search, self.connect, self.discover, self.ready) = (search, connect, discover, ready)
    (self.read, self.write, self.save, self.verify) = (read, write, save, verify)
  }

  package subscript(stage: Stage) -> Duration {
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
