/// How a device pairs.
package struct PairingRules: Hashable, Sendable {
  /// The passkey on its label, which it demands; nil if it pairs by Just Works.
  package var passkey: UInt32?
  /// Whether it pairs now: some devices do only for a while after their start.
  package var isOpen: Bool
  /// Whether it answers the host's messages of pairing.
  package var isAnswering: Bool
  /// Whether it keeps the key for later connections.
  package var keepsKey: Bool
  /// Whether it loses the key at once, while the host keeps it.
  package var losesKey = false
  /// Whether it ends the link when it is to pair.
  package var leaves = false
  /// With how many hosts it can have keys.
  package var mostKeys: Int

  package init(
    passkey: UInt32? = nil, isOpen: Bool = true, isAnswering: Bool = true, keepsKey: Bool = true,
    mostKeys: Int = 8
  ) {
    self.passkey = passkey
    self.isOpen = isOpen
    self.isAnswering = isAnswering
    self.keepsKey = keepsKey
    self.mostKeys = mostKeys
  }

  /// How a device with a fault pairs; nil if it cannot.
  static func rules(_ usual: Self?, with fault: PairingFault) -> Self? {
    guard var rules = fault == .demanded ? usual ?? Self() : usual else { return nil }
    switch fault {
    case .demanded: break
    case .otherPasskey: rules.passkey = rules.passkey.map { ($0 + 1) % 1_000_000 }
    case .refused: rules.isOpen = false
    case .silent: rules.isAnswering = false
    case .lost: rules.leaves = true
    case .losesKey: rules.losesKey = true
    case .full: rules.mostKeys = 0
    }
    return rules
  }
}

/// What goes wrong with the pairing of a device, by its name in scenarios.
package enum PairingFault: String, Hashable, Sendable, CaseIterable {
  /// It demands an encrypted link whatever its family says, and pairs by Just Works.
  case demanded = "demands_pairing"
  /// It has another passkey than its label.
  case otherPasskey = "other_passkey"
  case refused = "refuses_pairing"
  /// It does not answer while it is paired.
  case silent = "silent_pairing"
  /// The link is lost while it is paired.
  case lost = "drops_pairing"
  /// It loses its key once it is paired.
  case losesKey = "loses_key"
  /// It has keys with as many hosts as it can.
  case full = "full_of_keys"
}

/// The security of a link.
package enum LinkSecurity: Int, Hashable, Sendable, Comparable {
  case plain
  case encrypted
  /// Encrypted with a key that a passkey has protected.
  case authenticated

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
