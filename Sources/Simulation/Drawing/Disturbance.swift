public import Bluetooth
public import Model

/// Something that happens while a run goes on, and that it can do nothing about.
public struct Disturbance: Hashable, Sendable {
  /// After the run's beginning.
  public var after: Duration
  /// What happens.
  public var kind: Kind

  /// What can happen.
  public enum Kind: Hashable, Sendable {
    /// An adapter is unplugged.
    case unplugged(BluetoothAddress)
    /// It is plugged in again, perhaps as another `hciN`.
    case plugged(BluetoothAddress, name: String)
    /// An adapter is switched off or on.
    case powered(BluetoothAddress, Bool)
    /// The stack is stopped or started.
    case stack(isRunning: Bool)
    /// A person wants the run to stop.
    case interrupted
    /// The host did nothing for a while, or so it is told.
    case paused(HostPause)
    /// Somebody presses a sensor's button.
    case button(BluetoothAddress)
    /// Somebody carries a sensor out of range, or back.
    case carriedAway(BluetoothAddress, Bool)
    /// Somebody walks between a sensor and the adapter that it is linked to.
    case linkCut(BluetoothAddress)
  }

  /// A disturbance.
  public init(after: Duration, _ kind: Kind) {
    self.after = after
    self.kind = kind
  }
}
