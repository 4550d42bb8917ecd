import Bluetooth

/// One use of one adapter by a run, from the moment the run takes it until it is lost.
///
/// An adapter that comes back, even after 20 ms, is in another session: a scan window, a link or a failure of
/// an earlier session never counts for a later one.
struct RadioSession: Hashable, Sendable, CustomStringConvertible {
  let adapter: AdapterID
  /// Counts the sessions of all adapters of a run, from 1.
  let number: Int

  var description: String { "\(adapter)#\(number)" }
}
