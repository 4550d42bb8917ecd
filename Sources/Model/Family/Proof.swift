package import Bluetooth

/// The state of a device, by an advertisement.
package enum Recognition: Hashable, Sendable {
  /// It is in provisioning mode.
  case awaitingProvisioning
  /// It is configured with this identity.
  case configured(IBeacon)
  /// It is present; its advertisement does not show its settings.
  case present
}

/// The proof that a device has its settings.
package enum Proof: Hashable, Sendable {
  /// An iBeacon with this identity, from the address that was written.
  case beacon(BeaconIdentity)
  /// The device itself ends the link after the write; nothing on air shows the settings.
  case selfDisconnect
}

extension Proof {
  /// Whether this beacon is the proof.
  package func isMet(by beacon: IBeacon) -> Bool {
    self == .beacon(beacon.identity)
  }

  /// The minor of the expected beacon; nil without one.
  package var minor: UInt16? {
    if case .beacon(let identity) = self { identity.minor } else { nil }
  }
}
