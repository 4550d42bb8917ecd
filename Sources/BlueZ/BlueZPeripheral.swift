package import Bluetooth
import DBus
import EventLoop
import Waiting

/// A link to a peripheral through BlueZ. It runs on the thread of its central, which passes on the content of
/// signals synchronously.
package actor BlueZPeripheral: Peripheral {
  package nonisolated let address: BluetoothAddress
  /// The adapter that holds the link.
  package nonisolated let adapter: AdapterID

  let central: BlueZCentral
  let path: ObjectPath
  private nonisolated let executor: LoopExecutor

  /// Whether this client has requested the end of the link.
  var isEnding = false
  private var end: Disconnection?
  private var isCauseReported = false
  private var sinks: [ObjectPath: [UInt64: AsyncStream<CharacteristicNotification>.Continuation]] = [:]
  private var waiting = Waiters()

  /// The central's thread.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ central: BlueZCentral, path: ObjectPath, address: BluetoothAddress, adapter: AdapterID) {
    self.central = central
    self.path = path
    self.address = address
    self.adapter = adapter
    executor = central.executor
  }

  // MARK: Notifications from the central

  /// Records that the link is down.
  func ended(_ cause: Disconnection.Cause) {
    end = Disconnection(cause: cause, at: central.clock.now)
    for (_, sinks) in sinks.sorted(by: { $0.key < $1.key }) {
      for (_, sink) in sinks.sorted(by: { $0.key < $1.key }) { sink.finish() }
    }
    sinks = [:]
    waiting.endAll()
  }

  /// How long after the end of its links an adapter may be reported as off or removed. BlueZ reports the end
  /// of the links 37 to 50 ms earlier (measured).
  static let settling = Duration.milliseconds(100)

  /// Records that the adapter or the stack is gone. A link that ended just before, and whose cause was not
  /// delivered yet, gets this cause.
  func lost(_ cause: Disconnection.Cause) {
    guard let end, !isSettled else { return }
    switch (end.cause, cause) {
    case (.remote, _), (.adapterLost, .stackLost): self.end?.cause = cause
    default: break
    }
  }

  /// Whether the cause can no longer change. Signals may be late on a busy machine.
  var isSettled: Bool {
    guard let end else { return false }
    return isCauseReported || end.at.advanced(by: Self.settling * 10) <= central.clock.now
  }

  /// Passes on a value of a characteristic that the peripheral sent or that this client read.
  func notified(_ characteristic: ObjectPath, _ value: [UInt8]) {
    // A value that is longer than an attribute can be does not come from a peripheral; its beginning is kept.
    let notification = CharacteristicNotification(
      value: Array(value.prefix(Self.longestValue)), receivedAt: central.clock.now)
    for (number, sink) in (sinks[characteristic] ?? [:]).sorted(by: { $0.key < $1.key }) {
      if case .terminated = sink.yield(notification) { sinks[characteristic]?[number] = nil }
    }
  }

  // MARK: The end of the link

  /// Waits until the link has ended and the cause is known; nil if the waiting task is cancelled first.
  package func disconnection() async -> Disconnection? {
    guard await linkEnd(), let end else { return nil }
    let settled = end.at.advanced(by: Self.settling)
    if end.cause == .remote || end.cause == .adapterLost, central.clock.now < settled {
      try? await central.clock.sleep(until: settled, tolerance: nil)
      await central.catchUp()
    }
    if !Task.isCancelled { isCauseReported = true }
    return self.end
  }

  /// Requests the end of the link and waits for it, at most 5 s. BlueZ takes 2 to 3 s, and the link works
  /// until then. It also works in a cancelled task.
  package func disconnect() async {
    guard end == nil else { return }
    isEnding = true
    await central.shielded { [central, path] in await central.disconnect(path) }
  }

  /// Waits until the link has ended; false if the task is cancelled first.
  private func linkEnd() async -> Bool {
    while end == nil {
      if Task.isCancelled { return false }
      let changed = waiting.add()
      await changed.value()
      waiting.remove(changed)
    }
    return true
  }

  private var disconnected: CentralError? {
    end.map { CentralError(.disconnected, stackText: "the link has ended (\($0.cause.rawValue))") }
  }

  // MARK: For the operations

  /// Runs an operation that needs the link, until the link ends.
  func whileLinked<Success: Sendable>(
    _ work: @escaping @Sendable () async throws(CentralError) -> Success
  ) async throws(CentralError) -> Success {
    if let disconnected { throw disconnected }
    do throws(CentralError) {
      return try await race(work, against: { await self.linkEnd() ? self.disconnected : nil })
    } catch {
      if error.code == .cancelled { throw error }
      throw disconnected.map { CentralError($0.code, stackText: error.stackText ?? $0.stackText) } ?? error
    }
  }

  /// Whether the link ends within a moment. BlueZ may reply to an operation on a lost link before it reports
  /// the loss.
  func endsSoon() async -> Bool {
    _ = await race(central.limit(BlueZCentral.signalLag), on: central.clock) { await self.linkEnd() }
    return end != nil
  }

  /// Adds a stream of a characteristic's values. Once nobody reads it any more, the next value removes it.
  func addSink(_ characteristic: ObjectPath) async -> AsyncStream<CharacteristicNotification> {
    let (stream, sink) = AsyncStream.makeStream(
      of: CharacteristicNotification.self, bufferingPolicy: .bufferingNewest(256))
    let number = await central.nextNumber()
    sinks[characteristic, default: [:]][number] = sink
    return stream
  }
}

extension BlueZCentral {
  /// Waits until all signals that BlueZ has sent so far are applied: BlueZ's reply to a call follows them.
  /// Without BlueZ the bus replies, after it has signalled BlueZ's end.
  func catchUp() async {
    _ = try? await call(Name.root, Name.Interface.peer, Name.Member.ping, timeout: .seconds(1))
  }
}
