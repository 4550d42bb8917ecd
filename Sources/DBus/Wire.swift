import CDBus

/// A received message, read from libdbus.
enum Incoming {
  /// The reply to this connection's call with that serial.
  case answer(serial: UInt32, Result<[DBusValue], DBusError>)
  case signal(Signal)
  case call(MethodCall)
  /// A call that cannot be read, with an empty body, and the reason.
  case unreadable(MethodCall, DBusError)
  /// Messages to ignore: unreadable signals, libdbus's own messages.
  case nothing

  init(_ message: OpaquePointer) {
    let body = Result { () throws(DBusError) in try Decoder.body(of: message) }
    let type = dbus_message_get_type(message)
    switch type {
    case DBUS_MESSAGE_TYPE_METHOD_RETURN:
      self = .answer(serial: dbus_message_get_reply_serial(message), body)
    case DBUS_MESSAGE_TYPE_ERROR:
      let name = Self.text(dbus_message_get_error_name(message)) ?? DBusError.prefix + "Failed"
      let text = (try? body.get())?.first?.asString ?? ""
      self = .answer(serial: dbus_message_get_reply_serial(message), .failure(.remote(name, text)))
    case DBUS_MESSAGE_TYPE_SIGNAL, DBUS_MESSAGE_TYPE_METHOD_CALL:
      self.init(message, isSignal: type == DBUS_MESSAGE_TYPE_SIGNAL, body)
    default:
      self = .nothing
    }
  }

  private init(_ message: OpaquePointer, isSignal: Bool, _ body: Result<[DBusValue], DBusError>) {
    let sender = Self.text(dbus_message_get_sender(message)).map { BusName(unchecked: $0) }
    let path = Self.text(dbus_message_get_path(message)).map { ObjectPath(unchecked: $0) }
    let interface = Self.text(dbus_message_get_interface(message)).map { InterfaceName(unchecked: $0) }
    let member = Self.text(dbus_message_get_member(message)).map { MemberName(unchecked: $0) }
    if isSignal {
      guard let path, let interface, let member, interface != Reserved.localInterface,
        case .success(let body) = body
      else {
        self = .nothing
        return
      }
      var signal = Signal(path: path, interface: interface, member: member, body: body)
      signal.sender = sender
      self = .signal(signal)
    } else {
      guard let path, let member else {
        self = .nothing
        return
      }
      var call = MethodCall(destination: nil, path: path, interface: interface, member: member)
      call.destination = Self.text(dbus_message_get_destination(message)).map { BusName(unchecked: $0) }
      call.noReply = dbus_message_get_no_reply(message) != 0
      call.sender = sender
      call.serial = dbus_message_get_serial(message)
      switch body {
      case .success(let body):
        call.body = body
        self = .call(call)
      case .failure(let error): self = .unreadable(call, error)
      }
    }
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    pointer.map { String(cString: $0) }
  }
}

/// Names that libdbus reserves. The bus ends a connection that sends them.
enum Reserved {
  static let localInterface: InterfaceName = "org.freedesktop.DBus.Local"
  static let localPath: ObjectPath = "/org/freedesktop/DBus/Local"

  static func check(_ path: ObjectPath, _ interface: InterfaceName?) throws(DBusError) {
    guard path != localPath, interface != localInterface else {
      throw .badMessage("\(path) and \(localInterface) are reserved")
    }
  }
}

/// A libdbus message that is ready to be sent. Its content is valid for libdbus and for the bus.
///
/// `@unchecked Sendable`: it does not change after `seal`, and libdbus counts references atomically.
final class OutgoingMessage: @unchecked Sendable {
  let pointer: OpaquePointer

  private init(pointer: OpaquePointer?) throws(DBusError) {
    guard let pointer else { throw .overloaded }
    self.pointer = pointer
  }

  deinit {
    dbus_message_unref(pointer)
  }

  /// Completes the message as a bus does. libdbus itself numbers the messages that it sends.
  func seal(sender: BusName, serial: UInt32) {
    dbus_message_set_sender(pointer, sender.text)
    dbus_message_set_serial(pointer, serial)
  }

  /// - Throws: `badMessage`, or `overloaded`.
  convenience init(_ call: MethodCall) throws(DBusError) {
    try Reserved.check(call.path, call.interface)
    try BodyCheck.check(call.body)
    try self.init(
      pointer:
        dbus_message_new_method_call(
          call.destination?.text, call.path.text, call.interface?.text, call.member.text))
    if call.noReply { dbus_message_set_no_reply(pointer, 1) }
    try Encoder.append(call.body, to: pointer)
  }

  /// - Throws: `badMessage`, or `overloaded`.
  convenience init(_ signal: Signal) throws(DBusError) {
    try Reserved.check(signal.path, signal.interface)
    try BodyCheck.check(signal.body)
    try self.init(
      pointer: dbus_message_new_signal(signal.path.text, signal.interface.text, signal.member.text))
    try Encoder.append(signal.body, to: pointer)
  }

  /// Creates the reply to a received call.
  /// - Throws: `badMessage` if the values cannot be sent; `overloaded`.
  convenience init(answerTo call: MethodCall, _ result: Result<[DBusValue], DBusError>) throws(DBusError) {
    var body: [DBusValue]
    switch result {
    case .success(let values):
      body = values
      try BodyCheck.check(body)
      try self.init(pointer: dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN))
    case .failure(let error):
      let name = InterfaceName(error.name)?.text ?? DBusError.prefix + "Failed"
      // Scalars, not characters: a NUL with a combining mark is another character, but still contains a NUL.
      let text = error.message.unicodeScalars.prefix(4096).map { $0 == "\0" ? "\u{FFFD}" : $0 }
      body = [.string(String(String.UnicodeScalarView(text)))]
      try self.init(pointer: dbus_message_new(DBUS_MESSAGE_TYPE_ERROR))
      dbus_message_set_error_name(pointer, name)
    }
    dbus_message_set_no_reply(pointer, 1)
    dbus_message_set_destination(pointer, call.sender?.text)
    dbus_message_set_reply_serial(pointer, call.serial)
    try Encoder.append(body, to: pointer)
  }
}
