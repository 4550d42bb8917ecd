import DBus
import Hex

/// bluetoothd's errors with the names and texts of its `src/error.c`. Clients such as bleak check the text.
enum BlueZFailure {
  static func error(_ name: String, _ text: String) -> DBusError { .remote("org.bluez.Error." + name, text) }

  static func failed(_ text: String) -> DBusError { error("Failed", text) }

  static let invalidArguments = error("InvalidArguments", "Invalid arguments in method call")
  /// The error for a second request while one is in progress (`btd_error_in_progress`).
  static let inProgress = error("InProgress", "In Progress")
  /// The error for a second `StartDiscovery` of one client (`btd_error_busy`).
  static let busy = error("InProgress", "Operation already in progress")
  static let alreadyExists = error("AlreadyExists", "Already Exists")
  static let notSupported = error("NotSupported", "Operation is not supported")
  static let doesNotExist = error("DoesNotExist", "Does Not Exist")
  static let notReady = error("NotReady", "Resource Not Ready")
  static let blocked = error("Blocked", "Blocked through rfkill")
  static let authenticationFailed = error("AuthenticationFailed", "Authentication Failed")
  static let authenticationCanceled = error("AuthenticationCanceled", "Authentication Canceled")
  /// `Pair` of a device that cannot be connected to.
  static let connectionAttemptFailed = error("ConnectionAttemptFailed", "Page Timeout")
  static let notAvailable = error("NotAvailable", "Operation currently not available")

  /// The error for a GATT request without a link.
  static let gattNotConnected = failed("Not connected")
  /// docs/internals/bluez.md, "Connecting": the error of a `Connect` that the same client ended with `Disconnect`; "br"
  /// although it is LE.
  static let connectionCanceled = failed("br-connection-canceled")
  /// docs/internals/bluez.md, trap 23: the second `Connect` to one device; 5.66 gives `strerror(EALREADY)`.
  static func connectUnderWay(_ version: BlueZVersion) -> DBusError {
    switch version {
    case .debian12: failed("Operation already in progress")
    case .debian13: inProgress
    }
  }
  /// docs/internals/bluez.md, "Names of failure": `Connect` on an adapter that is off; `strerror(EIO)`.
  static let inputOutput = failed("Input/output error")
  static let noDiscovery = failed("No discovery started")
  static let noNotifySession = failed("No notify session started")

  /// The D-Bus error for an ATT error (`create_gatt_dbus_error` in `src/gatt-client.c`).
  static func att(_ code: UInt8) -> DBusError {
    switch code {
    case 0x02: error("NotPermitted", "Read not permitted")
    case 0x03: error("NotPermitted", "Write not permitted")
    case 0x05, 0x0C, 0x0F: error("NotPermitted", "Not paired")
    case 0x06: notSupported
    case 0x07: error("InvalidArguments", "Invalid offset")
    case 0x08: error("NotAuthorized", "Operation Not Authorized")
    case 0x0D: error("InvalidArguments", "Invalid Length")
    default: failed("Operation failed with ATT error: 0x" + code.hex(digits: 2))
    }
  }

  /// The peer disconnected during a request (docs/internals/bluez.md, "GATT"): "Unlikely Error", 0x0e.
  static let peerGone = att(0x0E)

  // Errors of bluetoothd's D-Bus library.

  /// docs/internals/bluez.md, "Names of failure": an unknown device or characteristic.
  static func unknownObject(_ call: MethodCall) -> DBusError {
    .remote("org.freedesktop.DBus.Error.UnknownObject", noSuchMethod(call))
  }

  static func unknownMethod(_ call: MethodCall) -> DBusError {
    .remote("org.freedesktop.DBus.Error.UnknownMethod", noSuchMethod(call))
  }

  private static func noSuchMethod(_ call: MethodCall) -> String {
    "Method \"\(call.member)\" with signature \"\(call.signature)\" on interface "
      + "\"\(call.interface?.text ?? "(null)")\" doesn't exist\n"
  }

  static func noSuchInterface(_ name: String) -> DBusError {
    .remote("org.freedesktop.DBus.Error.InvalidArgs", "No such interface '\(name)'")
  }

  static func noSuchProperty(_ name: String) -> DBusError {
    .remote("org.freedesktop.DBus.Error.InvalidArgs", "No such property '\(name)'")
  }

  static func readOnly(_ property: String) -> DBusError {
    .remote("org.freedesktop.DBus.Error.PropertyReadOnly", "Property '\(property)' is not writable")
  }
}
