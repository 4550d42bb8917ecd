/// Shows whether a secret equals the one that a device got, without keeping it: a keyed digest.
///
/// A plain digest of a WiFi password could be found by guessing; the key prevents that for anyone who has
/// only the record. The key belongs to the site; the record contains only its name.
package struct SecretSeal: Sendable {
  /// The name of the key; fingerprints of different keys cannot be compared.
  package let key: String
  private let digest: @Sendable (_ text: String) -> String

  /// - Parameter digest: the HMAC-SHA-256 of a text, in lower-case hex.
  package init(key: String, digest: @escaping @Sendable (_ text: String) -> String) {
    (self.key, self.digest) = (key, digest)
  }

  /// The keyed digest of a text that belongs to no single room.
  fileprivate func digest(of text: String) -> String { digest("all/\(text)") }

  /// The fingerprint of a secret in its place: the same secret in another room has another one. Nil for a
  /// secret without its own text, which cannot be compared.
  func fingerprint(of secret: Secret, _ setting: SettingName, in room: RoomID) -> String? {
    secret.ownText.map { digest("\(room)/\(setting)/\($0)") }
  }
}

/// A fingerprint of all passwords of some rooms.
package struct SealedPasswords: Hashable, Sendable, Codable {
  package var key: String
  package var fingerprint: String

  /// The fingerprint of the resolved passwords of rooms. Nil when there are none, or when stand-ins among
  /// them prevent a comparison.
  package init?(of rooms: [Room], _ seal: SecretSeal) {
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

  /// Whether it matches these rooms, of which the same ones are resolved. True when a comparison is
  /// impossible: with another key, without one, or with stand-ins.
  package func agrees(with rooms: [Room], _ seal: SecretSeal?) -> Bool {
    guard let seal, seal.key == key, !Self.haveStandIns(rooms) else { return true }
    return SealedPasswords(of: rooms, seal) == self
  }

  private static func haveStandIns(_ rooms: [Room]) -> Bool {
    rooms.contains { $0.secrets.contains(where: \.isStandIn) }
  }
}

extension Room {
  /// The room's settings in the order of its family, each with its state.
  package func settingResults(
    _ seal: SecretSeal?, _ state: (SettingName) -> SettingState
  ) -> [SettingResult] {
    family.settings.map(\.name).compactMap { name in
      guard let value = settings[name] else { return nil }
      var fingerprint: String?
      if case .secret(let secret) = value { fingerprint = seal?.fingerprint(of: secret, name, in: id) }
      return SettingResult(name: name, value: value.shown, state: state(name), fingerprint: fingerprint)
    }
  }
}
