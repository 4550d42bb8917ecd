import Bluetooth
import Foundation
import Model
import Reporting
import Simulation
import Testing

@Suite("Random scenarios", .timeLimit(.minutes(60))) struct CampaignTests {
  /// `make test-long` plays three times as many buildings.
  private static let isLong = ProcessInfo.processInfo.environment["LONG"] != nil

  /// Plays a campaign, whose buildings violate no rule and are those on record.
  private static func play(
    _ disturbances: TestCase.Disturbances, seed: UInt64, buildings: Int, inLongTest long: Int
  ) async throws -> Tally {
    let count = isLong ? long : buildings
    let recorded = RecordedCampaign(buildings)
    let tally = await Campaign(
      seed: seed, count: count, width: 2, families: .builtIn, disturbances: disturbances
    ).play { _, result in
      recorded.add(result)
      #expect(
        result.violations.isEmpty,
        "roboprov-campaign 1 --seed \(result.seed) --disturbances \(disturbances.rawValue)\n\(result.violations)"
      )
      return true
    }
    #expect(tally.buildings == count && tally.violations == 0)
    try recorded.expectRecorded(as: disturbances.rawValue)
    return tally
  }

  @Test("random buildings with all disturbances violate no rule, and every room is done after repair")
  func campaign() async throws {
    let tally = try await Self.play(.all, seed: 1, buildings: 100, inLongTest: 300)
    // The campaign must reach every outcome and every kind of disturbance.
    #expect(tally.runs >= 2 * tally.buildings)
    #expect(tally.deaths > 0 && tally.disturbances > 0)
    let missing = Outcome.allCases.filter { tally.outcomes[$0] == nil && $0 != .skipped }
    #expect(missing.isEmpty, "the campaign does not reach these outcomes")
  }

  @Test(
    "random buildings with outages of 20 to 900 ms violate no rule, and every room is done afterwards")
  func shortOutages() async throws {
    let tally = try await Self.play(.shortOutages, seed: 5_551_212, buildings: 30, inLongTest: 100)
    #expect(tally.disturbances >= 6 * tally.buildings)
  }

  @Test(
    "random buildings with two laptops, with sensors that share an address, and with other hosts violate no rule",
    arguments: [TestCase.Disturbances.twoLaptops, .sharedAddresses, .severalHosts])
  func mixes(_ disturbances: TestCase.Disturbances) async throws {
    _ = try await Self.play(disturbances, seed: 9, buildings: 30, inLongTest: 100)
  }

  @Test(
    "what two laptops do to each other's runs is no violation",
    arguments: [
      // After their records are merged, the operator permits writing a device at work.
      13_335_127_883_845_653_723,
      // The links that a killed run left count for the other laptop's run no more than for its own.
      9_204_453_439_202_241_376,
      // No device is free for a room that is near none: it is named as soon as one is.
      7_955_434_200_208_842_020,
    ] as [UInt64])
  func otherLaptop(_ seed: UInt64) async {
    let result = await TestCase(seed: seed, families: .builtIn, disturbances: .twoLaptops).play()
    #expect(result.violations.isEmpty, "\(result.violations.map(\.description))")
  }

  @Test(
    "two runs of the same seed give the same journals, byte for byte",
    arguments: [1, 2, 3, 44, 555] as [UInt64])
  func repeatable(_ seed: UInt64) async {
    let first = await TestCase(seed: seed, families: .builtIn).play()
    let second = await TestCase(seed: seed, families: .builtIn).play()
    #expect(first.journals.count >= 2)
    #expect(first.journals == second.journals)
    #expect(first.tally == second.tally)
  }

  @Test("scenarios of different seeds give different journals")
  func others() async {
    let first = await TestCase(seed: 1, families: .builtIn).play()
    let second = await TestCase(seed: 2, families: .builtIn).play()
    #expect(first.journals != second.journals)
  }

  @Test("the seed of each building of a campaign repeats that building alone")
  func alone() async {
    var results: [Int: TestCaseResult] = [:]
    _ = await Campaign(seed: 7, count: 4, width: 3, families: .builtIn).play { number, result in
      results[number] = result
      return true
    }
    #expect(results.keys.sorted() == [0, 1, 2, 3])
    #expect(results[0]?.seed == 7)
    for (number, result) in results {
      #expect(result.seed == TestCase.seed(number, of: 7))
      _ = await Campaign(seed: result.seed, count: 1, width: 1, families: .builtIn).play { _, again in
        #expect(again.journals == result.journals)
        return true
      }
    }
  }

  @Test("a campaign reports results in order, and stops once the callback returns false")
  func order() async {
    var results: [Int] = []
    let tally = await Campaign(seed: 3, count: 20, width: 4, families: .builtIn).play { number, _ in
      results.append(number)
      return number < 5
    }
    #expect(results == Array(0...5))
    #expect(tally.buildings == 6)
  }

  @Test(
    "the report of a building that violates an invariant names the invariant, the last events and the command that repeats it"
  )
  func violated() async throws {
    var result = await TestCase(seed: 1, families: .builtIn).play()
    result.violations = [
      Violation(.proof, "no beacon", room: "room-1", device: BluetoothAddress(rawValue: 0xC47C_8D00_0001)),
      Violation(.ending, "nothing can happen any more"),
    ]
    let broken = BrokenBuilding(result, .shortOutages)
    #expect(broken.text.contains("  roboprov-campaign 1 --seed 1 --disturbances short-outages\n"))
    #expect(broken.text.contains("no beacon") && broken.text.contains("nothing can happen any more"))
    let json = CampaignJSON.form.value((1, result.tally, [broken])).pretty
    #expect(json.contains("\"rule\": \"proof\"") && json.contains("roboprov-campaign 1 --seed 1"))
  }
}
