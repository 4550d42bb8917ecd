import Families
import Simulation
import VirtualBuilding

extension SimulatedFamilies {
  static let builtIn = SimulatedFamilies(builtInFamilies, FirmwareFamily.all)
}
