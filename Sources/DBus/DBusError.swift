/// A failure of a D-Bus operation.
package struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The origin of the failure, and its meaning for the connection.
  package enum Kind: Hashable, Sendable {
    /// The other side, or the bus on its behalf, replied with the error `name`.
    case remote
    /// The deadline passed without a reply. A later reply is dropped.
    case timedOut
    /// The waiting task was cancelled. The other side may have carried out the call nevertheless.
    case cancelled
    /// The connection is closed, by this side or by the other.
    case disconnected
    /// The connection could not be made: bad address, no socket, no permission, refused. `name` comes from
    /// libdbus.
    case cannotConnect
    /// A message cannot be sent, or a received message cannot be read.
    case badMessage
    /// Another connection owns the name.
    case nameTaken
    /// Too much data waits to be sent.
    case overloaded
  }

  package var kind: Kind
  /// The D-Bus name of the error, such as `org.bluez.Error.Failed`.
  package var name: String
  /// The error text, for the log. May be empty.
  package var message: String

  package init(kind: Kind, name: String, message: String) {
    self.kind = kind
    self.name = name
    self.message = message
  }

  /// Creates an error that a service sends to its caller. An invalid error `name` is sent as
  /// `org.freedesktop.DBus.Error.Failed`.
  package static func remote(_ name: String, _ message: String = "") -> DBusError {
    DBusError(kind: .remote, name: name, message: message)
  }

  /// Whether the other side replied with the error of this name.
  package func isRemote(_ name: String) -> Bool {
    kind == .remote && self.name == name
  }

  package var description: String { message.isEmpty ? name : "\(name): \(message)" }
}

extension DBusError {
  static let prefix = "org.freedesktop.DBus.Error."

  /// An error of the first messages of a connection.
  static func cannotConnect(_ error: DBusError) -> DBusError {
    DBusError(kind: .cannotConnect, name: error.name, message: error.message)
  }

  static func timedOut(_ call: MethodCall, after timeout: Duration) -> DBusError {
    DBusError(
      kind: .timedOut, name: prefix + "Timeout", message: "no answer to \(call.member) within \(timeout)")
  }

  static let cancelled = DBusError(kind: .cancelled, name: prefix + "Cancelled", message: "cancelled")

  static let disconnected = DBusError(
    kind: .disconnected, name: prefix + "Disconnected", message: "the connection to the bus is closed")

  static func badMessage(_ message: String) -> DBusError {
    DBusError(kind: .badMessage, name: prefix + "InvalidArgs", message: message)
  }

  static let overloaded = DBusError(
    kind: .overloaded, name: prefix + "LimitsExceeded", message: "too much is waiting to be handled")
}
