import Model
import Simulation
import Testing

@Suite("Random buildings", .timeLimit(.minutes(15))) struct CampaignTests {
  @Test("keep every rule while everything goes wrong, and get done once nothing does")
  func campaign() async {
    let count = 300
    let tally = await Campaign(seed: 1, count: count, width: 2).play { _, result in
      #expect(
        result.violations.isEmpty,
        "roboprov simulate --campaign 1 --seed \(result.seed)\n\(result.violations.map(\.description))")
      return true
    }
    #expect(tally.buildings == count)
    #expect(tally.violations == 0)
    // It is a campaign worth the name: every way to end, every kind of trouble.
    #expect(tally.runs >= 2 * count)
    #expect(tally.deaths > 0 && tally.disturbances > 0)
    let missing = Outcome.allCases.filter { tally.outcomes[$0] == nil && $0 != .skipped }
    #expect(missing.isEmpty, "no room ended so")
  }

  @Test("keep every rule when adapters and the stack go away for 20 to 900 ms, and get done afterwards")
  func shortOutages() async {
    let count = 100
    let campaign = Campaign(seed: 5_551_212, count: count, width: 2, disturbances: .shortOutages)
    let tally = await campaign.play { _, result in
      #expect(
        result.violations.isEmpty,
        "roboprov simulate --campaign 1 --seed \(result.seed) --disturbances short-outages\n\(result.violations.map(\.description))"
      )
      return true
    }
    #expect(tally.buildings == count)
    #expect(tally.disturbances >= 6 * count)
  }

  @Test(
    "are the same for the same seed: their journals, byte for byte",
    arguments: [1, 2, 3, 44, 555] as [UInt64])
  func repeatable(_ seed: UInt64) async {
    let first = await Trial(seed: seed).play()
    let second = await Trial(seed: seed).play()
    #expect(first.journals.count >= 2)
    #expect(first.journals == second.journals)
    #expect(first.tally == second.tally)
  }

  @Test("are others for another seed")
  func others() async {
    let first = await Trial(seed: 1).play()
    let second = await Trial(seed: 2).play()
    #expect(first.journals != second.journals)
  }

  @Test("of a campaign can be had again alone, by their own seeds")
  func alone() async {
    var told: [Int: TrialResult] = [:]
    _ = await Campaign(seed: 7, count: 4, width: 3).play { number, result in
      told[number] = result
      return true
    }
    #expect(told.keys.sorted() == [0, 1, 2, 3])
    #expect(told[0]?.seed == 7)
    for (number, result) in told {
      #expect(result.seed == Trial.seed(number, of: 7))
      _ = await Campaign(seed: result.seed, count: 1, width: 1).play { _, again in
        #expect(again.journals == result.journals)
        return true
      }
    }
  }

  @Test("are told in their order, and no more once that is enough")
  func order() async {
    var told: [Int] = []
    let tally = await Campaign(seed: 3, count: 20, width: 4).play { number, _ in
      told.append(number)
      return number < 5
    }
    #expect(told == Array(0...5))
    #expect(tally.buildings == 6)
  }
}
