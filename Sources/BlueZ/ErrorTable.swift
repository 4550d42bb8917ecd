import Bluetooth

/// The one place where BlueZ's and D-Bus's errors become ours.
///
/// BlueZ says most things by `org.bluez.Error.Failed` and a sentence, so a row looks at the name, the
/// beginning of the sentence and what was being done; the first row that fits counts. Names and
/// sentences are from BlueZ's `src/error.c`, `src/error.h` and `gattlib`, and from runs against 5.66.
enum ErrorTable {
  /// What was being done when the error came: the same words mean different things.
  enum Operation: String, Hashable, Sendable, CaseIterable {
    /// Something of the adapter: discovery, or asking for the objects.
    case adapter
    /// `Connect`.
    case connect
    /// `RemoveDevice`.
    case forget
    /// Something of a connected peripheral.
    case gatt
    /// `StartNotify`.
    case notify
  }

  /// The error for what the bus answered. The original words go along.
  static func error(_ name: String, _ message: String?, during operation: Operation) -> CentralError {
    let text = message.map { $0.isEmpty ? name : "\(name): \($0)" } ?? name
    return CentralError(code(name, plain(message ?? ""), operation), stackText: text)
  }

  /// Newer daemons put a code before the sentence, `:le-connection-timeout:…`; the code is the older sentence.
  private static func plain(_ message: String) -> String {
    // Byte for byte, here and below: to String, a character that combines with a letter is part of it.
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

  /// `Failed`, by its sentence.
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
    // Whatever else a Connect says, it failed; newer daemons have one name for nearly all of it
    // (`le-connection-abort-by-local`), so there is nothing to read in it.
    Row(bluez + "Failed", "", [.connect], .connectFailed),
    Row(bluez + "Failed", "br-connection-canceled", [.gatt, .notify], .disconnected),
    Row(bluez + "Failed", "le-connection-", [.gatt, .notify], .disconnected),
  ]

  /// The other names of BlueZ.
  private static let named: [Row] = [
    Row(bluez + "InProgress", "", [], .busy),
    // `Set` of `Powered` while an earlier change is under way, and on an adapter that rfkill blocks.
    Row(bluez + "Busy", "", [.adapter], .busy),
    Row(bluez + "Blocked", "", [.adapter], .adapterUnavailable(.blocked)),
    Row(bluez + "NotReady", "", [], .adapterUnavailable(.poweredOff)),
    Row(bluez + "NotConnected", "", [.connect], .connectFailed),
    Row(bluez + "NotConnected", "", [], .disconnected),
    Row(bluez + "DoesNotExist", "", [.adapter], .adapterUnavailable(.absent)),
    Row(bluez + "DoesNotExist", "", [.gatt, .notify], .disconnected),
    Row(bluez + "DoesNotExist", "", [], .peripheralUnknown),
    // Bluetooth Core, Vol 3 Part F 3.4.1.1, as `create_gatt_dbus_error` (gatt-client.c) hides them.
    Row(bluez + "InvalidArguments", "Invalid Length", [.gatt, .notify], .att(0x0D)),
    Row(bluez + "InvalidArguments", "Invalid offset", [.gatt, .notify], .att(0x07)),
    Row(bluez + "InvalidValueLength", "", [.gatt, .notify], .att(0x0D)),
    Row(bluez + "InvalidOffset", "", [.gatt, .notify], .att(0x07)),
    Row(bluez + "NotSupported", "", [.gatt], .att(0x06)),
    // The characteristic has no notifications, or no descriptor to switch them on.
    Row(bluez + "NotSupported", "", [.notify], .notPermitted),
    Row(bluez + "NotAuthorized", "", [.gatt, .notify], .notPermitted),
    Row(bluez + "NotPermitted", "", [.gatt, .notify], .notPermitted),
    Row(bluez + "NotAuthorized", "", [.adapter, .forget], .permissionDenied),
    Row(bluez + "NotPermitted", "", [.adapter, .forget], .permissionDenied),
    Row(bluez + "ConnectionAttemptFailed", "", [], .connectFailed),
    Row(bluez + "AuthenticationFailed", "", [.connect], .connectFailed),
    Row(bluez + "AuthenticationCanceled", "", [.connect], .connectFailed),
    Row(bluez + "AuthenticationRejected", "", [.connect], .connectFailed),
    Row(bluez + "AuthenticationTimeout", "", [.connect], .connectFailed),
    Row(bluez + "NotAvailable", "", [.connect], .connectFailed),
    Row(bluez + "NotSupported", "", [.connect], .connectFailed),
  ]

  /// The bus's own names. A daemon that died in the middle of a call is known by its sentence alone.
  private static let bus: [Row] = [
    Row(dbus + "UnknownObject", "", [.adapter], .adapterUnavailable(.absent)),
    Row(dbus + "UnknownObject", "", [.connect, .forget], .peripheralUnknown),
    Row(dbus + "UnknownObject", "", [.gatt, .notify], .disconnected),
    // What GDBus-like daemons and older libdbus say instead of UnknownObject.
    Row(dbus + "UnknownMethod", "", [.adapter], .adapterUnavailable(.absent)),
    Row(dbus + "UnknownMethod", "", [.connect, .forget], .peripheralUnknown),
    Row(dbus + "UnknownMethod", "", [.gatt, .notify], .disconnected),
    Row(dbus + "UnknownInterface", "", [.adapter], .adapterUnavailable(.absent)),
    Row(dbus + "UnknownInterface", "", [.connect, .forget], .peripheralUnknown),
    Row(dbus + "UnknownInterface", "", [.gatt, .notify], .disconnected),
    Row(dbus + "ServiceUnknown", "", [], .stackUnavailable),
    Row(dbus + "NameHasNoOwner", "", [], .stackUnavailable),
    Row(dbus + "Spawn.*", "", [], .stackUnavailable),
    Row(dbus + "NoReply", "Message recipient disconnected", [], .stackUnavailable),
    Row(dbus + "NoReply", "", [], .timedOut),
    // The bus has tried to start the daemon for us, by itself or through systemd.
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
