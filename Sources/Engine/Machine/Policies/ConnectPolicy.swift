import Bluetooth
import Model

/// How long a connection attempt may take where that is less than the room's own timeout: a device that does not answer
/// holds up its neighbours.
struct ConnectPolicy: Hashable, Sendable {
  /// How many connect times of an adapter the limit follows from.
  var timesKept = 8
  /// Until so many are known, the limit is twice what the family is known to answer within.
  var timesNeeded = 3
  /// By how much the longest of them is exceeded: 2 of 122 healthy sensors took longer than 3 s under load.
  var factor = 3

  /// The limit; nil when only the room's own timeout counts.
  /// - Parameters:
  ///   - answersWithin: what the family is known to answer within; nil when that is not known.
  ///   - charged: failed attempts that were charged to the device.
  ///   - retries: what the room allows.
  ///   - times: how long connecting took lately on the adapter.
  ///   - isShared: whether another program scans with the adapter, which makes connecting slow.
  func limit(
    answersWithin: Duration?, charged: Int, retries: Int, times: [Duration], isShared: Bool
  ) -> Duration? {
    guard let answersWithin, charged == 0, retries > 0, !isShared else { return nil }
    guard times.count >= timesNeeded, let longest = times.max() else { return answersWithin * 2 }
    return max(answersWithin, longest * factor)
  }
}
