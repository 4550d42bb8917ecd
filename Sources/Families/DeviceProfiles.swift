package import Bluetooth
package import Model
package import Session

/// The device families of this build.
package enum DeviceProfiles {
  /// All families; the first is the default.
  package static let all: [any DeviceProfile] = [
    RoboSensor(),
    IoTDesignShop(),
    Firefly(),
  ]

  package static subscript(id: ProfileID) -> (any DeviceProfile)? {
    all.first { $0.id == id }
  }

  /// All families, extended to recognise what these rooms expect.
  package static func expecting(_ rooms: [Room]) -> [any DeviceFamily] {
    let byProfile = Dictionary(grouping: rooms, by: \.profile)
    return all.map { profile in
      func expecting(_ family: some DeviceProfile) -> any DeviceFamily {
        family.expecting(byProfile[family.id]?.map(\.settings) ?? [])
      }
      return expecting(profile)
    }
  }

  /// The family and state of the device that sent an advertisement. An advertisement that offers a family's
  /// service belongs to that family, whatever its beacon.
  package static func recognise(
    _ advertisement: Advertisement, among profiles: [any DeviceFamily] = all
  ) -> (profile: ProfileID, recognition: Recognition)? {
    let found = profiles.compactMap { profile in
      profile.recognise(advertisement).map { (profile, $0) }
    }
    let best = found.first { advertisement.serviceUUIDs.contains($0.0.service) } ?? found.first
    return best.map { ($0.0.id, $0.1) }
  }
}
