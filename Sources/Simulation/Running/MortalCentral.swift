public import Bluetooth
import Synchronization
public import VirtualBuilding

/// A moment of a run that is told by its writes, counted from 1.
public enum WriteMoment: Hashable, Sendable, CustomStringConvertible {
  /// The write never reaches the device.
  case before(Int)
  /// The device takes it, and nobody hears of that.
  case after(Int)

  /// In words.
  public var description: String {
    switch self {
    case .before(let number): "before write \(number)"
    case .after(let number): "after write \(number)"
    }
  }
}

/// A process that can die at any instant: whatever it had asked for may still happen, it asks for nothing more, and
/// nobody takes its links down.
public struct MortalCentral: Central {
  /// Whether the process lives.
  public final class Life: Sendable {
    private let alive = Mutex(true)
    private let writes = Mutex(0)
    private let last: WriteMoment?

    /// A life.
    /// - Parameter last: when it ends; nil: when somebody ends it.
    public init(until last: WriteMoment? = nil) { self.last = last }

    /// Whether it goes on.
    public var isAlive: Bool { alive.withLock { $0 } }
    /// Ends it.
    public func end() { alive.withLock { $0 = false } }

    /// The number of the next write, counted from 1.
    fileprivate func countWrite() -> Int {
      writes.withLock { count in
        count += 1
        return count
      }
    }

    fileprivate func reaches(_ moment: WriteMoment) {
      if moment == last { end() }
    }
  }

  let central: VirtualCentral
  let life: Life
  let cut: (at: WriteMoment, in: World)?

  /// The radio of a process.
  /// - Parameter cut: where links are cut instead, for once.
  public init(central: VirtualCentral, life: Life, cut: (at: WriteMoment, in: World)? = nil) {
    self.central = central
    self.life = life
    self.cut = cut
  }

  fileprivate func live() throws(CentralError) {
    guard life.isAlive else { throw CentralError(.cancelled) }
  }

  /// As the radio does, while it lives.
  public func connect(
    to address: BluetoothAddress, on adapter: AdapterID
  ) async throws(CentralError) -> any Peripheral {
    try live()
    return MortalPeripheral(link: try await central.connect(to: address, on: adapter), of: self)
  }

  /// As the radio does, while it lives.
  public func listen<Result: Sendable>(
    on adapter: AdapterID,
    _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result {
    try live()
    return try await central.listen(on: adapter, body)
  }

  /// As the radio does, while it lives.
  public func stackVersion() async -> String? { await central.stackVersion() }
  /// As the radio does, while it lives.
  public func adapters() async throws(CentralError) -> [Adapter] { try await central.adapters() }
  /// As the radio does, while it lives.
  public func adapterChanges() async -> AsyncStream<[Adapter]> { await central.adapterChanges() }
  /// As the radio does, while it lives.
  public func connectedPeripherals(on adapter: AdapterID) async throws(CentralError) -> [ConnectedPeripheral]
  {
    try live()
    return try await central.connectedPeripherals(on: adapter)
  }
  /// As the radio does, while it lives.
  public func forget(_ address: BluetoothAddress, on adapter: AdapterID) async throws(CentralError) {
    try live()
    try await central.forget(address, on: adapter)
  }
  /// As the radio does, while it lives.
  public func powerCycle(_ adapter: AdapterID) async throws(CentralError) {
    try live()
    try await central.powerCycle(adapter)
  }
  /// As the radio does, while it lives.
  public func scanningClients(on adapter: AdapterID) async -> [String] {
    await central.scanningClients(on: adapter)
  }
}

private struct MortalPeripheral: Peripheral {
  let link: any Peripheral
  let central: MortalCentral

  init(link: any Peripheral, of central: MortalCentral) {
    self.link = link
    self.central = central
  }

  var address: BluetoothAddress { link.address }
  var adapter: AdapterID { link.adapter }

  func discover(
    _ service: BluetoothUUID, requiring required: [BluetoothUUID]
  ) async throws(CentralError) -> RemoteService {
    try central.live()
    return try await link.discover(service, requiring: required)
  }
  func allServices() async throws(CentralError) -> [RemoteService] {
    try central.live()
    return try await link.allServices()
  }
  func read(_ characteristic: RemoteCharacteristic) async throws(CentralError) -> [UInt8] {
    try central.live()
    return try await link.read(characteristic)
  }
  func write(
    _ value: [UInt8], to characteristic: RemoteCharacteristic, _ kind: WriteKind
  ) async throws(CentralError) {
    try central.live()
    let number = central.life.countWrite()
    central.life.reaches(.before(number))
    try central.live()
    if let cut = central.cut, cut.at == .before(number) { await cut.in.dropLink(to: link.address) }
    try await link.write(value, to: characteristic, kind)
    central.life.reaches(.after(number))
    try central.live()
    if let cut = central.cut, cut.at == .after(number) {
      await cut.in.dropLink(to: link.address)
      throw CentralError(.disconnected)
    }
  }
  func notifications(
    of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> AsyncStream<CharacteristicNotification> {
    try central.live()
    return try await link.notifications(of: characteristic)
  }
  func disconnection() async -> Disconnection? {
    central.life.isAlive ? await link.disconnection() : nil
  }
  func disconnect() async {
    if central.life.isAlive { await link.disconnect() }
  }
}
