public import Bluetooth
public import DBus
import Waiting

/// `Central` over BlueZ that outlives its bus. It holds a connection, and opens a new one when the bus was lost: a
/// dbus-daemon that was restarted knows nothing of who was connected to the one before it.
///
/// While the bus is away every operation throws `busUnavailable` at once. Links and discoveries of a connection end with
/// it. It has no background work: whoever calls an operation or reads `adapterChanges` tries to connect anew, not more
/// often than the pauses between two attempts allow.
public actor ReconnectingCentral: Central {
  /// The pauses between attempts to connect: doubled from the first to the longest.
  static let pauses = Duration.milliseconds(250)...(.seconds(2))
  /// How long an attempt may take. A dbus-daemon that hangs is one that is not there.
  static let openingLimit = Duration.seconds(5)

  private let bus: BusAddress
  private let clock: any TimeSource
  private var central: BlueZCentral
  fileprivate var isClosed = false
  /// An attempt to connect is under way.
  private var isOpening = false
  private var pause = pauses.lowerBound
  /// When the next attempt may be made, where the last one failed.
  private var nextAttempt: MonotonicInstant?

  private init(_ central: BlueZCentral, bus: BusAddress, clock: any TimeSource) {
    self.central = central
    self.bus = bus
    self.clock = clock
  }

  /// Connects to the bus, as `BlueZCentral.open` does.
  /// - Throws: `busUnavailable` when there is no bus now; `timedOut` when it does not answer; `permissionDenied` when the bus does not let us speak to it or
  ///   to BlueZ.
  public static func open(
    bus: BusAddress, clock: any TimeSource
  ) async throws(CentralError) -> ReconnectingCentral {
    ReconnectingCentral(try await BlueZCentral.open(bus: bus, clock: clock), bus: bus, clock: clock)
  }

  /// Leaves the bus for good.
  public func close() async {
    isClosed = true
    await central.close()
  }

  // MARK: The connection

  private static let lost = CentralError(.busUnavailable, stackText: "the connection to the bus has ended")

  /// The connection to the bus: the one that is, or a new one where it was lost and an attempt may be made.
  /// - Throws: `busUnavailable`, `permissionDenied`, `cancelled`.
  func connected() async throws(CentralError) -> BlueZCentral {
    guard !isClosed else { throw Self.lost }
    let known = central
    guard await known.hasLostBus else { return known }
    // Meanwhile another caller may have opened a new one, or begun to.
    if central !== known { return central }
    guard !isOpening, nextAttempt.map({ $0 <= clock.now }) ?? true else { throw Self.lost }
    isOpening = true
    defer { isOpening = false }
    do throws(CentralError) {
      let opened = try await open()
      central = opened
      (pause, nextAttempt) = (Self.pauses.lowerBound, nil)
      return opened
    } catch {
      // An attempt that was cancelled says nothing about the bus.
      guard error.code != .cancelled else { throw error }
      nextAttempt = clock.now.advanced(by: pause)
      pause = min(pause * 2, Self.pauses.upperBound)
      throw error
    }
  }

  private func open() async throws(CentralError) -> BlueZCentral {
    let (bus, clock) = (bus, clock)
    let opened = await race(Self.openingLimit, on: clock) { () -> Result<BlueZCentral, CentralError> in
      do throws(CentralError) {
        return .success(try await BlueZCentral.open(bus: bus, clock: clock))
      } catch {
        return .failure(error)
      }
    }.value
    guard case .success(let new)? = opened, !isClosed, !Task.isCancelled else {
      if case .success(let new)? = opened { await new.close() }
      if Task.isCancelled { throw CentralError(.cancelled) }
      guard case .failure(let error)? = opened, error.code != .timedOut else { throw Self.lost }
      throw error
    }
    return new
  }

  /// Waits until an attempt to connect may be worth it again; false when that is never.
  fileprivate func waitForNextAttempt() async -> Bool {
    guard !isClosed else { return false }
    let due = nextAttempt ?? clock.now.advanced(by: Self.pauses.lowerBound)
    // Another caller's attempt may be under way and take longer than that.
    let earliest = max(due, clock.now.advanced(by: .milliseconds(50)))
    return (try? await clock.sleep(until: earliest, tolerance: nil)) != nil && !isClosed
  }

  // MARK: Adapters

  /// The adapters, at once and after each change; an empty list while the bus is away. Whoever reads the stream does its
  /// work, and so connects anew. Ends when this central is closed.
  public func adapterChanges() -> AsyncStream<[Adapter]> {
    let changes = AdapterChanges(of: self)
    return AsyncStream { await changes.next() }
  }

  /// `BlueZ 5.66`; nil without an adapter, or while the bus is away.
  public func stackVersion() async -> String? {
    await (try? connected())?.stackVersion()
  }

  /// The adapters as they are now, ordered by identity.
  /// - Throws: `busUnavailable`, `stackUnavailable`, `permissionDenied`.
  public func adapters() async throws(CentralError) -> [Adapter] {
    try await connected().adapters()
  }

  // MARK: All else

  /// Discovers on an adapter while `body` runs.
  public func listen<Result: Sendable>(
    on adapter: AdapterID, _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result {
    try await connected().listen(on: adapter, body)
  }

  /// Connects to a peripheral that the adapter has heard.
  public func connect(
    to address: BluetoothAddress, on adapter: AdapterID
  ) async throws(CentralError) -> any Peripheral {
    try await connected().connect(to: address, on: adapter)
  }

  /// The peripherals that BlueZ is connected to.
  public func connectedPeripherals(
    on adapter: AdapterID
  ) async throws(CentralError) -> [ConnectedPeripheral] {
    try await connected().connectedPeripherals(on: adapter)
  }

  /// Removes a peripheral's object with all that BlueZ has stored of it.
  public func forget(_ address: BluetoothAddress, on adapter: AdapterID) async throws(CentralError) {
    try await connected().forget(address, on: adapter)
  }

  /// Switches an adapter off and on again.
  public func powerCycle(_ adapter: AdapterID) async throws(CentralError) {
    try await connected().powerCycle(adapter)
  }

  /// Who else may be scanning with an adapter.
  public func scanningClients(on adapter: AdapterID) async -> [String] {
    await (try? connected())?.scanningClients(on: adapter) ?? []
  }
}

/// The changes of one connection after the other, for one reader.
private actor AdapterChanges {
  private let central: ReconnectingCentral
  /// Those of the connection that is.
  private var changes: AsyncStream<[Adapter]>?
  private var last: [Adapter]?

  init(of central: ReconnectingCentral) {
    self.central = central
  }

  /// The next list that differs from the last; nil at the end, and when the task is cancelled.
  func next() async -> [Adapter]? {
    while !Task.isCancelled {
      if let changes {
        // The stream has no state of its own: each look at it goes on where the last one ended.
        guard let adapters = await changes.first(where: { _ in true }) else {
          self.changes = nil
          // Also when the next connection is there at once: nothing of the last one is left.
          if last != [], await !central.isClosed, !Task.isCancelled { return tell([]) }
          continue
        }
        if adapters != last { return tell(adapters) }
      } else if let connected = try? await central.connected() {
        changes = await connected.adapterChanges()
      } else if last == nil, await !central.isClosed {
        return tell([])
      } else if await !central.waitForNextAttempt() {
        return nil
      }
    }
    return nil
  }

  private func tell(_ adapters: [Adapter]) -> [Adapter] {
    last = adapters
    return adapters
  }
}
