public import Bluetooth
public import DBus
import EventLoop
import Waiting

/// `Central` over BlueZ's `org.bluez`, on whichever bus it is.
///
/// It lives on the loop of its bus connection, and keeps a copy of BlueZ's objects in the order of the wire:
/// signals are taken in synchronously, before anything that was answered after them. It has no background
/// work: what must be asked of BlueZ is asked by whoever needs it (`ready`), so there is nothing to run,
/// and `close` ends everything.
///
/// It never removes, disconnects or changes what its user has paired, trusted or blocked.
public actor BlueZCentral: Central {
  nonisolated let connection: Connection
  nonisolated let clock: any TimeSource

  /// The loop of the connection.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated let executor: LoopExecutor

  /// What we know of the daemon.
  enum Stack: Hashable {
    /// It may be there; its objects have to be asked for.
    case unasked
    /// It is there, and `tree` is a true copy of its objects.
    case present
    /// The bus is gone, and with it everything.
    case busLost
  }

  private(set) var stack = Stack.unasked

  /// Whether the connection to the bus has ended: nothing can be asked of this central any more.
  var hasLostBus: Bool { stack == .busLost }

  private(set) var tree = ObjectTree()

  var news: [ObjectPath: DeviceNews] = [:]
  var cleanSlates = CleanSlates()
  var discoveries: [ObjectPath: Discovery] = [:]
  /// What other clients discover.
  var foreignScans = ForeignScans()
  /// Devices that we are connecting to, and whether they have been connected meanwhile.
  var attempts: [ObjectPath: Bool] = [:]
  /// Links that BlueZ has been asked to end, by device, and since when.
  var endings: [ObjectPath: MonotonicInstant] = [:]
  /// Devices that BlueZ was asked to forget, and since when: it may answer before it removes the object.
  var removals: [ObjectPath: MonotonicInstant] = [:]
  /// Links that are up, by device.
  var links: [ObjectPath: BlueZPeripheral] = [:]
  /// Links that have just ended; what they stood on may go now.
  private var ended: [BlueZPeripheral] = []
  /// Counts the discovery filters that were set, from 1 to 8 and again.
  var filtersSet: Int16 = 0
  var lastNumber: UInt64 = 0

  /// Fired by every change to the stack, to an adapter, to a device, or to the state of a discovery.
  private var waiters: [ObjectPath: Waiters] = [:]
  /// Counts the changes of the list of adapters.
  private(set) var adapterGeneration: UInt64 = 0

  init(connection: Connection, clock: any TimeSource) {
    self.connection = connection
    self.clock = clock
    executor = connection.executor
  }

  /// Connects to the bus and subscribes to BlueZ. The daemon need not run yet: operations throw
  /// `stackUnavailable` until it does, and `adapterChanges` tells when it has come.
  /// - Parameters:
  ///   - bus: where BlueZ is: `.system`, or the address of another bus.
  ///   - clock: the clock of all instants and of all waiting.
  /// - Throws: `busUnavailable`; `timedOut` when the bus does not answer; `permissionDenied` when the bus does not let us speak to it or to BlueZ.
  public static func open(
    bus: BusAddress, clock: any TimeSource
  ) async throws(CentralError) -> BlueZCentral {
    let connection: Connection
    do throws(DBusError) {
      connection = try await Connection.open(bus)
    } catch {
      throw openingError(error)
    }
    let central = BlueZCentral(connection: connection, clock: clock)
    do throws(CentralError) {
      try await central.subscribe()
      do throws(CentralError) {
        try await central.ready()
      } catch  where error.code == .stackUnavailable || error.code == .timedOut {
        // It may come, or answer, later.
      }
    } catch {
      await connection.close()
      throw error
    }
    return central
  }

  /// Leaves the bus. Links and discoveries end, as BlueZ sees to for a client that goes; what is still waiting
  /// here ends with `busUnavailable` or `disconnected`.
  public func close() async {
    busLost()
    await connection.close()
  }

  /// The bus's refusal and its silence are told apart; every other reason means that it is not there for us.
  private static func openingError(_ error: DBusError) -> CentralError {
    let named = ErrorTable.error(error.name, error.message, during: .adapter)
    let isTold = named.code == .permissionDenied || named.code == .timedOut
    let code = isTold ? named.code : .busUnavailable
    return CentralError(code, stackText: named.stackText)
  }
}

// MARK: Keeping the copy

extension BlueZCentral {
  /// The daemon's signals, and the bus's word on who it is. Before the first snapshot, so that nothing falls
  /// between the two.
  private func subscribe() async throws(CentralError) {
    await connection.onClose { [weak self] in
      self?.assumeIsolated { $0.busLost() }
    }
    let rules = [
      MatchRule(
        sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
        arg0: Name.service.text),
      MatchRule(
        sender: Name.service, interface: Name.Interface.objectManager, member: Name.Member.interfacesAdded),
      MatchRule(
        sender: Name.service, interface: Name.Interface.objectManager, member: Name.Member.interfacesRemoved),
      MatchRule(
        sender: Name.service, interface: Name.Interface.properties, member: Name.Member.propertiesChanged),
    ]
    do throws(DBusError) {
      for rule in rules {
        _ = try await connection.subscribe(rule) { [weak self] signal in
          // Handlers run on the connection's thread, which is this actor's executor.
          self?.assumeIsolated { $0.take(signal) }
        }
      }
    } catch {
      throw central(error, during: .adapter)
    }
  }

  private func take(_ signal: Signal) {
    if signal.member == "NameOwnerChanged" {
      ownerChanged(signal)
    } else if let change = ObjectTree.Change(signal) {
      take(change)
    }
  }

  /// One step from the copy as it was to the copy as it is, and everything that follows from it.
  func take(_ change: ObjectTree.Change) {
    // Most signals are about devices, and come by the hundred.
    let adaptersBefore = change.isOfAdapter ? tree.adapters : nil
    tree.apply(change)
    switch change {
    case .added(let path, let interfaces):
      if interfaces[Name.Interface.device] != nil { deviceAdded(path) }
      wake(path)
    case .removed(let path, let interfaces):
      if interfaces.contains(Name.Interface.device) { deviceRemoved(path) }
      wake(path)
    case .changed(let path, let interface, let changed, _):
      switch interface {
      case Name.Interface.device: deviceChanged(path, changed)
      case Name.Interface.gattCharacteristic: characteristicChanged(path, changed)
      default: break
      }
      wake(path)
    case .snapshot, .ownerLost:
      break
    }
    if let adaptersBefore, tree.adapters != adaptersBefore { adaptersChanged() }
    if change.isOfAdapter { scansChanged() }
  }

  private func ownerChanged(_ signal: Signal) {
    guard stack != .busLost, signal.body.count == 3, signal.body[0].asString == Name.service.text else {
      return
    }
    // Also when one daemon takes over from another at once: none of the first one's objects are left.
    stack = .unasked
    tree.apply(.ownerLost)
    everythingLost(CentralError(.stackUnavailable, stackText: "org.bluez has left the bus"))
  }

  /// The bus is gone, or we are leaving it.
  func busLost() {
    guard stack != .busLost else { return }
    stack = .busLost
    tree.apply(.ownerLost)
    everythingLost(CentralError(.busUnavailable, stackText: "the connection to the bus has ended"))
  }

  private func everythingLost(_ error: CentralError) {
    news = [:]
    removals = [:]
    for path in links.keys.sorted() { linkEnded(path, .stackLost) }
    for link in ended { link.assumeIsolated { $0.lost(.stackLost) } }
    ended = []
    endDiscoveries { _ in error }
    scansChanged()
    adapterGeneration += 1
    wakeEverybody()
  }

  /// A link is down.
  func linkEnded(_ path: ObjectPath, _ cause: Disconnection.Cause) {
    guard let link = links.removeValue(forKey: path) else { return }
    link.assumeIsolated { $0.ended(cause) }
    ended.removeAll { $0.assumeIsolated { $0.isSettled } }
    ended.append(link)
  }

  /// An adapter has come, gone, or changed its state: what stood on it falls with it.
  private func adaptersChanged() {
    adapterGeneration += 1
    for path in links.keys.sorted() where trouble(at: path.parent) != nil { linkEnded(path, .adapterLost) }
    for link in ended where trouble(at: link.path.parent) != nil {
      link.assumeIsolated { $0.lost(.adapterLost) }
    }
    endDiscoveries { trouble(at: $0).map { CentralError(.adapterUnavailable($0)) } }
    wakeEverybody()
  }
}

// MARK: Asking

extension BlueZCentral {
  /// Returns when the copy of BlueZ's objects is true, asking for them if it has to.
  /// - Throws: `busUnavailable`, `stackUnavailable`, `permissionDenied`, `timedOut`.
  func ready() async throws(CentralError) {
    while stack != .present {
      guard stack != .busLost else { throw CentralError(.busUnavailable) }
      try await takeSnapshot()
    }
  }

  private func takeSnapshot() async throws(CentralError) {
    let answer = try await call(Name.root, Name.Interface.objectManager, Name.Member.getManagedObjects)
    guard let snapshot = ObjectTree.Change(managedObjects: answer) else {
      throw CentralError(.other, stackText: "GetManagedObjects was answered with something else")
    }
    // The answer is seen in its place among the signals: what came before is in it, what comes after is not.
    guard stack == .unasked else { return }
    stack = .present
    tree.apply(snapshot)
    for adapter in tree.adapterPaths {
      for device in tree.devices(under: adapter) where news[device] == nil { news[device] = .remembered }
    }
    adaptersChanged()
    scansChanged()
  }

  /// Calls a method of BlueZ's.
  /// - Parameter timeout: nil waits for as long as BlueZ takes.
  func call(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ body: [DBusValue] = [],
    during operation: ErrorTable.Operation = .adapter, timeout: Duration? = Connection.patience
  ) async throws(CentralError) -> [DBusValue] {
    let call = MethodCall(
      destination: Name.service, path: path, interface: interface, member: member, body: body)
    do throws(DBusError) {
      return try await connection.call(call, timeout: timeout)
    } catch {
      throw central(error, during: operation)
    }
  }

  private func central(_ error: DBusError, during operation: ErrorTable.Operation) -> CentralError {
    switch error.kind {
    case .remote, .cannotConnect:
      return ErrorTable.error(error.name, error.message, during: operation)
    case .timedOut:
      return CentralError(.timedOut, stackText: error.description)
    case .cancelled:
      return CentralError(.cancelled)
    case .disconnected:
      busLost()
      return CentralError(.busUnavailable, stackText: error.description)
    case .badMessage, .nameTaken, .overloaded:
      return CentralError(.other, stackText: error.description)
    }
  }
}

// MARK: Waiting

extension BlueZCentral {
  /// Waits for the next change of an object or of what is below it, of the adapters (at `/`), or of the stack;
  /// or until the task is cancelled.
  func change(of path: ObjectPath) async {
    let changed = waiters[path, default: Waiters()].add()
    await changed.value()
    waiters[path]?.remove(changed)
    if waiters[path]?.isEmpty == true { waiters[path] = nil }
  }

  /// Wakes who waits for an object or for one above it. Those who wait at the root wait for adapters, and are
  /// woken for these alone.
  func wake(_ path: ObjectPath) {
    guard !waiters.isEmpty else { return }
    waiters[path]?.endAll()
    var above = path.parent
    while let path = above, path != Name.root {
      waiters[path]?.endAll()
      above = path.parent
    }
  }

  private func wakeEverybody() {
    for path in waiters.keys.sorted() { waiters[path]?.endAll() }
  }

  /// A number that was not used before.
  func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }
}
