import Model

extension Recognition {
  /// `waits`
  package var shortWords: String {
    switch self {
    case .awaitingProvisioning: "waits"
    case .locked: "waits for its button"
    case .present: "state unknown"
    case .configured(let identity): "at work" + (identity.map { " with \($0.distinction.visible)" } ?? "")
    }
  }
}
