public import Bluetooth

/// What an advertisement says about a device of a family.
public enum Recognition: Hashable, Sendable {
  /// It waits to be provisioned.
  case awaitingProvisioning
  /// It is at work, with this identity.
  case configured(IBeacon)
  /// It is there, and does not tell on air what it holds.
  case present
}

/// What proves a device.
public enum Proof: Hashable, Sendable {
  /// An iBeacon with this identity, from the address that was written.
  case beacon(BeaconIdentity)
  /// That the device itself ends the link after the write: nothing on air tells.
  case selfDisconnect
}

extension Proof {
  /// Whether this beacon is the one to be heard.
  public func isMet(by beacon: IBeacon) -> Bool {
    self == .beacon(beacon.identity)
  }

  /// The minor of the beacon to be heard; nil where none is.
  public var minor: UInt16? {
    if case .beacon(let identity) = self { identity.minor } else { nil }
  }
}
