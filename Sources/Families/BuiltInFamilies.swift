package import Model
package import Session

/// The device families of this build; the first is the default.
package let builtInFamilies: [FamilyDriver] = [
  .roboSensor,
  .iotDesignShop,
  .firefly,
  .improvWiFi,
  .espIDF,
  .shelly,
]

extension FamilyCatalogue {
  /// The descriptions of the families of this build.
  package static let builtIn = builtInFamilies.catalogue
}
