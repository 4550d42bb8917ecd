/// A method call, to be sent or received.
package struct MethodCall: Hashable, Sendable {
  package var destination: BusName?
  package var path: ObjectPath
  /// The interface; optional in a received call.
  package var interface: InterfaceName?
  package var member: MemberName
  package var body: [DBusValue]
  /// Whether the caller wants no reply, not even an error.
  package var noReply: Bool
  /// The caller's unique name, set by the bus. Nil in a call to be sent.
  package internal(set) var sender: BusName?
  /// The caller's serial number of the call. 0 in a call to be sent.
  package internal(set) var serial: UInt32 = 0

  /// Creates a call to be sent.
  package init(
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
  package var signature: String { body.map(\.signature.text).joined() }
}

/// A signal, to be sent or received.
package struct Signal: Hashable, Sendable {
  /// The sender's unique name, set by the bus. Nil in a signal to be sent.
  package internal(set) var sender: BusName?
  package var path: ObjectPath
  package var interface: InterfaceName
  package var member: MemberName
  package var body: [DBusValue]

  /// Creates a signal to be sent to all subscribers.
  package init(path: ObjectPath, interface: InterfaceName, member: MemberName, body: [DBusValue] = []) {
    self.path = path
    self.interface = interface
    self.member = member
    self.body = body
  }
}

package enum BusAddress: Hashable, Sendable {
  /// An address in D-Bus's own notation, such as `unix:path=/run/dbus/system_bus_socket`.
  case address(String)
  /// A bus behind another program.
  case bridge(BusBridge)
  /// A bus within this process.
  case local(LocalBus)

  /// The system bus.
  /// - Parameter variable: The value of `DBUS_SYSTEM_BUS_ADDRESS`: a list separated by `;`, of which libdbus takes the first
  ///   that it can connect to.
  package static func system(_ variable: String?) -> BusAddress {
    // The specification's address, and the one where that is no link to it.
    let usual = "unix:path=/var/run/dbus/system_bus_socket;unix:path=/run/dbus/system_bus_socket"
    return .address(variable.flatMap { $0.isEmpty ? nil : $0 } ?? usual)
  }
}
