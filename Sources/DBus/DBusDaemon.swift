/// A private bus.
public final class DBusDaemon: Sendable {
  /// Its address, for `BusAddress.address`.
  public let address: String
  init() { fatalError("lands next") }
  /// Starts it.
  public static func start(in directory: String = "/tmp") async throws(DBusDaemonError) -> DBusDaemon {
    fatalError("lands next")
  }
  /// Stops it.
  public func stop() async { fatalError("lands next") }
}

/// Why no private bus could be started.
public enum DBusDaemonError: Error, Hashable, Sendable {
  /// The program is not installed.
  case notInstalled(program: String)
  /// No directory for its socket.
  case noDirectory(path: String, reason: String)
  /// It ended instead of telling its address.
  case failedToStart(reason: String)
}
