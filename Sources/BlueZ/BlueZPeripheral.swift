public import Bluetooth
import DBus

/// One link to one peripheral through BlueZ. It lives on the same thread as its central, which tells it
/// synchronously what the signals say.
public actor BlueZPeripheral: Peripheral {
  /// Whom this link leads to.
  public nonisolated let address: BluetoothAddress
  /// The adapter that holds it.
  public nonisolated let adapter: AdapterID

  let central: BlueZCentral
  let path: ObjectPath
  private nonisolated let executor: BusThread

  /// Whether we have asked for its end.
  var isEnding = false
  private var end: Disconnection?
  private var isCauseSettled = false
  /// Who gets a characteristic's values.
  private var sinks: [ObjectPath: [UInt64: AsyncStream<CharacteristicNotification>.Continuation]] = [:]
  private var waiting = Wakes()

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
    waiting.fireAll()
  }

  /// A characteristic has a value, sent by the peripheral or fetched by us.
  func notified(_ characteristic: ObjectPath, _ value: [UInt8]) {
    let notification = CharacteristicNotification(value: value, receivedAt: central.clock.now)
    for (number, sink) in (sinks[characteristic] ?? [:]).sorted(by: { $0.key < $1.key }) {
      if case .terminated = sink.yield(notification) { sinks[characteristic]?[number] = nil }
    }
  }

  // MARK: The end

  /// Returns when the link has ended; nil when the waiting task is cancelled first.
  ///
  /// When an adapter goes, BlueZ says first that its links are down, so the cause of an end that has just come is
  /// asked again after a moment.
  public func disconnection() async -> Disconnection? {
    guard await linkEnd(), var end else { return nil }
    if !isCauseSettled, end.cause == .remote {
      let settled = end.at.advanced(by: .milliseconds(100))
      if central.clock.now < settled {
        try? await central.clock.sleep(until: settled, tolerance: nil)
        await central.catchUp()
        if let cause = await central.lossBehind(path) { end.cause = cause }
      }
      if !Task.isCancelled, !isCauseSettled {
        isCauseSettled = true
        self.end = end
      }
    }
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
      let wake = waiting.add()
      await wake.wait()
      waiting.remove(wake)
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
      return try await race(work) { await self.linkEnd() ? self.disconnected : nil }
    } catch {
      if error.code == .cancelled { throw error }
      throw disconnected.map { CentralError($0.code, stackText: error.stackText ?? $0.stackText) } ?? error
    }
  }

  /// Whether the link ends within a moment: BlueZ may answer for a link before it says that it is down.
  func endsSoon() async -> Bool {
    _ = await bounded(by: BlueZCentral.signalLag, on: central.clock) { await self.linkEnd() }
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

  /// What else has gone together with a link: the stack, or the adapter; nil when both are there.
  func lossBehind(_ device: ObjectPath) -> Disconnection.Cause? {
    guard stack == .present else { return .stackLost }
    return trouble(at: device.parent) == nil ? nil : .adapterLost
  }
}
