/// Which advertisements of a device a scanning controller reports to the host (`Filter_Duplicates`, Bluetooth
/// Core, Vol 4 Part E 7.8.11; the controller decides what counts as a duplicate).
package enum DuplicateFilter: Hashable, Sendable {
  /// One advertisement per device, type (connectable or not) and scan, whatever the later ones contain. A
  /// restart of the scan clears the controller's memory. The radio lab calls this chip `strict`.
  case oncePerScan
  /// Changed advertisements immediately, unchanged ones at most once per this interval.
  case every(Duration)
}
