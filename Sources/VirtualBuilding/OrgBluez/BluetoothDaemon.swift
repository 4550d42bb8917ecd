import Bluetooth
import DBus
import Waiting

/// One run of bluetoothd, from taking the name `org.bluez` to losing it.
///
/// It runs on the bus connection's loop, so that state changes, signals and replies have the same order.
/// Controllers, links and radio timing belong to the world; the behaviour of bluetoothd itself is here.
actor BluetoothDaemon {
  nonisolated let connection: Connection
  nonisolated let clock: any TimeSource
  let world: World
  let tasks = BackgroundTasks()

  var tree = ExportedObjects()
  var adapters: [BluetoothAddress: AdapterRecord] = [:]
  var storage: Storage
  var agents = Agents()
  var random: SeededGenerator
  /// Links whose end was reported before their start.
  var endedLinks: Set<LinkID> = []
  var followUps: [CallID: [BackgroundTasks.Work]] = [:]
  /// Links that the daemon itself ends; the task that ends them signals it.
  var takenDown: Set<LinkID> = []
  /// Deliberate misbehaviour; nil for none.
  let misconduct: Misconduct?
  var calls = 0
  private var hasBegun = false

  /// The stored data by adapter and device. It outlives the daemon.
  typealias Storage = [BluetoothAddress: [BluetoothAddress: StoredDevice]]

  nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

  /// Creates a daemon with the stored data of an earlier one.
  init(
    connection: Connection, world: World, clock: any TimeSource, storage: Storage, random: SeededGenerator,
    misconduct: Misconduct? = nil
  ) {
    self.misconduct = misconduct
    self.connection = connection
    self.world = world
    self.clock = clock
    self.storage = storage
    self.random = random
  }

  /// Serves until it is cancelled or the bus is gone.
  /// - Parameters:
  ///   - beginning: How much of the start is visible.
  ///   - serving: Called when the name is acquired and all objects are exported.
  func run(
    _ beginning: Beginning, serving: @escaping @Sendable () async -> Void
  ) async throws(DBusError) {
    if beginning == .unseen {
      addManager()
      for adapter in await world.adapters() { addAdapter(adapter) }
      hasBegun = true
    }
    let (events, eventSource) = AsyncStream<HostEvent>.makeStream()
    let attachment = await world.attach { eventSource.yield($0) }
    // No client can have received a signal yet.
    _ = tree.takeSignals()
    await connection.export("/", answered: { [weak self] call in self?.assumeIsolated { $0.answered(call) } })
    {
      [weak self] call in
      await self?.answerOrMisbehave(call) ?? .failure(BlueZFailure.unknownObject(call))
    }
    let (departures, source) = AsyncStream<BusName>.makeStream()
    try await connection.subscribe(
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
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.connection.serve() }
      group.addTask {
        if beginning != .unseen { await self.begin(beginning) }
        await serving()
        // Its end does not end the daemon.
        await OneShot<Void>().value()
      }
      group.addTask { await self.tasks.run() }
      group.addTask { for await name in departures { await self.clientLeft(name) } }
      group.addTask { for await event in events { await self.take(event) } }
      // `serve` ends with the connection, and the daemon with it.
      await group.next()
      group.cancelAll()
    }
    await world.detach(attachment)
  }

  enum Beginning {
    /// Before any client is on the bus.
    case unseen
    /// After a killed daemon: the adapters are still powered.
    case afterKill
    /// After an orderly stop: the adapters must be switched on.
    case afterStop
  }

  private func addManager() {
    tree.add("/org/bluez", [.init(BlueZInterfaces.agentManager)])
  }

  /// Recorded traces: the name comes first, then the manager, then the adapters with their stored devices.
  private func begin(_ beginning: Beginning) async {
    await pause(random.duration(in: DaemonTiming.start))
    addManager()
    emit()
    await pause(random.duration(in: DaemonTiming.startOfAdapters))
    for adapter in await world.adapters() where adapters[adapter.address] == nil {
      if beginning == .afterKill { addAdapter(adapter) } else { comeUp(adapter) }
    }
    hasBegun = true
    emit()
  }

  /// Handles an event of the kernel.
  private func take(_ event: HostEvent) {
    defer { emit() }
    switch event {
    case .advertisement(let report): receive(report)
    case .linkUp(let link, let adapter, let address):
      linkIsUp(link, DeviceID(adapter: adapter, address: address))
    case .linkDown(let link, let end): if !takenDown.contains(link) { linkIsDown(link, end.cause) }
    case .notification(let link, let handle, let notification): notified(link, handle, notification.value)
    // The initial adapters are not a change.
    case .adapters(let adapters): if hasBegun { adaptersChanged(adapters) }
    case .stack: break
    }
  }

  /// Sends signals for all changes since the last time.
  func emit() {
    let signals = tree.takeSignals()
    if !signals.isEmpty { emit(signals) }
  }

  func emit(_ signals: [DBus.Signal]) {
    connection.assumeIsolated { connection in
      // If a signal cannot be sent, the connection is gone.
      for signal in signals { try? connection.emit(signal) }
    }
  }

  /// docs/internals/bluez.md, "Discovery": a client's discovery ends when it leaves the bus. So do its notifications,
  /// its agent, and the link that it pairs over.
  private func clientLeft(_ client: BusName) async {
    agents.forget(client)
    for device in devices {
      stopNotifications(for: client, from: device)
      if self[device]?.pairsFor == client { abandonPairing(device) }
    }
    emit()
    for address in adapters.keys.sorted() where adapters[address]?.sessions.contains(client) == true {
      let before = adapters[address]?.sessions.merged
      adapters[address]?.sessions.forget(client)
      await discoverySessionsChanged(on: address, since: before)
    }
  }

  // MARK: Helpers

  nonisolated var version: BlueZVersion { world.scenario.bluez }

  /// All devices of all adapters, in order.
  var devices: [DeviceID] {
    adapters.flatMap { adapter in
      adapter.value.devices.keys.map { DeviceID(adapter: adapter.key, address: $0) }
    }.sorted()
  }

  subscript(id: DeviceID) -> DeviceRecord? {
    get { adapters[id.adapter]?.devices[id.address] }
    set { adapters[id.adapter]?.devices[id.address] = newValue }
  }

  /// Waits.
  /// - Returns: False if the task was cancelled in the meantime.
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

/// The times that bluetoothd needs in addition to the radio; measured (docs/internals/bluez.md).
enum DaemonTiming {
  /// From the reply to a call that changes an adapter to the signal of the change ("`Discovering: true`
  /// follows").
  static let signalDelay = Duration.milliseconds(2)...(.milliseconds(10))
  /// From the end of a link that was requested, and the reply, to `Connected: false` (recorded traces: 10
  /// ms).
  static let endFollows = Duration.milliseconds(5)...(.milliseconds(12))
  /// How long a link that is not established appears to be up (recorded traces: 240 ms of 470 ms). The rest,
  /// and so the time of the reply, is `RadioParameters.connectFailure`.
  static let failedLink = Duration.milliseconds(70)
  /// From a write without response to its reply ("0.12 s (0.08–0.14)").
  static let command = Duration.milliseconds(80)...(.milliseconds(140))
  /// The time to switch an adapter on, and off (recorded traces).
  static let powerOn = Duration.milliseconds(95)...(.milliseconds(130))
  static let powerOff = Duration.milliseconds(30)...(.milliseconds(50))
  /// From then to the reply.
  static let powerSettles = Duration.milliseconds(15)
  /// From taking the name to the first object, and from there to the adapters (recorded traces).
  static let start = Duration.milliseconds(280)...(.milliseconds(380))
  static let startOfAdapters = Duration.milliseconds(130)...(.milliseconds(280))
  /// The steps of an orderly stop (recorded traces): until the power is off, the managers are removed, the
  /// objects are removed, and the name is released.
  static let stopOfPower = Duration.milliseconds(150)...(.milliseconds(220))
  static let stopOfManagers = Duration.milliseconds(60)...(.milliseconds(90))
  static let stopOfObjects = Duration.milliseconds(70)...(.milliseconds(120))
  static let stopOfName = Duration.milliseconds(40)...(.milliseconds(60))
  /// The time to delete a device's file (recorded traces).
  static let forgetting = Duration.milliseconds(20)...(.milliseconds(40))
  /// How much longer than 30 s a temporary object lives after it was last received ("30.4–30.8 s").
  static let temporaryLifeExtra = Duration.milliseconds(400)...(.milliseconds(800))
  /// From unplugging an adapter until its last object is removed (recorded traces: 50 ms).
  static let unplug = Duration.milliseconds(40)...(.milliseconds(80))
}
