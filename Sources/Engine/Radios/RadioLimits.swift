/// The limits for the use of an adapter, each with its reason.
package enum RadioLimits {
  /// The shortest scan window. It suffices for every device that advertises every 100 ms, and for most that
  /// do so every second.
  static let shortestWindow = Duration.milliseconds(1200)
  /// The longest scan window. The kernel ends a discovery by itself after 10.24 s; a busy bluetoothd misses
  /// that and reports no advertisement from then on (docs/internals/bluez.md).
  package static let longestWindow = Duration.seconds(8)
  /// How long an adapter connects to devices that need no recent sighting before it scans again, if any device must
  /// be received. A proof that is late by this much delays no room.
  static let connecting = Duration.seconds(23)
  /// How long an adapter that holds links does not scan after its last connection: a GATT session takes 3 s
  /// while the adapter does not scan, and 7 s while it does.
  static let quiet = Duration.seconds(10)
  /// An adapter that has scanned this long without a report from any device is suspected to be deaf: a deaf
  /// adapter makes every sensor look dead (docs/internals/bluez.md, trap 59).
  static let deafAfter = Duration.seconds(10)
  /// After this many connections in a row that failed without a sign that the adapter receives anything, it is
  /// suspected before the devices: it scans until it receives something, or is found to be deaf.
  static let failuresInSilence = 2
  /// The same once connections have failed that put it in doubt: it had just received these devices.
  static let deafAfterFailures = Duration.seconds(4)
  /// After this many connection attempts in a row without a link to devices that it received, an adapter is suspected
  /// before the devices: the kernel may have lost track of an attempt (docs/internals/bluez.md, trap 75). Attempts at
  /// devices that are known not to answer do not count.
  static let attemptsWithoutLink = 3
  /// The same for an adapter that has made no link yet: the attempt may be that of a killed run.
  static let firstAttemptsWithoutLink = 2
  /// The same while it has devices to connect to that it has not tried: one of them shows whether it makes links.
  static let attemptsAtOthers = 5
  /// A device without retries left gets new ones when its RSSI rises by this many dB,
  static let stronger = 10
  /// or when it returns after every adapter has scanned this long without a sighting of it.
  static let absence = Duration.seconds(20)
  /// How long attempts and proofs in flight continue after the operator asked the run to stop: a GATT session
  /// takes 3 to 7 s, a restart of the device and its first beacon 3 to 10 s.
  static let draining = Duration.seconds(20)
  /// An adapter leaves a connection to another one that receives the device stronger by at least this many
  /// dB.
  static let better = 15
  /// How many candidates an adapter skips in favour of others before it takes one in any case.
  static let deferrals = 8
}
