/// Tells whether a secret is still the one that a device was given, without keeping it: a keyed digest.
///
/// A plain digest of a WiFi password would be found by trying; the key makes that impossible for who has only
/// the record. The key belongs to the site and is never on record, only its name is.
public struct SecretSeal: Sendable {
  /// The key's name, the same for the same key: fingerprints of other keys cannot be compared.
  public let key: String
  private let digest: @Sendable (_ text: String) -> String

  /// A seal.
  /// - Parameter digest: a keyed digest of a text (HMAC-SHA-256), in lower-case hex.
  public init(key: String, digest: @escaping @Sendable (_ text: String) -> String) {
    self.key = key
    self.digest = digest
  }

  /// The fingerprint of a secret in its place: the same secret in another room has another one.
  func fingerprint(of secret: Secret, _ setting: SettingName, in room: RoomID) -> String {
    digest("\(room)/\(setting)/\(secret.reveal())")
  }
}

extension Room {
  /// Its settings in this order, each as far as `state` says.
  package func settingResults(
    in order: [SettingName], _ seal: SecretSeal?, _ state: (SettingName) -> SettingState
  ) -> [SettingResult] {
    order.compactMap { name in
      guard let value = settings[name] else { return nil }
      var fingerprint: String?
      if case .secret(let secret) = value { fingerprint = seal?.fingerprint(of: secret, name, in: id) }
      return SettingResult(name: name, value: value.shown, state: state(name), fingerprint: fingerprint)
    }
  }
}
