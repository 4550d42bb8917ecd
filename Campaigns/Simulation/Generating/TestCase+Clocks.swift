import VirtualBuilding

extension TestCase {
  /// The runs with clocks that are wrong in half of the cases, by up to 400 days in either direction, and by another
  /// time in each run: a battery is empty, or a laptop has the time of another zone.
  static func withWrongClocks(_ runs: [Run], _ generator: SeededGenerator) -> [Run] {
    var chance = generator
    guard chance.chance(0.5) else { return runs }
    return runs.map { run in
      var run = run
      let days = chance.chance(0.5) ? 400.0 : 0.02
      run.clockError = .seconds((2 * chance.fraction() - 1) * days * 86_400)
      return run
    }
  }
}
