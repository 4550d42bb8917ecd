import Bluetooth

/// The mapping from BlueZ's and D-Bus's errors to `CentralError`.
///
/// BlueZ reports most failures as `org.bluez.Error.Failed` with a message. So a row matches the name, the
/// beginning of the message, and the operation; the first matching row counts. Names and messages come from
/// BlueZ's `src/error.c`, `src/error.h` and `gattlib`, and from runs with 5.66.
enum ErrorTable {
  /// The operation that failed. The same message has different meanings for different operations.
  enum Operation: String, Hashable, Sendable, CaseIterable {
    /// An operation of the adapter: discovery, or the request for all objects.
    case adapter
    /// `Connect`.
    case connect
    /// `Pair`, and what an agent needs.
    case pair
    /// `RemoveDevice`.
    case forget
    /// An operation of a connected peripheral.
    case gatt
    /// `StartNotify`.
    case notify
  }

  /// Returns the error for a D-Bus error reply. It includes the original text.
  static func error(_ name: String, _ message: String?, during operation: Operation) -> CentralError {
    let text = message.map { $0.isEmpty ? name : "\(name): \($0)" } ?? name
    return CentralError(code(name, plain(message ?? ""), operation), stackText: text)
  }

  /// Newer daemons put a code before the message, `:le-connection-timeout:…`; the code is the older message.
  private static func plain(_ message: String) -> String {
    // Compared by bytes, here and below, because a `String` combines a letter with a following combining
    // character.
    guard message.utf8.first == UInt8(ascii: ":") else { return message }
    return String(message.utf8.dropFirst().prefix { $0 != UInt8(ascii: ":") }) ?? message
  }

  private static func code(_ name: String, _ message: String, _ operation: Operation) -> CentralError.Code {
    if let att = attError(message) { return .att(att) }
    let row = rows.first { row in
      (row.name.hasSuffix(".*") ? name.hasPrefix(row.name.dropLast()) : name == row.name)
        && (row.message.isEmpty || message.lowercased().utf8.starts(with: row.message.lowercased().utf8))
        && (row.operations.isEmpty || row.operations.contains(operation))
    }
    return row?.code ?? .other
  }

  /// `Operation failed with ATT error: 0x80`.
  private static func attError(_ message: String) -> UInt8? {
    let prefix = "Operation failed with ATT error: 0x"
    guard message.utf8.starts(with: prefix.utf8) else { return nil }
    let digits = message.unicodeScalars.dropFirst(prefix.count).prefix { $0.properties.isASCIIHexDigit }
    return UInt8(String(digits), radix: 16)
  }

  private struct Row {
    var name: String
    var message: String
    var operations: Set<Operation>
    var code: CentralError.Code

    init(_ name: String, _ message: String = "", _ operations: Set<Operation> = [], _ code: CentralError.Code)
    {
      self.name = name
      self.message = message
      self.operations = operations
      self.code = code
    }
  }

  private static let bluez = "org.bluez.Error."
  private static let dbus = "org.freedesktop.DBus.Error."

  private static let rows: [Row] = failed + named + bus

  /// `Failed`, by message.
  private static let failed: [Row] = [
    Row(bluez + "Failed", "Not connected", [], .disconnected),
    Row(bluez + "Failed", "Operation already in progress", [], .busy),
    Row(bluez + "Failed", "Operation in progress", [], .busy),
    Row(bluez + "Failed", "In Progress", [], .busy),
    Row(bluez + "Failed", "le-connection-busy", [], .busy),
    Row(bluez + "Failed", "br-connection-busy", [], .busy),
    Row(bluez + "Failed", "le-connection-concurrent-connection-limit", [], .outOfSlots),
    Row(bluez + "Failed", "br-connection-concurrent-connection-limit", [], .outOfSlots),
    Row(bluez + "Failed", "Too many links", [], .outOfSlots),
    Row(bluez + "Failed", "le-connection-adapter-not-powered", [], .adapterUnavailable(.poweredOff)),
    Row(bluez + "Failed", "br-connection-adapter-not-powered", [], .adapterUnavailable(.poweredOff)),
    Row(bluez + "Failed", "Host is down", [.adapter], .adapterUnavailable(.poweredOff)),
    Row(bluez + "Failed", "Not Powered", [], .adapterUnavailable(.poweredOff)),
    Row(bluez + "Failed", "Blocked", [.adapter], .adapterUnavailable(.blocked)),
    Row(bluez + "Failed", "le-connection-gatt-browsing", [], .servicesUnresolved),
    // Any other error of Connect means that it failed. Newer daemons use one name for nearly all reasons
    // (`le-connection-abort-by-local`), so it carries no information.
    Row(bluez + "Failed", "", [.connect, .pair], .connectFailed),
    Row(bluez + "Failed", "br-connection-canceled", [.gatt, .notify], .disconnected),
    Row(bluez + "Failed", "le-connection-", [.gatt, .notify], .disconnected),
  ]

  /// BlueZ's other error names.
  private static let named: [Row] = [
    Row(bluez + "InProgress", "", [], .busy),
    // `Set` of `Powered` during an earlier change, and on an adapter that rfkill blocks.
    Row(bluez + "Busy", "", [.adapter], .busy),
    Row(bluez + "Blocked", "", [.adapter], .adapterUnavailable(.blocked)),
    Row(bluez + "NotReady", "", [], .adapterUnavailable(.poweredOff)),
    Row(bluez + "NotConnected", "", [.connect], .connectFailed),
    Row(bluez + "NotConnected", "", [], .disconnected),
    Row(bluez + "DoesNotExist", "", [.adapter], .adapterUnavailable(.absent)),
    Row(bluez + "DoesNotExist", "", [.gatt, .notify], .disconnected),
    Row(bluez + "DoesNotExist", "", [], .peripheralUnknown),
    // ATT errors (Bluetooth Core, Vol 3 Part F 3.4.1.1) that `create_gatt_dbus_error` (gatt-client.c) reports
    // under these names.
    Row(bluez + "InvalidArguments", "Invalid Length", [.gatt, .notify], .att(0x0D)),
    Row(bluez + "InvalidArguments", "Invalid offset", [.gatt, .notify], .att(0x07)),
    Row(bluez + "InvalidValueLength", "", [.gatt, .notify], .att(0x0D)),
    Row(bluez + "InvalidOffset", "", [.gatt, .notify], .att(0x07)),
    Row(bluez + "NotSupported", "", [.gatt], .att(0x06)),
    // The characteristic has no notifications, or no descriptor that enables them.
    Row(bluez + "NotSupported", "", [.notify], .notPermitted),
    Row(bluez + "NotAuthorized", "", [.gatt, .notify], .att(0x08)),
    // 0x05, 0x0C and 0x0F have one text.
    Row(bluez + "NotPermitted", "Not paired", [.gatt, .notify], .pairingRequired),
    Row(bluez + "NotPermitted", "", [.gatt, .notify], .notPermitted),
    Row(bluez + "NotAuthorized", "", [.adapter, .forget], .permissionDenied),
    Row(bluez + "NotPermitted", "", [.adapter, .forget], .permissionDenied),
    Row(bluez + "ConnectionAttemptFailed", "", [], .connectFailed),
    // Any failure of the Security Manager: a wrong passkey, a refusal of either side.
    Row(bluez + "AuthenticationFailed", "", [.pair], .pairing(.refused)),
    Row(bluez + "AuthenticationRejected", "", [.pair], .pairing(.refused)),
    Row(bluez + "AuthenticationCanceled", "", [.pair], .pairing(.lost)),
    Row(bluez + "AuthenticationTimeout", "", [.pair], .pairing(.lost)),
    Row(bluez + "AlreadyExists", "", [.pair], .pairing(.bondExists)),
    Row(bluez + "AuthenticationFailed", "", [.connect], .connectFailed),
    Row(bluez + "AuthenticationCanceled", "", [.connect], .connectFailed),
    Row(bluez + "AuthenticationRejected", "", [.connect], .connectFailed),
    Row(bluez + "AuthenticationTimeout", "", [.connect], .connectFailed),
    Row(bluez + "NotAvailable", "", [.connect], .connectFailed),
    Row(bluez + "NotSupported", "", [.connect], .connectFailed),
  ]

  /// The bus's own error names. Only the message identifies a daemon that ended during a call.
  private static let bus: [Row] = [
    Row(dbus + "UnknownObject", "", [.adapter], .adapterUnavailable(.absent)),
    Row(dbus + "UnknownObject", "", [.connect, .pair, .forget], .peripheralUnknown),
    Row(dbus + "UnknownObject", "", [.gatt, .notify], .disconnected),
    // GDBus-like daemons and older libdbus use this instead of UnknownObject.
    Row(dbus + "UnknownMethod", "", [.adapter], .adapterUnavailable(.absent)),
    Row(dbus + "UnknownMethod", "", [.connect, .pair, .forget], .peripheralUnknown),
    Row(dbus + "UnknownMethod", "", [.gatt, .notify], .disconnected),
    Row(dbus + "UnknownInterface", "", [.adapter], .adapterUnavailable(.absent)),
    Row(dbus + "UnknownInterface", "", [.connect, .pair, .forget], .peripheralUnknown),
    Row(dbus + "UnknownInterface", "", [.gatt, .notify], .disconnected),
    Row(dbus + "ServiceUnknown", "", [], .stackUnavailable),
    Row(dbus + "NameHasNoOwner", "", [], .stackUnavailable),
    Row(dbus + "Spawn.*", "", [], .stackUnavailable),
    Row(dbus + "NoReply", "Message recipient disconnected", [], .stackUnavailable),
    Row(dbus + "NoReply", "", [], .timedOut),
    // The bus tried to start the daemon, by itself or through systemd.
    Row(dbus + "TimedOut", "Failed to activate service", [], .stackUnavailable),
    Row("org.freedesktop.systemd1.*", "", [], .stackUnavailable),
    Row(dbus + "Timeout", "", [], .timedOut),
    Row(dbus + "TimedOut", "", [], .timedOut),
    Row(dbus + "AccessDenied", "", [], .permissionDenied),
    Row(dbus + "InteractiveAuthorizationRequired", "", [], .permissionDenied),
    Row(dbus + "AuthFailed", "", [], .permissionDenied),
    Row(dbus + "Disconnected", "", [], .busUnavailable),
    Row(dbus + "NoServer", "", [], .busUnavailable),
    Row(dbus + "NoNetwork", "", [], .busUnavailable),
    Row(dbus + "FileNotFound", "", [], .busUnavailable),
    Row(dbus + "BadAddress", "", [], .busUnavailable),
    Row(dbus + "IOError", "", [], .busUnavailable),
  ]
}
