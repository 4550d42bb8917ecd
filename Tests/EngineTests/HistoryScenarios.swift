import Bluetooth
import Foundation
import Model
import Simulation
import Testing
import VirtualBuilding
import VirtualTime

/// Runs, kills, replacements, edits, two laptops and wrong clocks, in random order: at each moment the record is true, and
/// in the end every room is correct.
@Suite("random histories of a building") struct HistoryScenarios {
  /// `make test-long` runs 300.
  static let seeds: [UInt64] = Array(1...(ProcessInfo.processInfo.environment["LONG"] == nil ? 100 : 300))

  @Test("the record stays true, and every room becomes correct", arguments: seeds)
  func history(seed: UInt64) async throws {
    let furniture = Installation.Furniture.allCases[Int(seed / 2 % 3)]
    try await VirtualPremises.use(furniture.scenario(seed)) { await live(seed, furniture, $0) }
  }

  private func live(
    _ seed: UInt64, _ furniture: Installation.Furniture, _ premises: VirtualPremises
  ) async {
    var chance = SeededGenerator(seed: seed).split("history")
    let assignment: Building.Assignment = seed % 2 == 0 ? .any : .address
    var site = await Installation(
      premises, chance: chance.split("site"), assignment: assignment, furniture: furniture)
    var clocks = chance.split("clocks")
    for _ in 0..<10 {
      let laptop = Int(chance.next() % 2)
      if clocks.next() % 3 == 0 { site.setClock(laptop, &clocks) }
      switch chance.next() % 20 {
      case 0...10:
        let dies = chance.next() % 2 == 0 ? Int(chance.next() % 130) + 1 : nil
        let only: Set<RoomID> =
          chance.next() % 4 == 0 ? [RoomID(rawValue: "room-\(chance.next() % 3 + 1)")] : []
        _ = await site.run(laptop, only: only, diesAt: dies)
      case 11, 12: await site.pressSomeButton()
      case 13, 14: site.changePassword()
      case 15: site.renumber()
      case 16: await site.replaceSomeSensor(laptop)
      case 17 where furniture == .mixed: await site.carryAway(chance.next() % 2 == 0)
      default: site.merge()
      }
    }
    await site.finish()
  }
}
