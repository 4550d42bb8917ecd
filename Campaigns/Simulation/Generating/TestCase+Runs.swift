import Bluetooth
import Model
import VirtualBuilding

extension TestCase {
  /// The runs of the faults phase with radio outages only: two runs, each with 3 to 8 outages of an adapter
  /// or of the stack.
  static func drawShortOutages(
    _ generator: SeededGenerator, _ building: Building, _ scenario: Scenario
  ) -> [Run] {
    var chance = generator
    return (0..<2).map { _ in
      var run = Run()
      let length = Duration.seconds(10 + building.rooms.count * 2)
      for _ in 0..<Int.random(in: 3...8, using: &chance) {
        guard let adapter = scenario.adapters.randomElement(using: &chance) else { break }
        let begin = chance.duration(in: .zero...length)
        let end = begin + chance.duration(in: .milliseconds(20)...(.milliseconds(900)))
        run.disturbances += outage(
          Outage.allCases.randomElement(using: &chance) ?? .power, adapter, begin, end)
      }
      run.disturbances.sort { $0.after < $1.after }
      return run
    }
  }

  /// The subject of an outage.
  private enum Outage: CaseIterable {
    case plug
    case power
    case stack
  }

  private static func outage(
    _ kind: Outage, _ adapter: AdapterScenario, name: String? = nil, _ begin: Duration, _ end: Duration
  ) -> [Disturbance] {
    switch kind {
    case .plug:
      [
        .init(after: begin, .unplugged(adapter.address)),
        .init(after: end, .plugged(adapter.address, name: name ?? adapter.name)),
      ]
    case .power:
      [
        .init(after: begin, .powered(adapter.address, false)),
        .init(after: end, .powered(adapter.address, true)),
      ]
    case .stack:
      [.init(after: begin, .stack(isRunning: false)), .init(after: end, .stack(isRunning: true))]
    }
  }

  /// The runs of the faults phase: one to three, with their disturbances.
  /// - Parameter moreRuns: how many more there are.
  static func drawRuns(
    _ generator: SeededGenerator, _ building: Building, _ scenario: Scenario, moreRuns: Int = 0
  ) -> [Run] {
    var chance = generator
    let eventfulness = [0, 1, 3].randomElement(using: &chance) ?? 0
    return (0..<Int.random(in: 1...3, using: &chance) + moreRuns).map { number in
      var run = Run()
      if number > 0 { drawChange(generator.split("change/\(number)"), building, &run) }
      // Some disturbances come after the end of a short run.
      let length = Duration.seconds(10 + building.rooms.count * 4)
      for _ in 0..<eventfulness {
        run.disturbances += drawDisturbance(&chance, building, scenario, within: length)
      }
      run.disturbances.sort { $0.after < $1.after }
      if chance.chance(0.25) {
        // Early events are more likely than late ones.
        let most = Double(10 + building.rooms.count * 25)
        run.diesAt = Int(most * chance.fraction() * chance.fraction()) + 1
        run.survivors = chance.fraction()
      }
      if chance.chance(0.15) {
        run.skipped = Set(building.rooms.map(\.id).filter { _ in chance.chance(0.3) })
        if run.skipped.count == building.rooms.count { run.skipped = [] }
      }
      run.isConfirmed = chance.chance(0.95)
      if chance.chance(0.1) { run.failureLimit = Int.random(in: 0...3, using: &chance) }
      if chance.chance(0.1), let adapter = scenario.adapters.randomElement(using: &chance) {
        run.adapters = [AdapterReference(adapter.name)]
      }
      if chance.chance(0.15) {
        run.canaries = Int.random(in: 1...3, using: &chance)
        run.areCanariesWell = chance.chance(0.8)
      }
      if chance.chance(0.1) {
        // Some sensors never appear, so the run must be interrupted.
        run.isWatching = true
        let end = length + chance.duration(in: .zero...(.seconds(120)))
        run.disturbances.append(.init(after: end, .interrupted))
        run.disturbances.sort { $0.after < $1.after }
      }
      run.pause = chance.duration(in: .seconds(5)...(.seconds(60)))
      return run
    }
  }

  /// A change of the WiFi password between two runs, and the rooms whose device the operator readies for it.
  private static func drawChange(_ generator: SeededGenerator, _ building: Building, _ run: inout Run) {
    var chance = generator
    guard chance.chance(0.3) else { return }
    run.newPassword = "horse battery \(Int.random(in: 100...999, using: &chance))"
    run.readied = Set(
      building.rooms.filter { $0.family.lifecycle == .provisioningMode && !$0.isRegistered }.map(\.id)
        .filter { _ in chance.chance(0.8) })
  }

  /// A disturbance, and its end if it has one.
  private static func drawDisturbance(
    _ chance: inout SeededGenerator, _ building: Building, _ scenario: Scenario, within length: Duration
  ) -> [Disturbance] {
    let begin = chance.duration(in: .zero...length)
    // Evenly distributed over powers of two; some outages last longer than a run waits for an adapter.
    let doublings = Int.random(in: 0...11, using: &chance)
    let end = begin + min(.milliseconds(20 << doublings) * (1 + chance.fraction()), .seconds(60))
    let sensor = scenario.sensors.randomElement(using: &chance)?.address
    guard let adapter = scenario.adapters.randomElement(using: &chance), let sensor else { return [] }
    switch Int.random(in: 0..<9, using: &chance) {
    case 0, 1:
      let name = chance.chance(0.5) ? adapter.name : "hci\(scenario.adapters.count + 2)"
      return outage(.plug, adapter, name: name, begin, end)
    case 2: return outage(.power, adapter, begin, end)
    case 3: return outage(.stack, adapter, begin, end)
    case 4: return [.init(after: begin, .interrupted)]
    case 5:
      let kind = HostPause.Kind.allCases.randomElement(using: &chance) ?? .stopped
      return [.init(after: begin, .paused(HostPause(kind, seconds: 30)))]
    // A sensor that was configured elsewhere could not be configured again here.
    case 6: return isRegistered(sensor, building, scenario) ? [] : [.init(after: begin, .button(sensor))]
    case 7:
      return [
        .init(after: begin, .carriedAway(sensor, true)), .init(after: end, .carriedAway(sensor, false)),
      ]
    default: return [.init(after: begin, .linkCut(sensor))]
    }
  }
}

/// Whether a sensor belongs to a room whose device was configured elsewhere.
private func isRegistered(_ sensor: BluetoothAddress, _ building: Building, _ scenario: Scenario) -> Bool {
  zip(building.rooms, scenario.sensors).contains { $0.isRegistered && $1.address == sensor }
}

extension SeededGenerator {
  mutating func fraction() -> Double { Double.random(in: 0..<1, using: &self) }
}
