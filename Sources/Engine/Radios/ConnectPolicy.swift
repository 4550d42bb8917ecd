/// The limits of an attempt where they are shorter than the timeouts of the room: a device that does not respond
/// delays its neighbours, and the end of the run.
enum ConnectPolicy {
  /// How many connect times and session times of an adapter are kept.
  static let timesKept = 8
  /// With fewer connect times than this, the limit is twice the usual response time of the family; with fewer session
  /// times, a discovery has none.
  static let timesNeeded = 3
  /// The limit is this multiple of the longest kept connect time: 2 of 122 healthy sensors took longer than 3
  /// s under load.
  static let factor = 3

  /// The limit, which doubles with each charged failure; nil when only the timeout of the room applies, as for the last attempt.
  /// - Parameters:
  ///   - answersWithin: the usual response time of the family; nil when it is not known.
  ///   - charged: the failed attempts that were charged to the device.
  ///   - retries: the retries that the room allows.
  ///   - times: the last connect times of the adapter.
  ///   - isShared: whether another program scans with the adapter, which makes connecting slow.
  static func limit(
    answersWithin: Duration?, charged: Int, retries: Int, times: [Duration], isShared: Bool
  ) -> Duration? {
    guard let answersWithin, charged < retries, !isShared else { return nil }
    let known = times.count >= timesNeeded ? times.max() : nil
    return (known.map { max(answersWithin, $0 * factor) } ?? answersWithin * 2) * (1 << charged)
  }

  /// The limit of the discovery: 1.5 times the longest whole session that the adapter had recently. A discovery takes a
  /// third of a session, or three quarters while the adapter scans. The limit doubles with each charged failure; nil when
  /// only the timeout of the room applies, as for the last attempt.
  /// - Parameter sessions: the last session times of the adapter, from the connection to the device's response to the save.
  static func discoveryLimit(
    answersWithin: Duration?, charged: Int, retries: Int, sessions: [Duration], isShared: Bool
  ) -> Duration? {
    guard let answersWithin, charged < retries, !isShared, sessions.count >= timesNeeded,
      let longest = sessions.max()
    else { return nil }
    return max(answersWithin, longest * 3 / 2) * (1 << charged)
  }
}
