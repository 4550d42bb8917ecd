import Families
package import Model
package import Session
import VirtualBuilding

/// The device families that the program is made with. What is below gets them passed.
package enum BuiltIn {
  /// The device families, each with its GATT session; the first is the default.
  package static let drivers = builtInFamilies
  package static let families = FamilyCatalogue.builtIn
  /// The firmware of virtual devices.
  static let firmware = FirmwareFamily.all
  /// A setting that numbers devices, for examples.
  package static let number = families.all.lazy.compactMap(\.countedSetting).first?.name.rawValue ?? "number"
  /// The families whose sessions learn the time of an action.
  package static let perAction = families.all.filter(\.lifecycle.isPerAction).map(\.id.rawValue)
    .joined(separator: ", ")
  /// The families whose labels have secrets.
  package static let labelled = drivers.filter { $0.readLabel != nil }.map(\.family.id.rawValue)
    .joined(separator: ", ")
}

extension Building {
  /// The GATT sessions of its families.
  package var drivers: [FamilyDriver] { BuiltIn.drivers + described.map { FamilyDriver(described: $0) } }
  /// The firmware of virtual devices of its families.
  var firmware: [FirmwareFamily] { BuiltIn.firmware + described.map { FirmwareFamily(described: $0) } }
  /// The families that its manifest describes.
  private var described: [DeviceFamily] { families.all.filter { $0.digest != nil } }
}
