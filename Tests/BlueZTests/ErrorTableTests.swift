import Bluetooth
import DBus
import Testing

@testable import BlueZ

/// A D-Bus error, the operation that failed, and the resulting code.
struct Failure: CustomTestStringConvertible, Sendable {
  var name: String
  var message: String
  var operation: ErrorTable.Operation
  var code: CentralError.Code

  init(_ name: String, _ message: String, _ operation: ErrorTable.Operation, _ code: CentralError.Code) {
    self.name = name
    self.message = message
    self.operation = operation
    self.code = code
  }

  var testDescription: String { "\(operation): \(name) \(message)" }

  private static let bluez = "org.bluez.Error."
  private static let dbus = "org.freedesktop.DBus.Error."

  static let measured: [Failure] = [
    // Connecting.
    Failure(bluez + "Failed", "le-connection-abort-by-local", .connect, .connectFailed),
    Failure(bluez + "Failed", "br-connection-canceled", .connect, .connectFailed),
    Failure(bluez + "Failed", "Input/output error", .connect, .connectFailed),
    Failure(bluez + "Failed", "Software caused connection abort", .connect, .connectFailed),
    Failure(bluez + "Failed", ":le-connection-timeout:Connection timed out", .connect, .connectFailed),
    Failure(bluez + "Failed", "Operation already in progress", .connect, .busy),
    Failure(bluez + "InProgress", "In Progress", .connect, .busy),
    Failure(bluez + "Failed", "le-connection-concurrent-connection-limit", .connect, .outOfSlots),
    Failure(bluez + "Failed", ":le-connection-concurrent-connection-limit:x", .connect, .outOfSlots),
    Failure(bluez + "NotReady", "Resource Not Ready", .connect, .adapterUnavailable(.poweredOff)),
    Failure(dbus + "UnknownObject", "", .connect, .peripheralUnknown),
    Failure(dbus + "UnknownMethod", #"Method "Connect" doesn't exist"#, .connect, .peripheralUnknown),
    // GATT.
    Failure(bluez + "Failed", "Operation failed with ATT error: 0x80", .gatt, .att(0x80)),
    Failure(bluez + "Failed", "Operation failed with ATT error: 0x0e", .gatt, .att(0x0E)),
    Failure("org.bluez.Error", "Operation failed with ATT error: 0x11", .gatt, .att(0x11)),
    Failure(bluez + "InvalidArguments", "Invalid Length", .gatt, .att(0x0D)),
    Failure(bluez + "InvalidArguments", "Invalid offset", .gatt, .att(0x07)),
    Failure(bluez + "InvalidArguments", "Invalid arguments in method call", .gatt, .other),
    Failure(bluez + "NotPermitted", "Write not permitted", .gatt, .notPermitted),
    Failure(bluez + "NotPermitted", "Read not permitted", .gatt, .notPermitted),
    Failure(bluez + "NotPermitted", "Write not permitted", .notify, .notPermitted),
    Failure(bluez + "NotPermitted", "Not paired", .gatt, .pairingRequired),
    Failure(bluez + "NotPermitted", "Not paired", .notify, .pairingRequired),
    Failure(bluez + "NotAuthorized", "Operation Not Authorized", .gatt, .att(0x08)),
    Failure(bluez + "NotAuthorized", "Operation Not Authorized", .notify, .att(0x08)),
    Failure(bluez + "NotSupported", "Operation is not supported", .notify, .notPermitted),
    Failure(bluez + "NotSupported", "Operation is not supported", .gatt, .att(0x06)),
    Failure(bluez + "InProgress", "In Progress", .gatt, .busy),
    Failure(bluez + "Failed", "Not connected", .gatt, .disconnected),
    Failure(bluez + "Failed", "Not connected\u{301}", .gatt, .disconnected),
    Failure(bluez + "NotConnected", "Not Connected", .gatt, .disconnected),
    Failure(dbus + "UnknownObject", "", .gatt, .disconnected),
    Failure(bluez + "Failed", "something new", .gatt, .other),
    // Pairing.
    Failure(bluez + "AuthenticationFailed", "Authentication Failed", .pair, .pairing(.refused)),
    Failure(bluez + "AuthenticationRejected", "Authentication Rejected", .pair, .pairing(.refused)),
    Failure(bluez + "AuthenticationCanceled", "Authentication Canceled", .pair, .pairing(.lost)),
    Failure(bluez + "AuthenticationTimeout", "Authentication Timeout", .pair, .pairing(.lost)),
    Failure(bluez + "AlreadyExists", "Already Exists", .pair, .pairing(.bondExists)),
    Failure(bluez + "ConnectionAttemptFailed", "Page Timeout", .pair, .connectFailed),
    Failure(bluez + "InProgress", "In Progress", .pair, .busy),
    Failure(bluez + "Failed", "Software caused connection abort", .pair, .connectFailed),
    Failure(dbus + "UnknownObject", "", .pair, .peripheralUnknown),
    // The adapter.
    Failure(bluez + "InProgress", "Operation already in progress", .adapter, .busy),
    Failure(bluez + "NotReady", "Resource Not Ready", .adapter, .adapterUnavailable(.poweredOff)),
    Failure(bluez + "Busy", "", .adapter, .busy),
    Failure(bluez + "Blocked", "Blocked through rfkill", .adapter, .adapterUnavailable(.blocked)),
    Failure(bluez + "Failed", "No discovery started", .adapter, .other),
    Failure(dbus + "UnknownObject", "", .adapter, .adapterUnavailable(.absent)),
    Failure(bluez + "DoesNotExist", "Does Not Exist", .forget, .peripheralUnknown),
    Failure(dbus + "AccessDenied", "Rejected send message", .adapter, .permissionDenied),
    // The stack and the bus.
    Failure(dbus + "ServiceUnknown", "", .gatt, .stackUnavailable),
    Failure(dbus + "NameHasNoOwner", "", .adapter, .stackUnavailable),
    Failure(dbus + "Spawn.ChildExited", "Launch helper exited", .connect, .stackUnavailable),
    Failure(
      dbus + "NoReply", "Message recipient disconnected from message bus without replying", .gatt,
      .stackUnavailable),
    Failure(dbus + "NoReply", "Did not receive a reply", .gatt, .timedOut),
    Failure(
      "org.freedesktop.systemd1.NoSuchUnit", "Unit dbus-org.bluez.service not found.", .adapter,
      .stackUnavailable),
    Failure(
      dbus + "TimedOut", "Failed to activate service 'org.bluez': timed out", .adapter, .stackUnavailable),
    Failure(dbus + "Disconnected", "", .gatt, .busUnavailable),
    // Unknown errors.
    Failure("com.example.Surprise", "!", .connect, .other),
    Failure("", "", .gatt, .other),
    Failure(bluez + "Failed", "Operation failed with ATT error: 0x", .gatt, .other),
    Failure(bluez + "Failed", "Operation failed with ATT error: 0x100", .gatt, .other),
    Failure(bluez + "Failed", ":", .gatt, .other),
  ]
}

@Suite("Errors of BlueZ")
struct ErrorTableTests {
  @Test("each measured error gives one code", arguments: Failure.measured)
  func code(failure: Failure) {
    let error = ErrorTable.error(failure.name, failure.message, during: failure.operation)
    #expect(error.code == failure.code)
  }

  @Test(
    "a bus that cannot be opened is unavailable, unless its error says more",
    arguments: [
      ("AccessDenied", .permissionDenied), ("Timeout", .timedOut), ("NoMemory", .busUnavailable),
    ] as [(String, CentralError.Code)])
  func opening(name: String, code: CentralError.Code) {
    let error = DBusError(kind: .cannotConnect, name: "org.freedesktop.DBus.Error." + name, message: "why")
    #expect(BlueZCentral.openingError(error, of: nil) == CentralError(code, stackText: "\(error.name): why"))
    #expect(BlueZCentral.openingError(error, of: HostName("floor-3")) == CentralError(code, stackText: "why"))
    let cancelled = DBusError(kind: .cancelled, name: error.name, message: "why")
    #expect(BlueZCentral.openingError(cancelled, of: nil) == CentralError(.cancelled))
  }

  @Test("the original text is kept", arguments: ErrorTable.Operation.allCases)
  func words(operation: ErrorTable.Operation) {
    let error = ErrorTable.error("org.bluez.Error.Failed", "le-connection-abort-by-local", during: operation)
    #expect(error.stackText == "org.bluez.Error.Failed: le-connection-abort-by-local")
    #expect(
      ErrorTable.error("org.bluez.Error.NotReady", nil, during: operation).stackText
        == "org.bluez.Error.NotReady")
    #expect(
      ErrorTable.error("org.bluez.Error.NotReady", "", during: operation).stackText
        == "org.bluez.Error.NotReady")
  }
}
