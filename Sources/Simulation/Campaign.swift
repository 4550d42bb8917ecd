/// Trials, one after the other, each in a building of its own.
public struct Campaign: Sendable {
  /// What everything follows from.
  public let seed: UInt64
  /// How many buildings.
  public let count: Int
  /// How many trials go on at the same time; each has a thread of its own.
  public let width: Int
  /// What goes wrong in each.
  public let disturbances: Trial.Disturbances

  /// A campaign.
  public init(seed: UInt64, count: Int, width: Int, disturbances: Trial.Disturbances = .all) {
    self.seed = seed
    self.count = count
    self.width = max(1, width)
    self.disturbances = disturbances
  }

  /// Plays all trials and tells of each, in their order, whatever the order in which they end. No more are begun once
  /// `tell` says no; those under way are played to their end and not told.
  /// - Returns: what those that were told have gone through in all.
  public func play(telling tell: (_ number: Int, TrialResult) -> Bool) async -> Tally {
    await withTaskGroup(of: (Int, TrialResult).self) { group in
      var tally = Tally()
      var early: [Int: TrialResult] = [:]
      var begun = 0
      var told = 0
      var wantsMore = true
      func begin() {
        let (number, seed) = (begun, Trial.seed(begun, of: seed))
        begun += 1
        group.addTask { [disturbances] in
          (number, await Trial(seed: seed, disturbances: disturbances).play())
        }
      }
      while begun < min(width, count) { begin() }
      for await (number, result) in group {
        early[number] = result
        while wantsMore, let next = early.removeValue(forKey: told) {
          tally.add(next.tally)
          wantsMore = tell(told, next)
          told += 1
        }
        if wantsMore, begun < count { begin() }
      }
      return tally
    }
  }
}
