/// Which advertisements of a device a controller reports to the host while it scans (`Filter_Duplicates`, Bluetooth Core,
/// Vol 4 Part E 7.8.11: what counts as a duplicate is the controller's own decision).
public enum DuplicateFilter: Hashable, Sendable {
  /// One advertisement of each device and type (connectable, not connectable) per scan, whatever the later ones say.
  /// Starting the scan anew empties the controller's memory. The radio lab calls this chip `strict`.
  case oncePerScan
  /// What has changed at once, what has not changed at most this often.
  case every(Duration)
}
