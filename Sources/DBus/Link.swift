import CDBus
import Glibc

/// The way of a connection's messages: libdbus (`Link`), or a bus within the process (`LocalLink`). Only the
/// loop's thread uses it.
protocol MessageLink: AnyObject, Sendable {
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
  func close()
}

/// A libdbus connection: private, and used without pending calls, filters or dispatching. All uses of libdbus's connection
/// pointers are in this class.
///
/// No function of libdbus that registers with a bus is used: `dbus_bus_register` waits for the bus with a lock of the whole
/// process, and `dbus_bus_get_private` with a second one, so two of them could wait for each other (`Registration`).
///
/// `@unchecked Sendable`: one thread creates it and passes it to its connection; from then on only the loop's
/// thread uses it.
final class Link: MessageLink, @unchecked Sendable {
  /// The maximum number of bytes that wait for a bus that does not read.
  private static let longestQueue = 64 << 20

  let descriptor: Int32
  private let connection: OpaquePointer
  /// The program that passes the messages on; nil without one.
  private var program: BridgeProgram?
  /// The watch that libdbus enables while it has something to write, of its authentication, too; nil when it is disconnected.
  private let writing = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: 1)
  private var isClosed = false

  private init(_ connection: OpaquePointer) {
    dbus_connection_set_exit_on_disconnect(connection, 0)
    var descriptor: Int32 = -1
    dbus_connection_get_unix_fd(connection, &descriptor)
    self.descriptor = descriptor
    self.connection = connection
    writing.initialize(to: nil)
    dbus_connection_set_watch_functions(
      connection,
      { watch, writing in
        if dbus_watch_get_flags(watch) & DBUS_WATCH_WRITABLE.rawValue != 0 {
          writing?.assumingMemoryBound(to: OpaquePointer?.self).pointee = watch
        }
        return 1
      },
      { watch, writing in
        let writing = writing?.assumingMemoryBound(to: OpaquePointer?.self)
        if writing?.pointee == watch { writing?.pointee = nil }
      }, nil, writing, nil)
  }

  deinit {
    close()
    dbus_connection_unref(connection)
    writing.deallocate()
  }

  /// Connects to a socket, or starts a program. Blocks as long as the kernel takes. The other side has not answered then.
  /// - Throws: `cannotConnect`.
  static func open(_ address: BusAddress) throws(DBusError) -> Link {
    dbus_threads_init_default()
    switch address {
    case .address(let text): return try Link(connection(to: text))
    case .bridge(let bridge):
      let socket = try BridgeSocket(bridge)
      let link = try Link(connection(to: socket.address))
      link.program = try socket.start(bridge)
      return link
    case .local: preconditionFailure("libdbus does not know such a bus")
    }
  }

  private static func connection(to address: String) throws(DBusError) -> OpaquePointer {
    guard !address.utf8.contains(0) else {
      throw DBusError(
        kind: .cannotConnect, name: DBusError.prefix + "BadAddress", message: "a NUL within the address")
    }
    return try trying { dbus_connection_open_private(address, &$0) }
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

  /// Why the bus ended the connection before it answered.
  var refusal: DBusError {
    program?.failure
      ?? DBusError(
        kind: .cannotConnect, name: DBusError.prefix + "Disconnected",
        message: "the bus ended the connection; its security policy may not admit this user"
      )
  }

  var hasMoreToWrite: Bool { !isClosed && writing.pointee.map { dbus_watch_get_enabled($0) != 0 } ?? false }

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
    // A child process has a copy of the socket until it executes its program, and the bus would see no end meanwhile. When the
    // bus has ended the connection, libdbus has closed the socket, and another one may have its number.
    if isConnected { shutdown(descriptor, Int32(SHUT_RDWR)) }
    isClosed = true
    dbus_connection_close(connection)
    program?.end()
  }
}
