/// A method call: one that is to be made, or one that came in.
public struct MethodCall: Hashable, Sendable {
  /// Whom it is for.
  public var destination: BusName?
  /// The object it is for.
  public var path: ObjectPath
  /// The interface. A caller may leave it out.
  public var interface: InterfaceName?
  /// The method.
  public var member: MemberName
  /// The arguments.
  public var body: [DBusValue]
  /// Whether the caller wants no answer, not even an error.
  public var noReply: Bool
  /// Who made it: the unique name that the bus vouches for. Nil on a call that is to be made.
  public internal(set) var sender: BusName?
  /// The caller's number for it. 0 on a call that is to be made.
  public internal(set) var serial: UInt32 = 0

  /// A call that is to be made.
  public init(
    destination: BusName?, path: ObjectPath, interface: InterfaceName?, member: MemberName,
    body: [DBusValue] = [], noReply: Bool = false
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.body = body
    self.noReply = noReply
  }

  /// The types of the arguments.
  public var signature: String { body.map(\.signature.text).joined() }
}

/// A signal: one that came in, or one that is to be sent.
public struct Signal: Hashable, Sendable {
  /// Who sent it: the unique name that the bus vouches for. Nil on a signal that is to be sent.
  public internal(set) var sender: BusName?
  /// The object that it is about.
  public var path: ObjectPath
  /// The interface.
  public var interface: InterfaceName
  /// The signal's name.
  public var member: MemberName
  /// The arguments.
  public var body: [DBusValue]

  /// A signal that is to be sent, to everyone who subscribed to it.
  public init(path: ObjectPath, interface: InterfaceName, member: MemberName, body: [DBusValue] = []) {
    self.path = path
    self.interface = interface
    self.member = member
    self.body = body
  }
}

/// Where the bus is.
public enum BusAddress: Hashable, Sendable {
  /// The system bus, where libdbus finds it (it honours `DBUS_SYSTEM_BUS_ADDRESS`, read once per process).
  case system
  /// The user's session bus, where libdbus finds it.
  case session
  /// An address in D-Bus's own notation, such as `unix:path=/run/dbus/system_bus_socket`.
  case address(String)
}
