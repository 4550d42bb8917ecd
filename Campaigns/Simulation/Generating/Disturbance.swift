package import Bluetooth
package import Model
package import VirtualBuilding

/// An event during a run that the run cannot prevent.
package struct Disturbance: Hashable, Sendable {
  /// The time since the start of the run.
  package var after: Duration
  package var kind: Kind

  package enum Kind: Hashable, Sendable {
    /// An adapter is unplugged.
    case unplugged(BluetoothAddress)
    /// An adapter is plugged in again, perhaps with another name.
    case plugged(BluetoothAddress, name: String)
    /// An adapter is switched off (false) or on.
    case powered(BluetoothAddress, Bool)
    /// The stack of hosts ends (false) or starts.
    case stack(World.Hosts = .all, isRunning: Bool)
    /// The connection to a host is lost (false), or it can be reached again.
    case host(HostName, isReachable: Bool)
    /// The operator interrupts the run.
    case interrupted
    /// The run gets the report of a pause of the host, or of a clock change.
    case paused(HostPause)
    /// A person presses a sensor's button.
    case button(BluetoothAddress)
    /// A person carries a sensor out of range (true), or back.
    case carriedAway(BluetoothAddress, Bool)
    /// The link of a sensor is lost.
    case linkCut(BluetoothAddress)
  }

  var losesHost: Bool { if case .host(_, isReachable: false) = kind { true } else { false } }

  package init(after: Duration, _ kind: Kind) {
    self.after = after
    self.kind = kind
  }
}
