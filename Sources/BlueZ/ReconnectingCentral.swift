package import Bluetooth
package import DBus
package import Logging
import Waiting

/// `Central` over BlueZ that survives the loss of its bus. It holds a connection, and opens a new one when
/// the bus was lost: a restarted dbus-daemon has no connections.
///
/// While there is no bus, every operation throws `busUnavailable` at once. Links and discoveries end with
/// their connection. There is no background work: a caller of an operation or a reader of `adapterChanges`
/// makes the next connection attempt, subject to the back-off.
package actor ReconnectingCentral: ForwardingCentral {
  /// How connection attempts follow each other.
  package struct Policy: Sendable {
    /// The back-off: doubled from the first value up to the last.
    var pauses: ClosedRange<Duration>
    /// The time limit of an attempt. A bus that hangs counts as unavailable.
    var limit: Duration
    /// A random number in 0…1: an attempt comes up to a half later, so that hosts that were lost together are not tried
    /// together.
    var chance: @Sendable () -> Double = { 0 }

    /// For a bus of this computer.
    package static let local = Policy(pauses: .milliseconds(250)...(.seconds(2)), limit: .seconds(5))

    /// For a bus behind ssh, which firewalls watch for frequent attempts. ssh may itself take 10 s to connect, and a small
    /// gateway on a slow network far longer for the keys and the login; ssh ends a connection that is lost meanwhile.
    package static func remote(_ chance: @escaping @Sendable () -> Double) -> Policy {
      Policy(pauses: .seconds(1)...(.seconds(30)), limit: remoteLimit, chance: chance)
    }
    package static let remoteLimit = Duration.seconds(60)
  }

  private let bus: BusAddress
  private let host: HostName?
  private let policy: Policy
  private let clock: any TimeSource
  private let log: Logger
  /// Nil before the first connection.
  private var central: BlueZCentral?
  /// Why the last attempt failed; nil if there was none since the last connection.
  private var failure: CentralError?
  fileprivate var isClosed = false
  /// Whether a connection attempt is in progress.
  private var isOpening = false
  private var pause: Duration
  /// The earliest instant of the next attempt after a failed one.
  private var nextAttempt: MonotonicInstant?

  /// A central that is not connected yet.
  package init(
    bus: BusAddress, of host: HostName? = nil, _ policy: Policy, clock: any TimeSource, log: Logger = .silent
  ) {
    self.bus = bus
    self.host = host
    self.policy = policy
    self.clock = clock
    self.log = log
    pause = policy.pauses.lowerBound
  }

  /// Connects to the bus, as `BlueZCentral.open` does.
  /// - Throws: `busUnavailable` if there is no bus; `timedOut` if it does not reply; `permissionDenied` if
  ///   the user may not use the bus or BlueZ.
  package static func open(
    bus: BusAddress, clock: any TimeSource, log: Logger = .silent
  ) async throws(CentralError) -> ReconnectingCentral {
    let central = ReconnectingCentral(bus: bus, .local, clock: clock, log: log)
    try await central.begin()
    return central
  }

  private func begin() async throws(CentralError) {
    central = try await BlueZCentral.open(bus: bus, of: host, clock: clock, log: log)
  }

  /// Closes the connection permanently.
  package func close() async {
    isClosed = true
    await central?.close()
  }

  // MARK: The connection

  private static let lost = CentralError(.busUnavailable, stackText: "the connection to the bus has ended")

  /// The current connection, or a new one if it was lost and the back-off permits an attempt.
  /// - Throws: `busUnavailable`, `permissionDenied`, `cancelled`.
  func connected() async throws(CentralError) -> BlueZCentral {
    guard !isClosed else { throw Self.lost }
    let known = central
    if let known, await !known.hasLostBus { return known }
    // In the meantime another caller may have opened a new connection or started to.
    if let central, central !== known { return central }
    guard !isOpening, nextAttempt.map({ $0 <= clock.now }) ?? true else { throw failure ?? Self.lost }
    isOpening = true
    defer { isOpening = false }
    do throws(CentralError) {
      let opened = try await open()
      central = opened
      (pause, nextAttempt, failure) = (policy.pauses.lowerBound, nil, nil)
      return opened
    } catch {
      // A cancelled attempt shows nothing about the bus.
      guard error.code != .cancelled else { throw error }
      failure = error
      nextAttempt = clock.now.advanced(by: pause + pause * (policy.chance() / 2))
      pause = min(pause * 2, policy.pauses.upperBound)
      throw error
    }
  }

  private func open() async throws(CentralError) -> BlueZCentral {
    let (bus, host, limit, clock, log) = (bus, host, policy.limit, clock, log)
    let opened = await race(limit, on: clock) { () -> Result<BlueZCentral, CentralError> in
      do throws(CentralError) {
        return .success(
          try await BlueZCentral.open(
            bus: bus, of: host, clock: clock, timeout: max(limit, Connection.defaultTimeout), log: log))
      } catch {
        return .failure(error)
      }
    }.value
    guard case .success(let new)? = opened, !isClosed, !Task.isCancelled else {
      if case .success(let new)? = opened { await new.close() }
      if Task.isCancelled { throw CentralError(.cancelled) }
      // The end of the race cancels the attempt.
      if case .failure(let error)? = opened, ![.timedOut, .cancelled].contains(error.code) { throw error }
      throw isClosed ? Self.lost : CentralError(.busUnavailable, stackText: "no answer within \(limit)")
    }
    return new
  }

  /// Waits until the next connection attempt is permitted; false if there will be none.
  fileprivate func waitForNextAttempt() async -> Bool {
    guard !isClosed else { return false }
    let due = nextAttempt ?? clock.now.advanced(by: policy.pauses.lowerBound)
    // Another caller's attempt may be in progress and take longer.
    let earliest = max(due, clock.now.advanced(by: .milliseconds(50)))
    return (try? await clock.sleep(until: earliest, tolerance: nil)) != nil && !isClosed
  }

  // MARK: Adapters

  /// The adapters, now and after each change; an empty list while there is no bus. The task that reads the
  /// stream does the work, including reconnecting. The stream ends when this central is closed.
  package func adapterChanges() -> AsyncStream<[Adapter]> {
    let changes = AdapterChanges(of: self)
    return AsyncStream { await changes.next() }
  }

  /// The adapters as they are now, ordered by identity.
  /// - Throws: `busUnavailable`, `stackUnavailable`, `permissionDenied`.
  package func adapters() async throws(CentralError) -> [Adapter] {
    try await connected().adapters()
  }

  /// There is only one bus, whichever host is asked for.
  package func responsible(for host: HostName?) async throws(CentralError) -> any Central {
    try await connected()
  }
}

/// The changes of all successive connections, for one reader.
private actor AdapterChanges {
  private let central: ReconnectingCentral
  /// The changes of the current connection.
  private var changes: AsyncStream<[Adapter]>?
  private var last: [Adapter]?

  init(of central: ReconnectingCentral) {
    self.central = central
  }

  /// The next list that differs from the last; nil at the end, and when the task is cancelled.
  func next() async -> [Adapter]? {
    while !Task.isCancelled {
      if let changes {
        // The stream has no state of its own, so each new iteration continues after the last one.
        guard let adapters = await changes.first(where: { _ in true }) else {
          self.changes = nil
          // Also if the next connection is available at once: nothing of the old one remains.
          if last != [], await !central.isClosed, !Task.isCancelled { return report([]) }
          continue
        }
        if adapters != last { return report(adapters) }
      } else if let connected = try? await central.connected() {
        changes = await connected.adapterChanges()
      } else if last == nil, await !central.isClosed {
        return report([])
      } else if await !central.waitForNextAttempt() {
        return nil
      }
    }
    return nil
  }

  private func report(_ adapters: [Adapter]) -> [Adapter] {
    last = adapters
    return adapters
  }
}
