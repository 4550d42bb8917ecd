/// Which security the sessions of a family must have, where devices say theirs. Whoever imitates a device can say a lower
/// one, whose secret can be guessed.
package struct SecurityRule: Hashable, Sendable {
  /// The setting with the lowest one that a room accepts, and the lowest without it.
  package var setting: SettingName
  package var usual: Int
  /// What only devices of the strongest one have.
  package var sign: SettingName
  package var strongest: Int
  /// The secret that can be guessed offline below the strongest: who took part in one session can try texts without limit.
  package var secret: SettingName

  /// The random bits of a secret that cannot be guessed.
  package static let bits = 80

  package init(
    _ setting: SettingName, usual: Int, sign: SettingName, strongest: Int, secret: SettingName
  ) {
    (self.setting, self.usual, self.sign) = (setting, usual, sign)
    (self.strongest, self.secret) = (strongest, secret)
  }

  /// The lowest security of a session with a room's device.
  /// - Parameter recorded: The highest that earlier sessions with the device had; nil without one.
  package func lowest(_ access: [SettingName: SettingValue], recorded: Int? = nil) -> Int {
    named(access) ?? max(usual, recorded ?? 0)
  }

  /// The security that a room names, which firmware that does not say its own is taken to have; nil if it names none.
  package func named(_ access: [SettingName: SettingValue]) -> Int? {
    hasSign(access) ? max(demanded(access) ?? strongest, strongest) : demanded(access)
  }

  /// Whether a room demands a lower security than the one that its device must have.
  package func isContradictory(_ access: [SettingName: SettingValue]) -> Bool {
    demanded(access).map { $0 < strongest } ?? false && hasSign(access)
  }

  /// Whether a room's secret can be guessed offline.
  package func isGuessable(_ access: [SettingName: SettingValue]) -> Bool {
    guard lowest(access) < strongest, case .secret(let secret)? = access[secret], secret.isResolved else {
      return false
    }
    let text = secret.reveal()
    return !text.isEmpty && text.mostRandomBits < Self.bits
  }

  private func demanded(_ access: [SettingName: SettingValue]) -> Int? {
    if case .integer(let security)? = access[setting] { security } else { nil }
  }

  /// Whether a label has it is not known before the label is read.
  private func hasSign(_ access: [SettingName: SettingValue]) -> Bool {
    switch access[sign] {
    case .secret(let secret)?:
      if case .labels? = secret.reference?.source { return false }
      return !secret.isResolved || !secret.reveal().isEmpty
    default: return false
    }
  }
}

extension String {
  /// The random bits of a text of this length and these characters, if each was drawn at random.
  fileprivate var mostRandomBits: Int {
    func has(_ characters: ClosedRange<Character>) -> Bool { contains(where: characters.contains) }
    func isOnly(_ characters: ClosedRange<Character>) -> Bool {
      allSatisfy { ("0"..."9").contains($0) || characters.contains($0) }
    }
    // In hundredths of a bit.
    let perCharacter =
      if isOnly("0"..."9") { 332 } else if isOnly("a"..."f") || isOnly("A"..."F") {
        400
      } else if isOnly("a"..."z")
        || isOnly("A"..."Z")
      {
        has("0"..."9") ? 517 : 470
      } else if allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) { 595 } else { 657 }
    return count * perCharacter / 100
  }
}
