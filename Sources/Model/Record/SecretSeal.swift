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

  /// The fingerprint of a secret in its place: the same secret in another room has another one. Nil of a secret whose own
  /// text is not here: nobody can tell whether it was changed.
  func fingerprint(of secret: Secret, _ setting: SettingName, in room: RoomID) -> String? {
    secret.ownText.map { digest("\(room)/\(setting)/\($0)") }
  }
}

/// What tells whether all passwords of some rooms are still the same.
public struct SealedPasswords: Hashable, Sendable, Codable {
  /// The key's name.
  public var key: String
  /// One keyed digest over all of them.
  public var fingerprint: String

  /// The passwords of rooms, without those that are not resolved. Nil when there are none, or stand-ins among them: nobody
  /// can tell then.
  public init?(of rooms: [Room], _ seal: SecretSeal) {
    guard !Self.haveStandIns(rooms) else { return nil }
    let secrets = rooms.flatMap { room in
      room.settings.sorted { $0.key < $1.key }.compactMap { name, value in
        if case .secret(let secret) = value { seal.fingerprint(of: secret, name, in: room.id) } else { nil }
      }
    }
    guard !secrets.isEmpty else { return nil }
    key = seal.key
    fingerprint = seal.digest(of: secrets.joined(separator: "\n"))
  }

  /// Whether they are those of these rooms, of which the same ones are resolved. With another key, or none, or stand-ins, nobody
  /// can tell: then they are taken to be.
  public func agrees(with rooms: [Room], _ seal: SecretSeal?) -> Bool {
    guard let seal, seal.key == key, !Self.haveStandIns(rooms) else { return true }
    return SealedPasswords(of: rooms, seal) == self
  }

  private static func haveStandIns(_ rooms: [Room]) -> Bool {
    rooms.contains { $0.secrets.contains(where: \.isStandIn) }
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
