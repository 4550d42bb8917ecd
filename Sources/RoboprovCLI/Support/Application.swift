import Families
import Model
import Session
import VirtualBuilding

/// The parts that the program is made of. What is below gets them passed.
enum Application {
  /// The device families, each with its GATT session; the first is the default.
  static let drivers = builtInFamilies
  static let families = FamilyCatalogue.builtIn
  /// The firmware of virtual devices.
  static let firmware = FirmwareFamily.all
  /// A setting that numbers devices, for examples.
  static let number = families.all.lazy.compactMap(\.countedSetting).first?.name.rawValue ?? "number"
  /// The families whose sessions learn the time of an action.
  static let perAction = families.all.filter(\.lifecycle.isPerAction).map(\.id.rawValue)
    .joined(separator: ", ")
}
