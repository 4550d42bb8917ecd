public import Bluetooth
import DBus
import EventLoop
import Waiting

/// One link to one peripheral through BlueZ. It lives on the same thread as its central, which tells it
/// synchronously what the signals say.
public actor BlueZPeripheral: Peripheral {
  /// Whom this link leads to.
  public nonisolated let address: BluetoothAddress
  /// The adapter that holds it.
  public nonisolated let adapter: AdapterID

  let central: BlueZCentral
  let path: ObjectPath
  private nonisolated let executor: LoopExecutor

  /// Whether we have asked for its end.
  var isEnding = false
  private var end: Disconnection?
  private var isCauseTold = false
  /// Who gets a characteristic's values.
  private var sinks: [ObjectPath: [UInt64: AsyncStream<CharacteristicNotification>.Continuation]] = [:]
  private var waiting = Waiters()

  /// The central's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ central: BlueZCentral, path: ObjectPath, address: BluetoothAddress, adapter: AdapterID) {
    self.central = central
    self.path = path
    self.address = address
    self.adapter = adapter
    executor = central.executor
  }

  // MARK: What the central tells

  /// The link is down.
  func ended(_ cause: Disconnection.Cause) {
    guard end == nil else { return }
    end = Disconnection(cause: cause, at: central.clock.now)
    for (_, sinks) in sinks.sorted(by: { $0.key < $1.key }) {
      for (_, sink) in sinks.sorted(by: { $0.key < $1.key }) { sink.finish() }
    }
    sinks = [:]
    waiting.endAll()
  }

  /// When an adapter is switched off or unplugged, BlueZ says first that its links are down: 37 to 50 ms before, on
  /// the real one.
  static let settling = Duration.milliseconds(100)

  /// The adapter or the stack has gone: a link that went just before, and of whose end nobody was told another
  /// cause, went with it.
  func lost(_ cause: Disconnection.Cause) {
    guard let end, !isSettled else { return }
    switch (end.cause, cause) {
    case (.remote, _), (.adapterLost, .stackLost): self.end?.cause = cause
    default: break
    }
  }

  /// Whether its cause will not turn out to be another any more. Signals may be late where the machine is busy.
  var isSettled: Bool {
    guard let end else { return false }
    return isCauseTold || end.at.advanced(by: Self.settling * 10) <= central.clock.now
  }

  /// A characteristic has a value, sent by the peripheral or fetched by us.
  func notified(_ characteristic: ObjectPath, _ value: [UInt8]) {
    // What is longer than an attribute can be is not from a peripheral; its beginning is kept.
    let notification = CharacteristicNotification(
      value: Array(value.prefix(Self.longestValue)), receivedAt: central.clock.now)
    for (number, sink) in (sinks[characteristic] ?? [:]).sorted(by: { $0.key < $1.key }) {
      if case .terminated = sink.yield(notification) { sinks[characteristic]?[number] = nil }
    }
  }

  // MARK: The end

  /// Returns when the link has ended and its cause is known; nil when the waiting task is cancelled first.
  public func disconnection() async -> Disconnection? {
    guard await linkEnd(), let end else { return nil }
    let settled = end.at.advanced(by: Self.settling)
    if end.cause == .remote || end.cause == .adapterLost, central.clock.now < settled {
      try? await central.clock.sleep(until: settled, tolerance: nil)
      await central.catchUp()
    }
    if !Task.isCancelled { isCauseTold = true }
    return self.end
  }

  /// Asks for the link's end and waits for it, 5 s at most: BlueZ takes 2 to 3 s, and the link works until
  /// then. Works in a cancelled task, too.
  public func disconnect() async {
    guard end == nil else { return }
    isEnding = true
    await central.shielded { [central, path] in await central.hangUp(path) }
  }

  /// Whether the link has ended, once it has; false when the task is cancelled first.
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

  /// Does something that needs the link, until the link ends.
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

  /// Whether the link ends within a moment: BlueZ may answer for a link before it says that it is down.
  func endsSoon() async -> Bool {
    _ = await race(BlueZCentral.signalLag, on: central.clock) { await self.linkEnd() }
    return end != nil
  }

  /// A stream of a characteristic's values from now on, and the number to end it by.
  func addSink(_ characteristic: ObjectPath) async -> (AsyncStream<CharacteristicNotification>, UInt64) {
    let (stream, sink) = AsyncStream.makeStream(
      of: CharacteristicNotification.self, bufferingPolicy: .bufferingNewest(256))
    let number = await central.nextNumber()
    if end == nil { sinks[characteristic, default: [:]][number] = sink } else { sink.finish() }
    return (stream, number)
  }

  func removeSink(_ characteristic: ObjectPath, _ number: UInt64) {
    sinks[characteristic]?.removeValue(forKey: number)?.finish()
  }
}

extension BlueZCentral {
  /// Returns when everything is known here that BlueZ had said by now: its answer comes after all its signals.
  /// Without BlueZ the bus answers, after it has told of BlueZ's end.
  func catchUp() async {
    _ = try? await call(Name.root, Name.Interface.peer, Name.Member.ping, timeout: .seconds(1))
  }
}
