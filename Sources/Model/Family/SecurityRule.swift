/// Which security the sessions of a family must have, where devices say theirs. Whoever imitates a device can say a lower
/// one, whose secret can be guessed.
package struct SecurityRule: Hashable, Sendable {
  /// The setting with the lowest one that a room accepts, and the lowest without it.
  package var setting: SettingName
  package var usual: Int
  /// The setting that only devices of the strongest one have.
  package var ofStrongest: SettingName
  package var strongest: Int
  /// The secret that can be guessed offline below the strongest: who took part in one session can try texts without limit.
  package var secret: SettingName

  /// The random bits of a secret that cannot be guessed.
  package static let bits = 80

  package init(
    _ setting: SettingName, usual: Int, ofStrongest: SettingName, strongest: Int, secret: SettingName
  ) {
    (self.setting, self.usual, self.ofStrongest) = (setting, usual, ofStrongest)
    (self.strongest, self.secret) = (strongest, secret)
  }

  /// The lowest security of a session with a room's device.
  /// - Parameter recorded: The highest that earlier sessions with the device had; nil without one.
  package func lowest(_ access: [SettingName: SettingValue], recorded: Int? = nil) -> Int {
    named(access) ?? max(usual, recorded ?? 0)
  }

  /// The security that a room names, which firmware that does not say its own is taken to have; nil if it names none.
  package func named(_ access: [SettingName: SettingValue]) -> Int? {
    isStrongest(access) ? max(demanded(access) ?? strongest, strongest) : demanded(access)
  }

  /// Whether a room demands a lower security than the one that its device must have.
  package func isContradictory(_ access: [SettingName: SettingValue]) -> Bool {
    demanded(access).map { $0 < strongest } ?? false && isStrongest(access)
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

  /// Whether a room has what only devices of the strongest one have. That of a label is not known before the label is read.
  private func isStrongest(_ access: [SettingName: SettingValue]) -> Bool {
    guard case .secret(let secret)? = access[ofStrongest] else { return false }
    if case .labels? = secret.reference?.source { return false }
    return !secret.isResolved || !secret.reveal().isEmpty
  }
}

extension String {
  /// The random bits of a text of this length and these characters, if each was drawn at random.
  fileprivate var mostRandomBits: Int { count * hundredthsOfBits / 100 }

  /// The hundredths of a bit of a character of the smallest usual alphabet that has all characters of the text.
  private var hundredthsOfBits: Int {
    func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
    func isOnly(_ letters: ClosedRange<Character>) -> Bool {
      allSatisfy { isDigit($0) || letters.contains($0) }
    }
    if allSatisfy(isDigit) { return 332 }
    if isOnly("a"..."f") || isOnly("A"..."F") { return 400 }
    if isOnly("a"..."z") || isOnly("A"..."Z") { return contains(where: isDigit) ? 517 : 470 }
    return allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? 595 : 657
  }
}
