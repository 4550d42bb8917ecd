import Bluetooth
import Provisioning
import Synchronization
import Testing
import VirtualBuilding

/// A moment of a run that is told by its writes, counted from 1.
enum WriteMoment: Hashable, Sendable, CustomTestStringConvertible {
  /// The write never reaches the device.
  case before(Int)
  /// The device takes it, and nobody hears of that.
  case after(Int)

  var testDescription: String {
    switch self {
    case .before(let number): "before write \(number)"
    case .after(let number): "after write \(number)"
    }
  }
}

/// A process that can die at any instant: whatever it had asked for may still happen, it asks for nothing more, and
/// nobody takes its links down.
struct MortalCentral: Central {
  /// Whether the process lives.
  final class Life: Sendable {
    private let alive = Mutex(true)
    private let writes = Mutex(0)
    private let last: WriteMoment?

    /// - Parameter last: when it ends; nil: when somebody ends it.
    init(until last: WriteMoment? = nil) { self.last = last }

    var isAlive: Bool { alive.withLock { $0 } }
    func end() { alive.withLock { $0 = false } }

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
  /// Where links are cut instead, for once.
  var cut: (at: WriteMoment, in: World)?

  fileprivate func live() throws(CentralError) {
    guard life.isAlive else { throw CentralError(.cancelled) }
  }

  func connect(
    to address: BluetoothAddress, on adapter: AdapterID
  ) async throws(CentralError) -> any Peripheral {
    try live()
    return MortalPeripheral(link: try await central.connect(to: address, on: adapter), of: self)
  }

  func listen<Result: Sendable>(
    on adapter: AdapterID,
    _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result {
    try live()
    return try await central.listen(on: adapter, body)
  }

  func stackVersion() async -> String? { await central.stackVersion() }
  func adapters() async throws(CentralError) -> [Adapter] { try await central.adapters() }
  func adapterChanges() async -> AsyncStream<[Adapter]> { await central.adapterChanges() }
  func connectedPeripherals(on adapter: AdapterID) async throws(CentralError) -> [ConnectedPeripheral] {
    try live()
    return try await central.connectedPeripherals(on: adapter)
  }
  func forget(_ address: BluetoothAddress, on adapter: AdapterID) async throws(CentralError) {
    try live()
    try await central.forget(address, on: adapter)
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

/// A disk that survives the death of its process: what was synced is there, of the rest a part.
actor MortalRecorder: RunRecorder {
  private(set) var events: [RunEvent] = []
  private var synced = 0
  private let clock: any TimeSource
  private let diesAt: Int?
  private let life: MortalCentral.Life
  private let watch: @Sendable (RunEvent) async -> Void

  /// - Parameter diesAt: the number of the event with which the process dies: it is the last that is written.
  init(
    clock: any TimeSource, diesAt: Int?, life: MortalCentral.Life,
    watch: @escaping @Sendable (RunEvent) async -> Void = { _ in }
  ) {
    self.watch = watch
    self.clock = clock
    self.diesAt = diesAt
    self.life = life
  }

  func record(_ batch: [RunEvent]) async throws(RecordFailure) {
    guard life.isAlive else { throw RecordFailure("dead") }
    let isSynced = batch.contains { $0.fact.durability == .synced }
    for event in batch {
      events.append(event)
      await watch(event)
      if event.sequence == diesAt {
        life.end()
        throw RecordFailure("killed")
      }
    }
    if isSynced {
      // Longer than a write takes to reach a sensor: who does not wait for the disk is found out.
      try? await clock.sleep(for: .milliseconds(60))
      guard life.isAlive else { throw RecordFailure("killed") }
      synced = events.count
    }
  }

  /// What is on the disk afterwards.
  /// - Parameter part: how much is left of what was not synced, 0…1.
  func survivors(_ part: Double) -> [RunEvent] {
    guard !life.isAlive else { return events }
    return Array(events.prefix(synced + Int((Double(events.count - synced) * part).rounded())))
  }
}
