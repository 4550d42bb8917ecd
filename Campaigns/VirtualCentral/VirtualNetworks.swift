package import Bluetooth
package import VirtualBuilding

/// The networks to the hosts of a scenario.
package struct VirtualNetworks: Sendable {
  private let networks: [HostName: VirtualNetwork]

  /// Creates a network to each host, with the seed of the scenario.
  package init(of scenario: Scenario, clock: any TimeSource) {
    let generator = SeededGenerator(seed: scenario.seed)
    networks = Dictionary(
      uniqueKeysWithValues: scenario.hosts.map {
        ($0.name, VirtualNetwork(to: $0, generator.split("host/\($0.name)"), clock))
      })
  }

  package subscript(_ host: HostName) -> VirtualNetwork? { networks[host] }

  /// A central for each of the hosts.
  package func centrals(
    in world: World, clock: any TimeSource
  ) async -> [(host: HostName, central: VirtualCentral)] {
    var centrals: [(HostName, VirtualCentral)] = []
    for host in world.scenario.hosts {
      let central = await VirtualCentral(world: world, on: host.name, through: self[host.name], clock: clock)
      centrals.append((host.name, central))
    }
    return centrals
  }
}
