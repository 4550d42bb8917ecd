import CDBus

/// The D-Bus library in use.
public enum DBusLibrary {
  /// Its name and version: `libdbus 1.14.10`.
  public static var version: String {
    var (major, minor, micro): (Int32, Int32, Int32) = (0, 0, 0)
    dbus_get_version(&major, &minor, &micro)
    return "libdbus \(major).\(minor).\(micro)"
  }
}
