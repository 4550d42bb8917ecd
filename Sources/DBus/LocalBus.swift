import CDBus
import EventLoop

/// A bus within this process, for clients and services on one loop. It needs no daemon and no socket, so it also
/// serves a loop in virtual time, where a message arrives before the clock moves on, unless it is delayed.
///
/// It implements what `Connection` uses of a bus: names and their owners, signals to subscribers, calls and their
/// replies, and the bus's own replies for receivers that are absent or leave (D-Bus specification, "Message Bus").
/// It has no policy, and passes each signal to every connection with a match rule; `Connection` selects.
///
/// `@unchecked Sendable`: only the thread of the connections' loop uses the state.
package final class LocalBus: @unchecked Sendable {
  /// A call that waits for its reply.
  private struct PendingCall {
    var caller: LocalLink
    var serial: UInt32
    var callee: BusName
  }

  private static let driver: BusName = "org.freedesktop.DBus"

  private let delay: (@Sendable () -> Duration)?
  private var links: [LocalLink] = []
  private var owners: [BusName: BusName] = [:]
  private var pending: [PendingCall] = []
  private var lastName = 0
  private var lastSerial: UInt32 = 0
  private var isRunning = true

  /// Creates a running bus.
  /// - Parameter delay: The time that each message takes; nil for none. Messages to one connection stay in order.
  package init(delay: (@Sendable () -> Duration)? = nil) {
    self.delay = delay
  }

  // MARK: Connections

  /// - Throws: `cannotConnect` while the bus is stopped.
  func connect(on executor: LoopExecutor) throws(DBusError) -> LocalLink {
    guard isRunning else {
      throw DBusError(
        kind: .cannotConnect, name: DBusError.prefix + "FileNotFound", message: "the bus does not run")
    }
    lastName += 1
    let link = LocalLink(uniqueName: BusName(unchecked: ":1.\(lastName)"), bus: self, executor: executor)
    links.append(link)
    signalOwner(of: link.uniqueName, from: nil, to: link.uniqueName)
    return link
  }

  /// Handles the end of a connection: its names lose their owner, and calls to it get an error.
  fileprivate func leave(_ link: LocalLink) {
    guard let index = links.firstIndex(where: { $0 === link }) else { return }
    links.remove(at: index)
    for name in owners.keys.sorted() where owners[name] == link.uniqueName {
      owners[name] = nil
      signalOwner(of: name, from: link.uniqueName, to: nil)
    }
    signalOwner(of: link.uniqueName, from: link.uniqueName, to: nil)
    // dbus-daemon's bus_connection_disconnected has the same order.
    pending.removeAll { $0.caller === link }
    let unanswered = pending.filter { $0.callee == link.uniqueName }
    pending.removeAll { $0.callee == link.uniqueName }
    for call in unanswered {
      answer(
        call.caller, call.serial,
        .failure(
          .remote(
            DBusError.prefix + "NoReply", "Message recipient disconnected from message bus without replying"))
      )
    }
  }

  private func link(of name: BusName) -> LocalLink? {
    let owner = name.isUnique ? name : owners[name]
    return links.first { $0.uniqueName == owner }
  }

  // MARK: Messages

  /// Passes on a message that a connection has sent.
  fileprivate func route(_ message: OutgoingMessage, from sender: LocalLink) {
    let type = dbus_message_get_type(message.pointer)
    guard let destination = dbus_message_get_destination(message.pointer).map({ String(cString: $0) }) else {
      // Without a destination: a signal to all.
      return links.filter { !$0.rules.isEmpty }.forEach { deliver(message, to: $0) }
    }
    let name = BusName(unchecked: destination)
    let isCall = type == DBUS_MESSAGE_TYPE_METHOD_CALL
    if isCall, name == Self.driver { return obey(message, from: sender) }
    let serial = dbus_message_get_serial(message.pointer)
    let wantsReply = isCall && dbus_message_get_no_reply(message.pointer) == 0
    guard let receiver = link(of: name) else {
      if wantsReply {
        answer(
          sender, serial,
          .failure(
            .remote(
              DBusError.prefix + "ServiceUnknown",
              "The name \(name) was not provided by any .service files")))
      }
      return
    }
    if wantsReply {
      pending.append(PendingCall(caller: sender, serial: serial, callee: receiver.uniqueName))
    } else if !isCall, type != DBUS_MESSAGE_TYPE_SIGNAL {
      let answered = dbus_message_get_reply_serial(message.pointer)
      let call = pending.firstIndex {
        $0.caller === receiver && $0.serial == answered && $0.callee == sender.uniqueName
      }
      // A reply to no call is dropped.
      guard let call else { return }
      pending.remove(at: call)
    }
    deliver(message, to: receiver)
  }

  private func deliver(_ message: OutgoingMessage, to link: LocalLink) {
    link.receive(message, after: delay?() ?? .zero)
  }

  // MARK: The bus itself

  private func signalOwner(of name: BusName, from old: BusName?, to new: BusName?) {
    send(
      try? OutgoingMessage(
        Signal(
          path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
          body: [.string(name.text), .string(old?.text ?? ""), .string(new?.text ?? "")])),
      to: links.filter { !$0.rules.isEmpty })
  }

  private func answer(_ link: LocalLink, _ serial: UInt32, _ result: Result<[DBusValue], DBusError>) {
    var call = MethodCall(destination: nil, path: "/", interface: nil, member: "Reply")
    (call.sender, call.serial) = (link.uniqueName, serial)
    send(try? OutgoingMessage(answerTo: call, result), to: [link])
  }

  /// Sends a message of the bus itself. Only a lack of memory prevents it.
  private func send(_ message: OutgoingMessage?, to receivers: [LocalLink]) {
    guard let message else { return }
    lastSerial += 1
    message.seal(sender: Self.driver, serial: lastSerial)
    for receiver in receivers { deliver(message, to: receiver) }
  }

  /// Carries out a call to the bus itself.
  private func obey(_ message: OutgoingMessage, from sender: LocalLink) {
    guard case .call(let call) = Incoming(message.pointer) else { return }
    let result = result(of: call, from: sender)
    if !call.noReply { answer(sender, call.serial, result) }
  }

  private func result(of call: MethodCall, from sender: LocalLink) -> Result<[DBusValue], DBusError> {
    let text = call.body.first?.asString ?? ""
    switch call.member {
    case "AddMatch":
      sender.rules.append(text)
      return .success([])
    case "RemoveMatch":
      if let index = sender.rules.firstIndex(of: text) { sender.rules.remove(at: index) }
      return .success([])
    case "RequestName":
      let name = BusName(unchecked: text)
      if let owner = owners[name] { return .success([.uint32(owner == sender.uniqueName ? 4 : 3)]) }
      owners[name] = sender.uniqueName
      signalOwner(of: name, from: nil, to: sender.uniqueName)
      return .success([.uint32(1)])
    case "ReleaseName":
      let name = BusName(unchecked: text)
      guard owners[name] == sender.uniqueName else { return .success([.uint32(2)]) }
      owners[name] = nil
      signalOwner(of: name, from: sender.uniqueName, to: nil)
      return .success([.uint32(1)])
    case "GetNameOwner":
      guard let owner = link(of: BusName(unchecked: text)) else {
        return .failure(
          .remote(DBusError.prefix + "NameHasNoOwner", "Could not get owner of name '\(text)': no such name"))
      }
      return .success([.string(owner.uniqueName.text)])
    default:
      return .failure(
        .remote(DBusError.prefix + "UnknownMethod", "org.freedesktop.DBus does not understand \(call.member)")
      )
    }
  }
}

extension LocalBus: PrivateBus {
  package var busAddress: BusAddress { .local(self) }

  /// Ends all connections. Messages that are already at a connection can still be read.
  package func stop() async {
    isRunning = false
    let all = links
    (links, owners, pending) = ([], [:], [])
    for link in all { link.lose() }
  }

  package func restart() async {
    await stop()
    isRunning = true
  }
}

extension LocalBus: Hashable {
  package static func == (a: LocalBus, b: LocalBus) -> Bool { a === b }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// One connection to a `LocalBus`.
///
/// `@unchecked Sendable`: only the loop's thread uses it.
final class LocalLink: MessageLink, @unchecked Sendable {
  let uniqueName: BusName
  let descriptor: Int32 = -1
  private(set) var isConnected = true
  fileprivate var rules: [String] = []

  private let bus: LocalBus
  private let executor: LoopExecutor
  private var inbox: [OutgoingMessage] = []
  private var position = 0
  private var lastSerial: UInt32 = 0
  /// The arrival of the last delayed message.
  private var lastArrival: SuspendingClock.Instant?

  fileprivate init(uniqueName: BusName, bus: LocalBus, executor: LoopExecutor) {
    self.uniqueName = uniqueName
    self.bus = bus
    self.executor = executor
  }

  var hasMoreToWrite: Bool { false }
  var hasMoreToRead: Bool { position < inbox.count }

  func readAndWrite() {}

  func next() -> Incoming? {
    guard hasMoreToRead else { return nil }
    defer {
      position += 1
      if position == inbox.count {
        inbox.removeAll(keepingCapacity: true)
        position = 0
      }
    }
    return Incoming(inbox[position].pointer)
  }

  func send(_ message: OutgoingMessage) throws(DBusError) -> UInt32 {
    guard isConnected else { throw .disconnected }
    lastSerial += 1
    message.seal(sender: uniqueName, serial: lastSerial)
    bus.route(message, from: self)
    return lastSerial
  }

  fileprivate func receive(_ message: OutgoingMessage, after delay: Duration) {
    guard delay > .zero || lastArrival.map({ $0 > executor.now }) ?? false else { return take(message) }
    let arrival = max(executor.now + delay, lastArrival ?? executor.now)
    lastArrival = arrival
    _ = executor.schedule(at: arrival) { [weak self] in self?.take(message) }
  }

  private func take(_ message: OutgoingMessage) {
    guard isConnected else { return }
    inbox.append(message)
    // The loop serves its sources again before it sleeps.
    executor.post {}
  }

  /// The bus has ended.
  fileprivate func lose() {
    isConnected = false
    executor.post {}
  }

  func close() {
    guard isConnected else { return }
    isConnected = false
    inbox = []
    position = 0
    bus.leave(self)
  }
}
