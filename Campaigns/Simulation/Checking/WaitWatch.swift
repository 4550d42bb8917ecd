import Bluetooth
import Model

/// How long devices wait for their attempts, by the record: from the sighting, the end of the survey or the
/// end of a back-off, whichever is last, to the attempt.
struct WaitWatch {
  private var surveyed: Duration?
  private var received: [BluetoothAddress: Duration] = [:]
  private var pausingUntil: [RoomID: Duration] = [:]
  private(set) var longest: Duration = .zero

  /// Takes the next event; returns the wait of a device whose attempt started with it.
  mutating func take(_ event: RunEvent) -> Duration? {
    let now = event.elapsed
    switch event.fact {
    case .scanStopped(let fact) where fact.purpose == .survey:
      surveyed = now
    case .deviceSighted(let fact):
      if received[fact.address] == nil { received[fact.address] = now }
    case .retryScheduled(let fact):
      pausingUntil[fact.room] = now + .seconds(fact.delay)
    case .attemptStarted(let fact):
      let since = [surveyed, received[fact.address], pausingUntil[fact.room]].compactMap(\.self).max()
      guard let since else { return nil }
      let wait = max(now - since, .zero)
      longest = max(longest, wait)
      return wait
    default:
      break
    }
    return nil
  }
}
