/// Why something on a bus did not work.
public struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Who said so, and what it means for the connection.
  public enum Kind: Hashable, Sendable {
    /// The other side, or the bus on its behalf, answered with an error; `name` says which.
    case remote
    /// Our own deadline passed without an answer. One that comes later is dropped.
    case timedOut
    /// The waiting task was cancelled. The other side may well have done what it was asked.
    case cancelled
    /// The connection is closed, by us or from the other side.
    case disconnected
    /// No connection came about: bad address, no socket, no permission, refused. `name` is libdbus's.
    case cannotConnect
    /// A message that cannot be sent, or one that came and cannot be read.
    case badMessage
    /// Another connection owns the name.
    case nameTaken
    /// More is waiting to be sent than we keep.
    case overloaded
  }

  /// Which kind of failure.
  public var kind: Kind
  /// The D-Bus name of the error, such as `org.bluez.Error.Failed`.
  public var name: String
  /// The text that came with it, for the log. May be empty.
  public var message: String

  /// An error.
  public init(kind: Kind, name: String, message: String) {
    self.kind = kind
    self.name = name
    self.message = message
  }

  /// An error as a service gives it to its caller. A `name` that is no valid error name goes out as
  /// `org.freedesktop.DBus.Error.Failed`.
  public static func remote(_ name: String, _ message: String = "") -> DBusError {
    DBusError(kind: .remote, name: name, message: message)
  }

  /// Whether the other side answered with the error of this name.
  public func isRemote(_ name: String) -> Bool {
    kind == .remote && self.name == name
  }

  /// Name and text, as they came.
  public var description: String { message.isEmpty ? name : "\(name): \(message)" }
}

extension DBusError {
  static let prefix = "org.freedesktop.DBus.Error."

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
