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

  /// The keyed digest of a text that is none of a room's.
  fileprivate func digest(of text: String) -> String { digest("all/\(text)") }

  /// The fingerprint of a secret in its place: the same secret in another room has another one.
  func fingerprint(of secret: Secret, _ setting: SettingName, in room: RoomID) -> String {
    digest("\(room)/\(setting)/\(secret.reveal())")
  }
}

/// What tells whether all passwords of a building are still the same.
public struct SealedPasswords: Hashable, Sendable, Codable {
  /// The key's name.
  public var key: String
  /// One keyed digest over all of them.
  public var fingerprint: String

  /// The passwords of a building; nil when there are none.
  public init?(of building: Building, _ seal: SecretSeal) {
    let secrets = building.rooms.flatMap { room in
      room.settings.sorted { $0.key < $1.key }.compactMap { name, value in
        if case .secret(let secret) = value { seal.fingerprint(of: secret, name, in: room.id) } else { nil }
      }
    }
    guard !secrets.isEmpty else { return nil }
    key = seal.key
    fingerprint = seal.digest(of: secrets.joined(separator: "\n"))
  }

  /// Whether they are the building's. With another key, or none, nobody can tell: then they are taken to be.
  public func agrees(with building: Building, _ seal: SecretSeal?) -> Bool {
    guard let seal, seal.key == key else { return true }
    return SealedPasswords(of: building, seal) == self
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
