import Bluetooth
import Synchronization
import VirtualBuilding
import Waiting

/// Distributes the host's events to the tasks that wait for them, and records which peripherals were
/// received.
final class Switchboard: Sendable {
  typealias ListenerID = UInt64
  typealias SubscriberID = UInt64
  private typealias Values = AsyncStream<CharacteristicNotification>.Continuation
  private typealias Changes = AsyncStream<[Adapter]>.Continuation

  /// The capacity of a notification buffer; on overflow the oldest notifications are dropped.
  private static let notificationsKept = 256

  private struct Listener {
    var id: ListenerID
    var adapter: BluetoothAddress
    var source: AdvertisementStream.Source
  }

  private struct Subscriber {
    var id: SubscriberID
    var handle: AttributeHandle
    var values: Values
  }

  private struct State {
    var lastID: UInt64 = 0
    var adapters: [Adapter] = []
    var listeners: [BluetoothAddress: [Listener]] = [:]
    var subscribers: [LinkID: [Subscriber]] = [:]
    /// How the links of a host behind a network ended, as far as that has arrived.
    var ends: [LinkID: OneShot<Disconnection>] = [:]
    var changes: [(id: UInt64, continuation: Changes)] = []
    /// When each peripheral was last received, and whether it takes connections.
    var received: [CacheKey: (at: MonotonicInstant, isConnectable: Bool)] = [:]
    var stoppedScanning: [BluetoothAddress: MonotonicInstant] = [:]

    /// All scans, in order of registration.
    var allListeners: [Listener] { listeners.values.joined().sorted { $0.id < $1.id } }

    func isScanning(_ adapter: BluetoothAddress) -> Bool { listeners[adapter]?.isEmpty == false }

    mutating func newID() -> UInt64 {
      lastID += 1
      return lastID
    }
  }

  private let host: HostName?
  private let network: VirtualNetwork?
  private let clock: any TimeSource
  private let objectLifetime: Duration
  private let state = Mutex(State())

  init(of host: HostName?, through network: VirtualNetwork?, clock: any TimeSource, objectLifetime: Duration)
  {
    self.host = host
    self.network = network
    self.clock = clock
    self.objectLifetime = objectLifetime
  }

  // MARK: From the world

  func take(_ event: HostEvent) {
    switch event {
    case .advertisement(let report): received(report)
    case .notification(let link, let handle, let notification):
      let values = state.withLock { state in
        state.subscribers[link, default: []].filter { $0.handle == handle }.map(\.values)
      }
      let arrived = CharacteristicNotification(value: notification.value, receivedAt: clock.now)
      for continuation in values { continuation.yield(arrived) }
    case .linkUp(let link, _, _):
      if network != nil { state.withLock { $0.ends[link] = OneShot() } }
    case .linkDown(let link, let end):
      let (values, ends) = state.withLock { state in
        ((state.subscribers.removeValue(forKey: link) ?? []).map(\.values), state.ends[link])
      }
      for continuation in values { continuation.finish() }
      ends?.fulfill(Disconnection(cause: end.cause, at: clock.now))
    case .adapters(let adapters): adaptersChanged(adapters)
    case .stack(let isRunning): if !isRunning { stackStopped() }
    }
  }

  private func received(_ report: AdvertisingReport) {
    let listeners = state.withLock { state in
      state.received[CacheKey(adapter: report.adapter, address: report.address)] = (
        report.receivedAt, report.payload.isConnectable
      )
      return state.listeners[report.adapter] ?? []
    }
    let advertisement = Advertisement(
      address: report.address, adapter: AdapterID(report.adapter, on: host),
      receivedAt: network?.counted(report.receivedAt) ?? report.receivedAt,
      rssi: report.rssi, localName: report.payload.localName, serviceUUIDs: report.payload.serviceUUIDs,
      manufacturerData: report.payload.manufacturerData, serviceData: report.payload.serviceData)
    for listener in listeners { listener.source.yield(advertisement) }
  }

  private func adaptersChanged(_ virtual: [VirtualAdapter]) {
    let adapters = virtual.map { Adapter($0, on: host) }
    let (changes, orphans) = state.withLock { state in
      let hasChanged = state.adapters != adapters
      state.adapters = adapters
      let ready = adapters.filter { $0.state == .ready }.map(\.id.address)
      return (
        hasChanged ? state.changes.map(\.continuation) : [],
        state.allListeners.filter { !ready.contains($0.adapter) }
      )
    }
    for continuation in changes { continuation.yield(adapters) }
    for listener in orphans {
      let adapter = adapters.first { $0.id.address == listener.adapter }
      let problem: CentralError.AdapterProblem =
        switch adapter?.state {
        case nil: .absent
        case .blocked: .blocked
        case .poweredOff, .ready: .poweredOff
        }
      listener.source.finish(
        throwing: CentralError(.adapterUnavailable(problem), stackText: "virtual: adapter lost"))
    }
  }

  private func stackStopped() {
    state.withLock { $0.received = [:] }
    endScans(CentralError(.stackUnavailable, stackText: "virtual: stopped"))
  }

  private func endScans(_ error: CentralError) {
    for listener in state.withLock({ $0.allListeners }) { listener.source.finish(throwing: error) }
  }

  /// The connection to the host is lost: nothing more arrives from it.
  func lose(_ error: CentralError) {
    endScans(error)
    let (values, ends) = state.withLock { state in
      defer { (state.subscribers, state.ends) = ([:], [:]) }
      return (
        state.subscribers.values.joined().sorted { $0.id < $1.id }.map(\.values),
        state.ends.sorted { $0.key < $1.key }.map(\.value)
      )
    }
    for continuation in values { continuation.finish() }
    for end in ends { end.fulfill(Disconnection(cause: .stackLost, at: clock.now)) }
    adaptersChanged([])
  }

  // MARK: For the central

  /// The end of a link that is reported through a network; nil without one.
  func end(of link: LinkID) -> OneShot<Disconnection>? {
    guard let network else { return nil }
    return state.withLock { state in
      if let end = state.ends[link] { return end }
      let end = OneShot<Disconnection>()
      if network.isUp {
        // The link is older than this central.
        state.ends[link] = end
      } else {
        end.fulfill(Disconnection(cause: .stackLost, at: clock.now))
      }
      return end
    }
  }

  func adapterChanges() -> AsyncStream<[Adapter]> {
    let (stream, continuation) = AsyncStream<[Adapter]>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      let id = state.newID()
      state.changes.append((id, continuation))
      // Under the lock, so that this list cannot arrive after a later change.
      continuation.yield(state.adapters)
      return id
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.changes.removeAll { $0.id == id } }
    }
    return stream
  }

  func addListener(_ source: AdvertisementStream.Source, on adapter: AdapterID) -> ListenerID {
    state.withLock { state in
      let id = state.newID()
      state.listeners[adapter.address, default: []].append(
        Listener(id: id, adapter: adapter.address, source: source))
      return id
    }
  }

  /// Returns true if it was the adapter's last listener.
  func removeListener(_ id: ListenerID, on adapter: AdapterID) -> Bool {
    let now = clock.now
    return state.withLock { state in
      state.listeners[adapter.address]?.removeAll { $0.id == id }
      let isLast = !state.isScanning(adapter.address)
      guard isLast else { return false }
      state.stoppedScanning[adapter.address] = now
      // docs/internals/bluez.md, trap 68.
      state.received = state.received.filter { $0.key.adapter != adapter.address || $0.value.isConnectable }
      return true
    }
  }

  /// Whether the stack still has an object for a peripheral: it was received, and discovery is running or
  /// stopped recently.
  func knows(_ address: BluetoothAddress, on adapter: AdapterID) -> Bool {
    let now = clock.now
    return state.withLock { state in
      guard let received = state.received[CacheKey(adapter: adapter.address, address: address)]?.at else {
        return false
      }
      if state.isScanning(adapter.address) { return true }
      let since = max(received, state.stoppedScanning[adapter.address] ?? received)
      return since.duration(to: now) < objectLifetime
    }
  }

  /// Removes a peripheral. Returns whether it was received.
  @discardableResult
  func forget(_ address: BluetoothAddress, on adapter: AdapterID) -> Bool {
    let key = CacheKey(adapter: adapter.address, address: address)
    return state.withLock { $0.received.removeValue(forKey: key) != nil }
  }

  func subscribe(
    to handle: AttributeHandle, over link: LinkID
  ) -> (AsyncStream<CharacteristicNotification>, SubscriberID) {
    let (stream, values) = AsyncStream<CharacteristicNotification>.makeStream(
      bufferingPolicy: .bufferingNewest(Self.notificationsKept))
    let id = state.withLock { state in
      let id = state.newID()
      state.subscribers[link, default: []].append(Subscriber(id: id, handle: handle, values: values))
      return id
    }
    values.onTermination = { [weak self] _ in self?.unsubscribe(id, from: link) }
    return (stream, id)
  }

  func unsubscribe(_ id: SubscriberID, from link: LinkID) {
    state.withLock { $0.subscribers[link]?.removeAll { $0.id == id } }
  }
}
