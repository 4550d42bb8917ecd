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
}

/// The security of a link.
package enum LinkSecurity: Int, Hashable, Sendable, Comparable {
  case plain
  case encrypted
  /// Encrypted with a key that a passkey has protected.
  case authenticated

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
