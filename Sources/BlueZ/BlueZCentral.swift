package import Bluetooth
package import DBus
import EventLoop
package import Logging
import Waiting

/// `Central` over BlueZ's `org.bluez`, on any bus.
///
/// It runs on the loop of its bus connection and keeps a copy of BlueZ's objects in the order of the wire: a
/// signal is applied synchronously, before any reply that was sent after it. It has no background work: an
/// operation that needs BlueZ's objects requests them (`ready`), so `close` ends everything.
///
/// It never removes, disconnects or changes what the user has paired, trusted or blocked.
package actor BlueZCentral: Central {
  nonisolated let connection: Connection
  nonisolated let clock: any TimeSource
  nonisolated let log: Logger

  /// The loop of the connection.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated let executor: LoopExecutor

  /// The known facts about the daemon.
  enum Stack: Hashable {
    /// The daemon may run; its objects have not been requested yet.
    case unasked
    /// The daemon runs, and `tree` is an exact copy of its objects.
    case present
    case busLost
  }

  private(set) var stack = Stack.unasked

  /// Whether the connection to the bus has ended. No operation can succeed any more.
  var hasLostBus: Bool { stack == .busLost }

  private(set) var tree: ObjectTree
  /// How long the network to another host takes.
  private var network = RoundTrip()
  /// When the last answered call was sent: what arrives now, BlueZ sent later.
  private(set) var askedAt: MonotonicInstant

  var receivedContent: [ObjectPath: ReceivedContent] = [:]
  var cleanSlates = CleanSlates()
  var refusedRemovals = RefusedRemovals()
  var discoveries: [ObjectPath: Discovery] = [:]
  /// The adapter whose discovery was started last, and when.
  var lastStart: (path: ObjectPath, at: MonotonicInstant)?
  var foreignScans = ForeignScans()
  /// The connection attempts, by device.
  var attempts: [ObjectPath: ConnectionAttempt] = [:]
  /// The pairing in progress; its agent is registered meanwhile.
  var pairing: PairingInProgress?
  /// Links that BlueZ was asked to end, by device, and when.
  var endings: [ObjectPath: MonotonicInstant] = [:]
  /// Devices that BlueZ was asked to remove, and when. BlueZ may reply before it removes the object.
  var removals: [ObjectPath: MonotonicInstant] = [:]
  /// Links that are up, by device.
  var links: [ObjectPath: BlueZPeripheral] = [:]
  /// Links that have just ended; the cause may turn out to be the loss of their adapter or of the stack.
  private var ended: [BlueZPeripheral] = []
  /// A counter of the discovery filters, cycling from 1 to 8.
  var filtersSet: Int16 = 0
  var lastNumber: UInt64 = 0

  /// The tasks that wait for a change of the stack, an adapter, a device, or a discovery.
  private var waiters: [ObjectPath: Waiters] = [:]

  init(connection: Connection, of host: HostName?, clock: any TimeSource, log: Logger) {
    self.connection = connection
    tree = ObjectTree(of: host)
    self.log = log
    self.clock = clock
    askedAt = clock.now
    executor = connection.executor
  }

  /// Connects to the bus and subscribes to BlueZ. The daemon need not run yet: operations throw
  /// `stackUnavailable` until it does, and `adapterChanges` reports its start.
  /// - Parameters:
  ///   - bus: where BlueZ is.
  ///   - host: the computer of the bus; nil for this one.
  ///   - clock: the clock of all instants and of all waiting.
  ///   - timeout: how long the bus and BlueZ may take for a reply, unless a call has its own limit.
  ///   - log: Gets changes of the bus and of BlueZ at `warning`, of adapters at `info`, discoveries and links at `debug`, D-Bus
  ///     messages at `trace`. No entry contains a value that is written or read.
  /// - Throws: `busUnavailable`; `timedOut` when the bus does not answer; `permissionDenied` when the bus does not let us speak to it or to BlueZ; `cancelled`.
  package static func open(
    bus: BusAddress, of host: HostName? = nil, clock: any TimeSource,
    timeout: Duration = Connection.defaultTimeout, log: Logger = .silent
  ) async throws(CentralError) -> BlueZCentral {
    let connection: Connection
    do throws(DBusError) {
      connection = try await Connection.open(bus, timeout: timeout, log: log)
    } catch {
      throw openingError(error, of: host)
    }
    let central = BlueZCentral(connection: connection, of: host, clock: clock, log: log)
    do throws(CentralError) {
      try await central.subscribe()
      do throws(CentralError) {
        try await central.ready()
      } catch  where error.code == .stackUnavailable || error.code == .timedOut {
        // The daemon may start, or reply, later.
      }
    } catch {
      await connection.close()
      throw error
    }
    return central
  }

  /// Closes the connection to the bus. BlueZ then ends this client's discoveries and links. Operations in
  /// progress throw `busUnavailable` or `disconnected`.
  package func close() async {
    await connection.close()
  }

  /// The error for a failed connection: refusal and timeout have their own codes; for any other reason the
  /// bus counts as unavailable. For another host the message is that of ssh, so the name of the error is left out.
  static func openingError(_ error: DBusError, of host: HostName?) -> CentralError {
    guard error.kind != .cancelled else { return CentralError(.cancelled) }
    let named = ErrorTable.error(error.name, error.message, during: .adapter)
    let isSpecific = named.code == .permissionDenied || named.code == .timedOut
    let code = isSpecific ? named.code : .busUnavailable
    return CentralError(code, stackText: host == nil ? named.stackText : error.message)
  }
}

// MARK: The network

extension BlueZCentral {
  /// A time limit for a call or a signal of BlueZ, with what the network adds: nothing on this computer.
  func limit(_ time: Duration) -> Duration { time + (network.limit ?? .zero) }

  package func roundTrip(to host: HostName?) async -> Duration? {
    guard tree.host != nil else { return nil }
    if network.limit == nil { await ask() }
    return network.limit
  }

  /// Sends a call that BlueZ answers at once.
  func ask() async {
    let sent = clock.now
    if (try? await call(Name.root, Name.Interface.peer, Name.Member.ping)) != nil {
      network.take(sent.duration(to: clock.now))
    }
  }
}

// MARK: The copy of the objects

extension BlueZCentral {
  /// Subscribes to the daemon's signals and to changes of its owner. This happens before the first snapshot,
  /// so that no change is missed.
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
        try await connection.subscribe(rule) { [weak self] signal in
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
      ownerChanged()
    } else if let change = ObjectTree.Change(signal) {
      take(change)
    }
  }

  /// Applies one change to the copy, with all its consequences.
  func take(_ change: ObjectTree.Change) {
    // Most signals are about devices and are frequent.
    let adaptersBefore = change.isOfAdapter ? tree.adapters : nil
    tree.apply(change)
    switch change {
    case .added(let path, let interfaces):
      if let device = interfaces[Name.Interface.device] { deviceAdded(path, device) }
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

  private func ownerChanged() {
    // Also when one daemon takes over from another at once: none of the first one's objects are left.
    if stack == .present { log.warning("org.bluez left the bus, or was replaced") }
    stack = .unasked
    everythingLost(CentralError(.stackUnavailable, stackText: "org.bluez has left the bus"))
  }

  /// Handles the loss of the bus, or `close`.
  private func busLost() {
    stack = .busLost
    everythingLost(CentralError(.busUnavailable, stackText: "the connection to the bus has ended"))
  }

  private func everythingLost(_ error: CentralError) {
    tree.apply(.ownerLost)
    receivedContent = [:]
    foreignScans = ForeignScans()
    refusedRemovals = RefusedRemovals()
    removals = [:]
    for path in links.keys.sorted() { linkEnded(path, .stackLost) }
    for link in ended { link.assumeIsolated { $0.lost(.stackLost) } }
    ended = []
    endDiscoveries { _ in error }
    wakeAll()
  }

  func linkEnded(_ path: ObjectPath, _ cause: Disconnection.Cause) {
    guard let link = links.removeValue(forKey: path) else { return }
    log.debug("\(path.text): link ended (\(cause))")
    link.assumeIsolated { $0.ended(cause) }
    ended = ended.filter { !$0.assumeIsolated { $0.isSettled } } + [link]
  }

  /// The adapters with their states, for the log.
  private var adapterStates: String {
    let states = tree.adapterPaths.map { "\($0.text) \(problem(at: $0).map { "\($0)" } ?? "ready")" }
    return states.isEmpty ? "none" : states.joined(separator: ", ")
  }

  /// Handles a new, removed or changed adapter. Its links and discoveries end if it is gone.
  private func adaptersChanged() {
    log.info("adapters: \(adapterStates)")
    for path in links.keys.sorted() where problem(at: path.parent) != nil { linkEnded(path, .adapterLost) }
    for link in ended where problem(at: link.path.parent) != nil {
      link.assumeIsolated { $0.lost(.adapterLost) }
    }
    endDiscoveries { problem(at: $0).map { CentralError(.adapterUnavailable($0)) } }
    wakeAll()
  }
}

// MARK: Requests

extension BlueZCentral {
  /// Returns when the copy of BlueZ's objects is complete. Requests the objects if necessary.
  /// - Throws: `busUnavailable`, `stackUnavailable`, `permissionDenied`, `timedOut`.
  func ready() async throws(CentralError) {
    while stack != .present {
      try await takeSnapshot()
    }
  }

  private func takeSnapshot() async throws(CentralError) {
    let answer = try await call(Name.root, Name.Interface.objectManager, Name.Member.getManagedObjects)
    guard let snapshot = ObjectTree.Change(managedObjects: answer) else {
      throw CentralError(.other, stackText: "GetManagedObjects was answered with something else")
    }
    // The reply keeps its position among the signals: it contains all changes before it and none after it.
    guard stack == .unasked else { return }
    stack = .present
    tree.apply(snapshot)
    for adapter in tree.adapterPaths {
      for device in tree.devices(under: adapter) where receivedContent[device] == nil {
        receivedContent[device] = .remembered
      }
      if tree.host != nil { foreignScans.inherit(adapter) }
    }
    adaptersChanged()
    // An adapter that is not discovering loses what it has inherited.
    scansChanged()
  }

  /// Calls a method of BlueZ, with the time limit of the connection.
  func call(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ body: [DBusValue] = [],
    during operation: ErrorTable.Operation = .adapter
  ) async throws(CentralError) -> [DBusValue] {
    try await call(path, interface, member, body, during: operation, timeout: connection.timeout)
  }

  /// Calls a method of BlueZ.
  /// - Parameter timeout: Nil waits without a limit.
  func call(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ body: [DBusValue] = [],
    during operation: ErrorTable.Operation = .adapter, timeout: Duration?
  ) async throws(CentralError) -> [DBusValue] {
    let call = MethodCall(
      destination: Name.service, path: path, interface: interface, member: member, body: body)
    let now = clock.now
    do throws(DBusError) {
      let answer = try await connection.call(call, timeout: timeout)
      askedAt = max(askedAt, now)
      return answer
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
      return CentralError(.busUnavailable, stackText: error.description)
    case .badMessage, .nameTaken, .overloaded:
      return CentralError(.other, stackText: error.description)
    }
  }
}

// MARK: Waiting

extension BlueZCentral {
  /// Waits for the next change of an object or anything below it, of the adapters (at `/`), or of the stack;
  /// or until the task is cancelled.
  func change(of path: ObjectPath) async {
    let changed = waiters[path, default: Waiters()].add()
    await changed.value()
    waiters[path]?.remove(changed)
  }

  /// Resumes the tasks that wait for an object or an ancestor of it. Tasks that wait at the root wait for
  /// adapters and are resumed only for these.
  func wake(_ path: ObjectPath) {
    waiters.removeValue(forKey: path)?.endAll()
    var above = path.parent
    while let path = above, path != Name.root {
      waiters.removeValue(forKey: path)?.endAll()
      above = path.parent
    }
  }

  private func wakeAll() {
    for path in waiters.keys.sorted() { waiters.removeValue(forKey: path)?.endAll() }
  }

  /// Returns a number that was not used before.
  func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }
}
