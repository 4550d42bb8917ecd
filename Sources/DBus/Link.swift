import CDBus
import Glibc

/// The way of a connection's messages: libdbus (`Link`), or a bus within the process (`LocalLink`). Only the
/// loop's thread uses it.
protocol MessageLink: AnyObject, Sendable {
  /// The name that the bus assigned.
  var uniqueName: BusName { get }
  /// The descriptor for poll(2); -1 if there is none.
  var descriptor: Int32 { get }
  var isConnected: Bool { get }
  /// Whether there are messages that were not passed on yet.
  var hasMoreToWrite: Bool { get }
  /// Whether `next` has a message.
  var hasMoreToRead: Bool { get }

  /// Receives and sends what is possible without blocking.
  func readAndWrite()
  /// The next received message; nil if there is none.
  func next() -> Incoming?
  /// Sends a message.
  /// - Returns: The serial of the message.
  /// - Throws: `disconnected`, `overloaded`.
  @discardableResult
  func send(_ message: OutgoingMessage) throws(DBusError) -> UInt32
  /// Closes the connection.
  func close()
}

/// A libdbus connection: private, registered, and used without watches, pending calls, filters or
/// dispatching. All uses of libdbus's connection pointers are in this class.
///
/// `@unchecked Sendable`: one thread creates it and passes it to its connection; from then on only the loop's
/// thread uses it.
final class Link: MessageLink, @unchecked Sendable {
  /// The maximum number of bytes that wait for a bus that does not read.
  private static let longestQueue = 64 << 20

  let uniqueName: BusName
  let descriptor: Int32
  private let connection: OpaquePointer
  /// The program that passes the messages on; nil without one.
  private let program: BridgeProgram?
  private var isClosed = false

  private init(
    connection: OpaquePointer, uniqueName: BusName, descriptor: Int32, program: BridgeProgram?
  ) {
    self.connection = connection
    self.uniqueName = uniqueName
    self.descriptor = descriptor
    self.program = program
  }

  deinit {
    close()
    dbus_connection_unref(connection)
  }

  /// Connects and registers. Blocks as long as the other side takes.
  /// - Throws: `cannotConnect`.
  static func connect(_ address: BusAddress) throws(DBusError) -> Link {
    dbus_threads_init_default()
    var program: BridgeProgram?
    let connection: OpaquePointer
    if case .bridge(let bridge) = address {
      let started = try BridgeProgram(bridge)
      program = started
      do throws(DBusError) {
        defer { started.hasStarted() }
        connection = try open(started.address)
      } catch {
        defer { started.end() }
        throw started.explained(error)
      }
    } else {
      connection = try open(address)
    }
    return try link(connection, program)
  }

  private static func open(_ address: BusAddress) throws(DBusError) -> OpaquePointer {
    switch address {
    case .system: try trying { dbus_bus_get_private(DBUS_BUS_SYSTEM, &$0) }
    case .session: try trying { dbus_bus_get_private(DBUS_BUS_SESSION, &$0) }
    case .address(let text): try open(text)
    case .local, .bridge: preconditionFailure("libdbus does not know such a bus")
    }
  }

  private static func link(_ connection: OpaquePointer, _ program: BridgeProgram?) throws(DBusError) -> Link {
    dbus_connection_set_exit_on_disconnect(connection, 0)
    var descriptor: Int32 = -1
    guard dbus_connection_get_unix_fd(connection, &descriptor) != 0,
      let name = dbus_bus_get_unique_name(connection), let uniqueName = BusName(String(cString: name))
    else {
      dbus_connection_close(connection)
      dbus_connection_unref(connection)
      program?.end()
      throw DBusError(
        kind: .cannotConnect, name: DBusError.prefix + "Disconnected", message: "the bus ended the connection"
      )
    }
    return Link(connection: connection, uniqueName: uniqueName, descriptor: descriptor, program: program)
  }

  private static func open(_ address: String) throws(DBusError) -> OpaquePointer {
    guard !address.utf8.contains(0) else {
      throw DBusError(
        kind: .cannotConnect, name: DBusError.prefix + "BadAddress", message: "a NUL within the address")
    }
    let connection = try trying { dbus_connection_open_private(address, &$0) }
    do {
      _ = try trying { dbus_bus_register(connection, &$0) != 0 ? true : nil }
    } catch {
      dbus_connection_close(connection)
      dbus_connection_unref(connection)
      throw error
    }
    return connection
  }

  private static func trying<Value>(
    _ body: (inout CDBus.DBusError) -> Value?
  ) throws(DBusError) -> Value {
    var error = CDBus.DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    if let value = body(&error) { return value }
    throw DBusError(
      kind: .cannotConnect, name: error.name.map { String(cString: $0) } ?? DBusError.prefix + "Failed",
      message: error.message.map { String(cString: $0) } ?? "")
  }

  var isConnected: Bool { !isClosed && dbus_connection_get_is_connected(connection) != 0 }

  var hasMoreToWrite: Bool { !isClosed && dbus_connection_has_messages_to_send(connection) != 0 }

  var hasMoreToRead: Bool {
    !isClosed && dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS
  }

  func readAndWrite() {
    if !isClosed { dbus_connection_read_write(connection, 0) }
  }

  func next() -> Incoming? {
    guard !isClosed, let message = dbus_connection_pop_message(connection) else { return nil }
    defer { dbus_message_unref(message) }
    return Incoming(message)
  }

  func send(_ message: OutgoingMessage) throws(DBusError) -> UInt32 {
    guard isConnected else { throw .disconnected }
    guard dbus_connection_get_outgoing_size(connection) < Self.longestQueue else { throw .overloaded }
    var serial: dbus_uint32_t = 0
    guard dbus_connection_send(connection, message.pointer, &serial) != 0 else { throw .overloaded }
    return serial
  }

  /// Queued data is still sent if the socket accepts it within a short time.
  func close() {
    guard !isClosed else { return }
    var tries = 20
    while tries > 0, hasMoreToWrite, isConnected {
      dbus_connection_read_write(connection, 10)
      tries -= 1
    }
    isClosed = true
    // A child process has a copy of the socket until it executes its program, and the bus would see no end meanwhile.
    shutdown(descriptor, Int32(SHUT_RDWR))
    dbus_connection_close(connection)
    program?.end()
  }
}
