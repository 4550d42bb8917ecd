package import Bluetooth

/// A device and the adapter whose host may have a bond with it.
package struct Bond: Hashable, Sendable {
  package let address: BluetoothAddress
  package let adapter: AdapterID

  package init(with address: BluetoothAddress, on adapter: AdapterID) {
    (self.address, self.adapter) = (address, adapter)
  }
}

/// The bonds of runs, by what they have recorded.
package struct Bonds: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    /// It may exist, from its intent on, and a run removes it.
    case temporary
    /// It exists, and no run removes it.
    case kept
    /// The same, and a passkey protects it.
    case protected
  }

  private var states: [Bond: State] = [:]

  package init() {}

  /// Nil if the host has no bond of a run with the device.
  package subscript(bond: Bond) -> State? { states[bond] }

  /// Takes what a fact says about a bond.
  /// - Returns: the bond; nil if the fact is about something else.
  @discardableResult
  package mutating func take(_ fact: Fact?) -> Bond? {
    switch fact {
    case .bondIntended(let fact):
      let bond = Bond(with: fact.address, on: fact.adapter)
      // An intent, too, means that there was no bond.
      states[bond] = fact.kept != true ? .temporary : fact.protected == true ? .protected : .kept
      return bond
    case .bondRemoved(let fact):
      let bond = Bond(with: fact.address, on: fact.adapter)
      states[bond] = nil
      return bond
    default: return nil
    }
  }

  /// The devices of the bonds in these states, by the adapter whose host has them.
  package func devices(_ wanted: State...) -> [AdapterID: Set<BluetoothAddress>] {
    states.reduce(into: [:]) { devices, entry in
      guard wanted.contains(entry.value) else { return }
      devices[entry.key.adapter, default: []].insert(entry.key.address)
    }
  }
}
