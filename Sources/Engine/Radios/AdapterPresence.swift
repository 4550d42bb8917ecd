import Bluetooth
import Model

/// Which adapters are present, and which requests about them are pending.
struct AdapterPresence: Sendable {
  /// The wait for an adapter that can be used.
  struct Wait: Sendable {
    let until: MonotonicInstant
    /// The last record of this wait.
    var recorded: AdapterAwaited?
    /// Why no adapter can be used.
    var failure: CentralError
    /// Whether the time is over and the last list of adapters is pending: the stack may have been lost after
    /// the adapters.
    var isOver = false
  }

  /// Whether the adapters must be listed again.
  var mayHaveChanged = false
  var isListing = false
  var isWatchEnded = false
  /// Why hosts cannot be used, as the record says it.
  var unavailable: [HostName: HostUnavailable.Cause] = [:]
  /// When the stack or the bus of a host was last found to be lost.
  var stackLostAt: [HostName?: MonotonicInstant] = [:]
  var claiming: [AdapterID: Adapter] = [:]
  /// Why an adapter could not be claimed: the first refusal since the wait began.
  var refusal: RunRefusal?
  /// Sessions in which links of an earlier run are being searched or ended. Their adapters make no connection
  /// meanwhile.
  var releasing: Set<RadioSession> = []
  /// The adapters that are being switched off and on, with the reason.
  var powerCycling: [AdapterID: AdapterFault.Kind] = [:]
  /// The wait for an adapter; nil while one can be used.
  var wait: Wait?
}
