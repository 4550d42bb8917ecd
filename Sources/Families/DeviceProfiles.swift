public import Bluetooth
public import Model
public import Session

/// The families this build knows.
public enum DeviceProfiles {
  /// All of them; the first is the default.
  public static let all: [any DeviceProfile] = [
    RoboSensor(),
    IoTDesignShop(),
    Firefly(),
  ]

  /// The family with this name, or nil.
  public static subscript(id: ProfileID) -> (any DeviceProfile)? {
    all.first { $0.id == id }
  }

  /// All of them, which recognise devices also by what these rooms expect of them.
  public static func expecting(_ rooms: [Room]) -> [any DeviceFamily] {
    let byProfile = Dictionary(grouping: rooms, by: \.profile)
    return all.map { profile in
      func expecting(_ family: some DeviceProfile) -> any DeviceFamily {
        family.expecting(byProfile[family.id]?.map(\.settings) ?? [])
      }
      return expecting(profile)
    }
  }

  /// The family of the device behind an advertisement, and what it says. Who offers a family's service is of that
  /// family, whatever its beacon looks like.
  public static func recognise(
    _ advertisement: Advertisement, among profiles: [any DeviceFamily] = all
  ) -> (profile: ProfileID, recognition: Recognition)? {
    let found = profiles.compactMap { profile in
      profile.recognise(advertisement).map { (profile, $0) }
    }
    let best = found.first { advertisement.serviceUUIDs.contains($0.0.service) } ?? found.first
    return best.map { ($0.0.id, $0.1) }
  }
}
