import Bluetooth
import Families
import Model

/// What a diagnosis asks about the family of a room's device.
enum DeviceFamilies {
  /// The service by which it is written.
  static func service(of room: Room) -> BluetoothUUID? { DeviceProfiles[room.profile]?.service }

  /// Whether devices of the family take an interval so long that connecting to them may fail.
  static func mayAdvertiseRarely(_ room: Room) -> Bool { !cautioned(room).isEmpty }

  /// The interval that a room's device gets, if it is one of those that the family warns of.
  static func cautionedInterval(of room: Room) -> Duration? {
    cautioned(room).compactMap { setting -> Duration? in
      guard case .duration(let interval)? = room.settings[setting.name], let caution = setting.caution,
        interval > caution.longest
      else { return nil }
      return interval
    }.max()
  }

  private static func cautioned(_ room: Room) -> [SettingDescription] {
    (DeviceProfiles[room.profile]?.settings ?? []).filter { setting in
      if case .duration = setting.kind { setting.caution != nil } else { false }
    }
  }
}
