package import Bluetooth

extension Room {
  /// Whether its device is paired before anything else.
  package var pairs: Bool { pairingDemand == .justWorks || pairingDemand == .passkey }

  /// Whether its device is paired once it has shown that it demands that.
  package var pairsIfAsked: Bool { pairingDemand == .ifAsked }

  /// How its device is paired; nil if it is not. Its secrets must be resolved.
  package var pairing: Pairing.Method? {
    switch pairingDemand {
    case .unneeded, .ifAsked:
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

  /// That of its family, unless the manifest gives it for the room, or an attempt has shown it.
  package var pairingDemand: PairingDemand {
    get {
      guard case .text(let name)? = access[.pairing] else { return family.pairing }
      return PairingDemand(rawValue: name) ?? family.pairing
    }
    set { access[.pairing] = .text(newValue.rawValue) }
  }
}
