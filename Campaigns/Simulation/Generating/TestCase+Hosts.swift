import Bluetooth
import Model
import VirtualBuilding

extension TestCase {
  /// Moves adapters to one to four other hosts, all of them in half of the cases, and draws the losses of these hosts
  /// and of their stacks.
  mutating func drawHosts(_ generator: SeededGenerator) {
    var chance = generator
    scenario.hosts = (1...Int.random(in: 1...4, using: &chance)).compactMap { number in
      // 0 to 250 ms, small delays as often as large ones.
      let delay = Duration.milliseconds([0, 1, 5, 20, 50, 100, 250].randomElement(using: &chance) ?? 0)
      let jitter = delay * chance.fraction()
      return HostName("floor-\(number)").map { HostScenario($0, delay: delay, jitter: jitter) }
    }
    let hasOwn = chance.chance(0.5)
    for index in scenario.adapters.indices {
      // A device that is proved by the end of its link is written by an adapter of this computer.
      if index == 0, needsOwnAdapter || hasOwn { continue }
      if hasOwn, chance.chance(0.3) { continue }
      move(index, to: scenario.hosts.randomElement(using: &chance)?.name)
    }
    if needsOwnAdapter { bringOwnAdapter(&chance) }
    for index in runs.indices { drawLosses(in: &runs[index], &chance) }
  }

  private var needsOwnAdapter: Bool { building.rooms.contains { $0.family.proof.isSelfDisconnect } }

  /// The devices that only an adapter of this computer can write are in its range. In some buildings it is plugged in
  /// only when nothing else is left to do.
  private mutating func bringOwnAdapter(_ chance: inout SeededGenerator) {
    for (index, room) in building.rooms.enumerated() where room.family.proof.isSelfDisconnect {
      scenario.sensors[index].signal.perAdapter[scenario.adapters[0].address] = -70
    }
    if scenario.adapters.count > 1, chance.chance(0.3) { scenario.adapters[0].isPresent = false }
  }

  /// Moves an adapter to a host, where it has another name, and whatever names it.
  private mutating func move(_ index: Int, to host: HostName?) {
    guard let host else { return }
    let adapter = scenario.adapters[index]
    let names = (adapter.name, adapter.address.description)
    let name = "hci\(scenario.adapters.count { $0.host == host })"
    func moved(_ reference: AdapterReference) -> AdapterReference {
      switch reference.text {
      case names.0: AdapterReference("\(host)/\(name)")
      case names.1: AdapterReference("\(host)/\(names.1)")
      default: reference
      }
    }
    (scenario.adapters[index].host, scenario.adapters[index].name) = (host, name)
    building.adapters = building.adapters.map { description in
      var description = description
      description.reference = moved(description.reference)
      return description
    }
    for room in building.rooms.indices {
      building.rooms[room].near = building.rooms[room].near.map(moved)
    }
    for run in runs.indices { runs[run].adapters = runs[run].adapters.map(moved) }
  }

  private func drawLosses(in run: inout Run, _ chance: inout SeededGenerator) {
    let length = Duration.seconds(10 + building.rooms.count * 4)
    for _ in 0..<Int.random(in: 0...3, using: &chance) {
      guard let host = scenario.hosts.randomElement(using: &chance)?.name else { return }
      let begin = chance.duration(in: .zero...length)
      // Evenly distributed over powers of two, from 0.2 s.
      let outage =
        Duration.milliseconds(200 << Int.random(in: 0...8, using: &chance)) * (1 + chance.fraction())
      let end = begin + min(outage, .seconds(60))
      run.disturbances +=
        chance.chance(0.3)
        ? [
          .init(after: begin, .stack(.one(host), isRunning: false)),
          .init(after: end, .stack(.one(host), isRunning: true)),
        ]
        : [
          .init(after: begin, .host(host, isReachable: false)),
          .init(after: end, .host(host, isReachable: true)),
        ]
    }
    run.disturbances.sort { $0.after < $1.after }
  }
}
