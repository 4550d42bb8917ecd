import Bluetooth
import Synchronization

/// A connected device that answers as a test says. Each operation ends at once.
final class ScriptedDevice: Peripheral {
  let address = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
  let adapter = AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7100))
  private let services: [RemoteService]
  private let clock: any TimeSource
  private let state = Mutex(State())

  private struct State {
    var written: @Sendable (ScriptedDevice, [UInt8]) throws(CentralError) -> Void = { _, _ in }
    var values: [BluetoothUUID: [UInt8]] = [:]
    var writes: [[UInt8]] = []
    var target: BluetoothUUID?
    var discoveryErrors: [CentralError.Code] = []
    var refusesSubscriptions = false
    /// What a value becomes after a read, before it is notified; nil if reads are not.
    var changed: (@Sendable ([UInt8]) -> [UInt8])?
    /// How the read of anything else fails.
    var unreadable = CentralError.Code.disconnected
    var streams: [BluetoothUUID: AsyncStream<CharacteristicNotification>.Continuation] = [:]
    /// The descriptions of characteristics, by handle.
    var descriptions: [String: String] = [:]
    /// The handles whose descriptions were read.
    var described: [String] = []
    var end: Disconnection?
  }

  init(_ services: [RemoteService], _ clock: any TimeSource) {
    (self.services, self.clock) = (services, clock)
  }

  /// A device with one service.
  convenience init(_ service: BluetoothUUID, _ characteristics: [BluetoothUUID], _ clock: any TimeSource) {
    let found = characteristics.map { RemoteCharacteristic(uuid: $0, handle: "\($0)") }
    self.init([RemoteService(uuid: service, characteristics: found)], clock)
  }

  /// The values that can be read. Any other read fails as if the link were lost, unless reads are refused.
  var values: [BluetoothUUID: [UInt8]] {
    get { state.withLock(\.values) }
    set { state.withLock { $0.values = newValue } }
  }

  /// What was written so far.
  var writes: [[UInt8]] { state.withLock(\.writes) }
  /// Where the last write went.
  var target: BluetoothUUID? { state.withLock(\.target) }
  /// The handles whose descriptions were read so far.
  var described: [String] { state.withLock(\.described) }

  /// Calls this for each write; what it throws is the answer to the write.
  func onWrite(_ body: @escaping @Sendable (ScriptedDevice, [UInt8]) throws(CentralError) -> Void) {
    state.withLock { $0.written = body }
  }

  /// The next discoveries fail in this order.
  func failDiscoveries(_ codes: [CentralError.Code]) { state.withLock { $0.discoveryErrors = codes } }

  func refuseReads() { state.withLock { $0.unreadable = .notPermitted } }
  func refuseSubscriptions() { state.withLock { $0.refusesSubscriptions = true } }

  /// What is read from now on takes 100 ms and is notified, as BlueZ does.
  /// - Parameter changed: what a value becomes before it is notified.
  func notifyReads(_ changed: @escaping @Sendable ([UInt8]) -> [UInt8]) {
    state.withLock { $0.changed = changed }
  }

  /// The descriptions of characteristics, by handle.
  func describe(_ descriptions: [String: String]) { state.withLock { $0.descriptions = descriptions } }

  /// Notifies a value now.
  /// - Parameter instant: its time of arrival, if it is another one.
  func notify(_ value: [UInt8], of characteristic: BluetoothUUID, at instant: MonotonicInstant? = nil) {
    let notification = CharacteristicNotification(value: value, receivedAt: instant ?? clock.now)
    _ = state.withLock { $0.streams[characteristic]?.yield(notification) }
  }

  /// Does something later.
  func after(_ duration: Duration, _ body: @escaping @Sendable (ScriptedDevice) -> Void) {
    _ = clock.schedule(at: clock.now.advanced(by: duration)) { body(self) }
  }

  /// Ends the link.
  func end(_ cause: Disconnection.Cause = .remote) {
    let end = Disconnection(cause: cause, at: clock.now)
    let streams = state.withLock { state in
      (state.end, state.values) = (end, [:])
      return Array(state.streams.values)
    }
    for stream in streams { stream.finish() }
  }

  // MARK: Peripheral

  func discover(
    _ service: BluetoothUUID, requiring required: [BluetoothUUID]
  ) async throws(CentralError) -> RemoteService {
    let failure = state.withLock { $0.discoveryErrors.isEmpty ? nil : $0.discoveryErrors.removeFirst() }
    if let failure { throw CentralError(failure) }
    guard let found = services.first(where: { $0.uuid == service }) else {
      throw CentralError(.attributeMissing(service))
    }
    return found
  }

  func allServices() async throws(CentralError) -> [RemoteService] { services }

  func read(_ characteristic: RemoteCharacteristic) async throws(CentralError) -> [UInt8] {
    let (value, failure) = state.withLock { ($0.values[characteristic.uuid], $0.unreadable) }
    guard let value else { throw CentralError(failure) }
    if let changed = state.withLock(\.changed) {
      try await clock.pause(.milliseconds(100))
      let next = changed(value)
      notify(next, of: characteristic.uuid)
      state.withLock { $0.values[characteristic.uuid] = next }
    }
    return value
  }

  func readDescriptor(
    _ uuid: BluetoothUUID, of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> [UInt8] {
    let text = state.withLock { state in
      state.described.append(characteristic.handle)
      return state.descriptions[characteristic.handle]
    }
    guard let text else { throw CentralError(.attributeMissing(uuid)) }
    return Array(text.utf8)
  }

  func write(
    _ value: [UInt8], to characteristic: RemoteCharacteristic, _ kind: WriteKind
  ) async throws(CentralError) {
    let written = state.withLock { state in
      state.writes.append(value)
      state.target = characteristic.uuid
      return state.written
    }
    try written(self, value)
  }

  func notifications(
    of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> AsyncStream<CharacteristicNotification> {
    if state.withLock(\.refusesSubscriptions) { throw CentralError(.att(0x06)) }
    let (stream, source) = AsyncStream.makeStream(of: CharacteristicNotification.self)
    state.withLock { $0.streams[characteristic.uuid] = source }
    return stream
  }

  func disconnection() async -> Disconnection? { state.withLock(\.end) }

  func disconnect() async { end(.local) }
}
