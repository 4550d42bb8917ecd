package import Bluetooth

extension Room {
  /// Whether its device is paired before anything else.
  package var pairs: Bool { pairingDemand != .unneeded }

  /// How its device is paired; nil if it is not. Its secrets must be resolved.
  package var pairing: Pairing.Method? {
    switch pairingDemand {
    case .unneeded:
      return nil
    case .justWorks:
      return .justWorks
    case .passkey:
      guard case .secret(let secret)? = access[.passkey], let passkey = Passkey(secret.reveal()) else {
        preconditionFailure("a room whose device is paired with a passkey has one of six digits")
      }
      return .passkey(passkey)
    }
  }

  /// That of its family, unless the manifest gives it for the room.
  private var pairingDemand: PairingDemand {
    guard case .text(let name)? = access[.pairing] else { return family.pairing }
    return PairingDemand(rawValue: name) ?? family.pairing
  }
}
