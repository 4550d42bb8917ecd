import Bluetooth
import Model

/// The limits that an adapter is used within; each with its reason.
struct RadioLimits: Hashable, Sendable {
  /// An adapter connects only to what it heard this recently: BlueZ's objects are removed 30 s after discovery stops
  /// (docs/bluez.md), and 5 s are left for the attempt to begin.
  var freshness = Duration.seconds(25)
  /// The shortest scan window: long enough for every device that advertises every 100 ms, and most that do every second.
  var shortestWindow = Duration.milliseconds(1200)
  /// The longest: the kernel ends a discovery by itself after 10.24 s, and a busy bluetoothd misses it and is deaf from
  /// then on (docs/bluez.md).
  var longestWindow = Duration.seconds(8)
  /// How long an adapter connects before it scans again, when any device is to be heard: a proof that is late by this much
  /// delays nobody. What it has heard is about to be no longer fresh by then.
  var connecting = Duration.seconds(23)
  /// How long after its last connection an adapter that holds links does not scan: a session takes 3 s on a quiet adapter,
  /// and 7 s on one that scans.
  var quiet = Duration.seconds(10)
  /// An adapter that has scanned this long without a single report, from any device, is suspected: a deaf adapter makes
  /// every sensor look dead (docs/bluez.md, trap 59).
  var deafAfter = Duration.seconds(10)
  /// A device that rests, its budget spent, is clearly heard again when it is so many dB stronger than before,
  var stronger = 10
  /// or when every adapter had scanned so long without hearing it.
  var absence = Duration.seconds(20)
  /// How long attempts and proofs in flight go on once the operator asked the run to stop: a session takes 3 to 7 s, a
  /// restart of the device and its first beacon 3 to 10 s.
  var draining = Duration.seconds(20)
  /// How much better, in dB, another adapter must hear a device to be left the connection.
  var better = 15
  /// How many candidates an adapter may leave to others before it takes one all the same.
  var deferrals = 8

  static let standard = RadioLimits()
}
