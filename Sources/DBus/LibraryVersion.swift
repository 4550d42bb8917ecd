import CDBus

/// The D-Bus library in use.
package enum DBusLibrary {
  /// The name and version: `libdbus 1.14.10`.
  package static var version: String {
    var (major, minor, micro): (Int32, Int32, Int32) = (0, 0, 0)
    dbus_get_version(&major, &minor, &micro)
    return "libdbus \(major).\(minor).\(micro)"
  }
}
