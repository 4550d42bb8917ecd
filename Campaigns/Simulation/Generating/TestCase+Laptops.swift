import Bluetooth
import Model
import VirtualBuilding

extension TestCase {
  /// The runs on two laptops in random order. Each laptop knows the other's runs only from the last merge on, and
  /// each clock is wrong by itself.
  static func withTwoLaptops(_ runs: [Run], _ generator: SeededGenerator) -> [Run] {
    var chance = generator
    let mergeRate = ([0, 0.2, 0.5] as [Double]).randomElement(using: &chance) ?? 0
    return runs.map { run in
      var run = run
      run.laptop = chance.chance(0.5) ? 1 : 0
      run.isAfterMerge = chance.chance(mergeRate)
      return run
    }
  }

  /// Gives some sensors the fault that they return from a save with the address of another sensor, so that two
  /// devices send with one address.
  mutating func drawSharedAddresses(_ generator: SeededGenerator) {
    var chance = generator
    let addresses = scenario.sensors.map(\.address)
    for index in building.rooms.indices
    where
      scenario.sensors[index].family.oracle?.access.needsSave == true
    {
      guard !building.rooms[index].isRegistered, chance.chance(0.3),
        let other = addresses.randomElement(using: &chance), other != addresses[index]
      else { continue }
      scenario.sensors[index].faults = [
        ScheduledFault(.returnsFrom(other), attempts: chance.chance(0.5) ? 1 : nil)
      ]
    }
  }
}
