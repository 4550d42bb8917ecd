/// Random scenarios, each in a building of its own.
package struct Campaign: Sendable {
  /// The seed that determines everything.
  package let seed: UInt64
  /// The number of buildings.
  package let count: Int
  /// The number of scenarios at the same time; each has its own thread.
  package let width: Int
  /// The disturbances of each scenario.
  package let disturbances: TestCase.Disturbances
  /// The families of its buildings.
  package let families: SimulatedFamilies

  package init(
    seed: UInt64, count: Int, width: Int, families: SimulatedFamilies,
    disturbances: TestCase.Disturbances = .all
  ) {
    self.seed = seed
    self.count = count
    self.width = max(1, width)
    self.disturbances = disturbances
    self.families = families
  }

  /// Runs all scenarios and passes each result to `report`, in the order of their numbers. Once `report` returns
  /// false, no further scenario begins; those in progress run to their end without a report.
  /// - Returns: the sums over all reported scenarios.
  package func play(reporting report: (_ number: Int, TestCaseResult) -> Bool) async -> Tally {
    await withTaskGroup(of: (Int, TestCaseResult).self) { group in
      var tally = Tally()
      var early: [Int: TestCaseResult] = [:]
      var begun = 0
      var reported = 0
      var wantsMore = true
      func begin() {
        let (number, seed) = (begun, TestCase.seed(begun, of: seed))
        begun += 1
        group.addTask { [disturbances, families] in
          (number, await TestCase(seed: seed, families: families, disturbances: disturbances).play())
        }
      }
      while begun < min(width, count) { begin() }
      for await (number, result) in group {
        early[number] = result
        while wantsMore, let next = early.removeValue(forKey: reported) {
          tally.add(next.tally)
          wantsMore = report(reported, next)
          reported += 1
        }
        if wantsMore, begun < count { begin() }
      }
      return tally
    }
  }
}
