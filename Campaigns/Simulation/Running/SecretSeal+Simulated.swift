package import Model
import VirtualBuilding

extension SecretSeal {
  /// A keyed digest that is sufficient for a simulation.
  package static let simulated = SecretSeal(key: "site") { text in
    String(SeededGenerator(seed: 1).split(text).seed, radix: 16)
  }
}
