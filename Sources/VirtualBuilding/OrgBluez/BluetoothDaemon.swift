import Bluetooth
import DBus
import VirtualTime

/// One life of bluetoothd: from taking the name `org.bluez` to losing it.
///
/// It runs on the bus connection's own thread, so that what it decides, tells and answers goes out in that order. What
/// lies below it (controllers, links, what the radio costs) is the world's; what is here is bluetoothd's own.
actor BluetoothDaemon {
  nonisolated let connection: Connection
  nonisolated let clock: any TimeSource
  let world: World
  let tasks = BackgroundTasks()

  var tree = ObjectTree()
  var adapters: [BluetoothAddress: AdapterRecord] = [:]
  var storage: Storage
  var agents: [BusName: ObjectPath] = [:]
  var random: SeededGenerator
  /// Links whose end came to our ears before their beginning did.
  var endedLinks: Set<LinkID> = []
  private var lastNumber = 0

  /// What is on disk, by adapter and device; it outlives the daemon.
  typealias Storage = [BluetoothAddress: [BluetoothAddress: StoredDevice]]

  nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

  /// A daemon that starts on what an earlier one left on disk.
  init(connection: Connection, world: World, clock: any TimeSource, storage: Storage, random: SeededGenerator)
  {
    self.connection = connection
    self.world = world
    self.clock = clock
    self.storage = storage
    self.random = random
  }

  /// Serves until it is cancelled or the bus is gone.
  /// - Parameter serving: called once the name is ours.
  func run(serving: @Sendable () async -> Void) async throws(DBusError) {
    tree.add("/org/bluez", [.init(BlueZInterfaces.agentManager)])
    for adapter in await world.adapters() { addAdapter(adapter) }
    let (events, eventSource) = AsyncStream<HostEvent>.makeStream()
    let attachment = await world.attach { eventSource.yield($0) }
    // Nobody can have been told anything yet.
    _ = tree.takeSignals()
    await connection.export("/") { [weak self] call in
      await self?.answer(call) ?? .failure(BlueZFailure.unknownObject(call))
    }
    let (departures, source) = AsyncStream<BusName>.makeStream()
    _ = try await connection.subscribe(
      MatchRule(
        sender: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
        member: "NameOwnerChanged")
    ) { signal in
      if let name = signal.body.first?.asString.flatMap({ BusName($0) }), name.isUnique,
        signal.body.last?.asString == ""
      {
        source.yield(name)
      }
    }
    try await connection.requestName("org.bluez")
    await serving()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.connection.serve() }
      group.addTask { await self.tasks.run() }
      group.addTask { for await name in departures { await self.clientLeft(name) } }
      group.addTask { for await event in events { await self.take(event) } }
      // `serve` ends with the connection, and the daemon with it.
      await group.next()
      group.cancelAll()
    }
    await world.detach(attachment)
  }

  /// What comes up from the kernel.
  private func take(_ event: HostEvent) {
    defer { tell() }
    switch event {
    case .advertisement(let report): hear(report)
    case .linkUp(let link, let adapter, let address):
      linkIsUp(link, DeviceID(adapter: adapter, address: address))
    case .linkDown(let link, _): linkIsDown(link)
    case .notification(let link, let handle, let notification): notified(link, handle, notification.value)
    case .adapters(let adapters): adaptersChanged(adapters)
    case .stack: break
    }
  }

  /// Sends what has changed since the last time.
  func tell() {
    let signals = tree.takeSignals()
    guard !signals.isEmpty else { return }
    connection.assumeIsolated { connection in
      // A signal that cannot be sent any more is of no use to anyone: the connection is gone.
      for signal in signals { try? connection.emit(signal) }
    }
  }

  /// BLUEZ.md "Discovery": what a client had going ends with it; so do its notifications and its agent.
  private func clientLeft(_ client: BusName) async {
    agents[client] = nil
    for device in devices { stopNotifications(for: client, from: device) }
    tell()
    for address in adapters.keys.sorted() where adapters[address]?.sessions.contains(client) == true {
      adapters[address]?.sessions.forget(client)
      await discoverySessionsChanged(on: address)
    }
  }

  // MARK: Small things

  /// Every device on every adapter, in order.
  var devices: [DeviceID] {
    adapters.flatMap { adapter in
      adapter.value.devices.keys.map { DeviceID(adapter: adapter.key, address: $0) }
    }.sorted()
  }

  subscript(id: DeviceID) -> DeviceRecord? {
    get { adapters[id.adapter]?.devices[id.address] }
    set { adapters[id.adapter]?.devices[id.address] = newValue }
  }

  /// A number nobody else has.
  func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Passes time.
  /// - Returns: false when the task was cancelled meanwhile.
  @discardableResult
  func pause(_ duration: Duration) async -> Bool {
    do {
      try await clock.sleep(for: duration)
      return true
    } catch {
      return false
    }
  }
}

/// What bluetoothd takes its time for, over and above what the radio takes; measured (BLUEZ.md).
enum DaemonTiming {
  /// From the answer to `StartDiscovery` to `Discovering: true` ("follows").
  static let discoveringFollows = Duration.milliseconds(2)...(.milliseconds(10))
  /// How much longer than 30 s a temporary object lives after it was last heard ("30.4–30.8 s").
  static let temporaryLifeExtra = Duration.milliseconds(400)...(.milliseconds(800))
  /// From unplugging an adapter until its last object is gone ("within 0.5 s").
  static let unplug = Duration.milliseconds(200)...(.milliseconds(450))
}
