import Model

extension Recognition {
  /// `waits`, `at work with minor 7`
  package var shortWords: String { words { " with \($0.distinction.visible)" } }

  /// - Parameter shown: The words for the identity of a device at work.
  func words(_ shown: (DeviceIdentity) -> String) -> String {
    switch self {
    case .awaitingProvisioning: "waits"
    case .locked: "waits for its button"
    case .joining: "joins its network"
    case .present: "state unknown"
    case .configured(let identity): "at work" + (identity.map(shown) ?? "")
    }
  }
}
