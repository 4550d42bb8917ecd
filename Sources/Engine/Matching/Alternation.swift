import Bluetooth
import Model

/// Finds two devices that send with one address, from what the address sends in turn. Pure.
///
/// A sensor changes from provisioning mode to its beacon when it has saved, and back when a person presses its
/// button. Neither is undone within seconds. Two devices are received as one that changes to and fro.
struct Alternation: Hashable, Sendable {
  /// A change counts only so long after the one before: adapters report with different delays, so a report may
  /// be older than the last one of another adapter.
  static let delay = Duration.seconds(1)
  /// The longest time in which no device leaves a state and returns to it, unless this run writes it.
  static let shortestReturn = Duration.seconds(10)

  /// A state that was received, and no other since.
  private struct Period: Hashable {
    /// Its identity; nil in provisioning mode.
    let identity: DeviceIdentity?
    let adapter: AdapterID
    let began: MonotonicInstant
    var last: MonotonicInstant

    var sighting: StateSighting { StateSighting(adapter: adapter, identity: identity) }
  }

  private var previous: Period?
  private var present: Period?

  /// Takes what the address sent: the identity of its beacon, or nil in provisioning mode. Returns the two
  /// latest states if the device has returned to the earlier one too soon.
  mutating func receive(
    _ identity: DeviceIdentity?, on adapter: AdapterID, at now: MonotonicInstant
  ) -> (StateSighting, StateSighting)? {
    guard let present else {
      self.present = Period(identity: identity, adapter: adapter, began: now, last: now)
      return nil
    }
    if present.identity == identity {
      self.present?.last = max(present.last, now)
      return nil
    }
    guard present.began.duration(to: now) >= Self.delay else { return nil }
    let next = Period(identity: identity, adapter: adapter, began: now, last: now)
    defer { (previous, self.present) = (present, next) }
    guard let previous, previous.identity == identity,
      previous.last.duration(to: now) <= Self.shortestReturn
    else { return nil }
    return (present.sighting, next.sighting)
  }
}
