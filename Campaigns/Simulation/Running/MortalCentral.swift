package import Bluetooth
import Synchronization
package import VirtualBuilding

/// A moment of a run, by the number of a write from 1.
package enum WriteMoment: Hashable, Sendable, CustomStringConvertible {
  /// Before the write reaches the device.
  case before(Int)
  /// After the device has taken the write, and before the host gets the confirmation.
  case after(Int)

  package var description: String {
    switch self {
    case .before(let number): "before write \(number)"
    case .after(let number): "after write \(number)"
    }
  }
}

/// The radio of a process that can be killed at any instant: requests in progress may still complete, no new
/// one starts, and nothing ends its links.
package struct MortalCentral: ForwardingCentral {
  /// Whether the process lives.
  package final class Life: Sendable {
    private let alive = Mutex(true)
    private let writes = Mutex(0)
    private let last: WriteMoment?

    /// - Parameter last: the moment at which the process is killed; nil when only `end()` kills it.
    package init(until last: WriteMoment? = nil) { self.last = last }

    package var isAlive: Bool { alive.withLock { $0 } }
    package func end() { alive.withLock { $0 = false } }

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

  let central: any Central
  let life: Life
  let cut: (at: WriteMoment, in: World)?

  /// - Parameter cut: the moment at which the link is lost instead, once.
  package init(central: any Central, life: Life, cut: (at: WriteMoment, in: World)? = nil) {
    self.central = central
    self.life = life
    self.cut = cut
  }

  fileprivate func live() throws(CentralError) {
    guard life.isAlive else { throw CentralError(.cancelled) }
  }

  package func connect(
    to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
    linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    try live()
    return MortalPeripheral(
      link: try await central.connect(to: address, on: adapter, pairing: pairing, linked: linked), of: self)
  }

  package func responsible(for host: HostName?) async throws(CentralError) -> any Central {
    try live()
    return central
  }

  package func stackVersion(on host: HostName?) async -> String? { await central.stackVersion(on: host) }
  package func adapters() async throws(CentralError) -> [Adapter] { try await central.adapters() }
  package func roundTrip(to host: HostName?) async -> Duration? { await central.roundTrip(to: host) }
  package func hosts() async -> [HostAdapters] { await central.hosts() }
  package func adapterChanges() async -> AsyncStream<[Adapter]> { await central.adapterChanges() }
  package func scanningClients(on adapter: AdapterID) async -> [String]? {
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
  func readDescriptor(
    _ uuid: BluetoothUUID, of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> [UInt8] {
    try central.live()
    return try await link.readDescriptor(uuid, of: characteristic)
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
