import Bluetooth
import DBus
import VirtualTime
import Waiting

/// One life of bluetoothd: from taking the name `org.bluez` to losing it.
///
/// It runs on the bus connection's loop, so that what it decides, tells and answers goes out in that order. What
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
  var followUps: [CallID: [BackgroundTasks.Work]] = [:]
  /// Links that we end ourselves; who does tells of it.
  var takenDown: Set<LinkID> = []
  /// How it misbehaves; nil: it does not. And how many calls there were.
  let misconduct: Misconduct?
  var calls = 0
  private var hasBegun = false

  /// What is on disk, by adapter and device; it outlives the daemon.
  typealias Storage = [BluetoothAddress: [BluetoothAddress: StoredDevice]]

  nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

  /// A daemon that starts on what an earlier one left on disk.
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
  ///   - beginning: how much there is to be seen of its start.
  ///   - serving: called once the name is ours, and everything that is there is an object.
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
    // Nobody can have been told anything yet.
    _ = tree.takeSignals()
    await connection.export("/", answered: { [weak self] call in self?.assumeIsolated { $0.answered(call) } })
    {
      [weak self] call in
      await self?.answerOrMisbehave(call) ?? .failure(BlueZFailure.unknownObject(call))
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
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.connection.serve() }
      group.addTask {
        if beginning != .unseen { await self.begin(beginning) }
        await serving()
        // Its end is not the daemon's.
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

  /// How a life begins.
  enum Beginning {
    /// Before anybody was there to see it.
    case unseen
    /// After one that was killed: the adapters still have power.
    case afterKill
    /// After one that was stopped in order: the adapters have to be switched on.
    case afterStop
  }

  private func addManager() {
    tree.add("/org/bluez", [.init(BlueZInterfaces.agentManager)])
  }

  /// Recorded traces: the name comes first, then the manager, then the adapters with the devices they know.
  private func begin(_ beginning: Beginning) async {
    await pause(random.duration(in: DaemonTiming.start))
    addManager()
    tell()
    await pause(random.duration(in: DaemonTiming.startOfAdapters))
    for adapter in await world.adapters() where adapters[adapter.address] == nil {
      if beginning == .afterKill { addAdapter(adapter) } else { comeUp(adapter) }
    }
    hasBegun = true
    tell()
  }

  /// What comes up from the kernel.
  private func take(_ event: HostEvent) {
    defer { tell() }
    switch event {
    case .advertisement(let report): hear(report)
    case .linkUp(let link, let adapter, let address):
      linkIsUp(link, DeviceID(adapter: adapter, address: address))
    case .linkDown(let link, let end): if !takenDown.contains(link) { linkIsDown(link, end.cause) }
    case .notification(let link, let handle, let notification): notified(link, handle, notification.value)
    // The adapters of the beginning are not news.
    case .adapters(let adapters): if hasBegun { adaptersChanged(adapters) }
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

  /// docs/bluez.md, "Discovery": what a client had going ends with it; so do its notifications and its agent.
  private func clientLeft(_ client: BusName) async {
    agents[client] = nil
    for device in devices { stopNotifications(for: client, from: device) }
    tell()
    for address in adapters.keys.sorted() where adapters[address]?.sessions.contains(client) == true {
      let before = adapters[address]?.sessions.merged
      adapters[address]?.sessions.forget(client)
      await discoverySessionsChanged(on: address, since: before)
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

/// What bluetoothd takes its time for, over and above what the radio takes; measured (docs/bluez.md).
enum DaemonTiming {
  /// From the answer to what changes an adapter to the news of it ("`Discovering: true` follows").
  static let newsFollows = Duration.milliseconds(2)...(.milliseconds(10))
  /// From the end of a link that we asked for, and the answer, to `Connected: false` (recorded traces: 10 ms).
  static let endFollows = Duration.milliseconds(5)...(.milliseconds(12))
  /// How long a link seems to be there that is not established (recorded traces: 240 ms of 470; the rest of these, and
  /// so the moment of the answer, is `RadioParameters.connectFailure`).
  static let failedLink = Duration.milliseconds(70)
  /// A write without response, to its answer ("0.12 s (0.08–0.14)").
  static let command = Duration.milliseconds(80)...(.milliseconds(140))
  /// Switching an adapter on, and off (recorded traces).
  static let powerOn = Duration.milliseconds(95)...(.milliseconds(130))
  static let powerOff = Duration.milliseconds(30)...(.milliseconds(50))
  /// And from there to the answer.
  static let powerSettles = Duration.milliseconds(15)
  /// From taking the name to having the first object, and from there to the adapters (recorded traces).
  static let start = Duration.milliseconds(280)...(.milliseconds(380))
  static let startOfAdapters = Duration.milliseconds(130)...(.milliseconds(280))
  /// The stages of an orderly end (recorded traces): until the power is gone, until the managers are, until the objects
  /// are, and until the name is.
  static let stopOfPower = Duration.milliseconds(150)...(.milliseconds(220))
  static let stopOfManagers = Duration.milliseconds(60)...(.milliseconds(90))
  static let stopOfObjects = Duration.milliseconds(70)...(.milliseconds(120))
  static let stopOfName = Duration.milliseconds(40)...(.milliseconds(60))
  /// Forgetting a device, whose file has to be deleted (recorded traces).
  static let forgetting = Duration.milliseconds(20)...(.milliseconds(40))
  /// How much longer than 30 s a temporary object lives after it was last heard ("30.4–30.8 s").
  static let temporaryLifeExtra = Duration.milliseconds(400)...(.milliseconds(800))
  /// From unplugging an adapter until its last object is gone (recorded traces: 50 ms).
  static let unplug = Duration.milliseconds(40)...(.milliseconds(80))
}
