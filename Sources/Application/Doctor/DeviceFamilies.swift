import Bluetooth
import Model

/// The facts about device families that the diagnosis needs.
enum DeviceFamilies {
  /// The service that `apply` writes to.
  static func service(of room: Room) -> BluetoothUUID { room.family.service }

  /// Whether the family has an advertising interval so long that connections can fail.
  static func mayAdvertiseRarely(_ room: Room) -> Bool { !cautioned(room).isEmpty }

  /// The advertising interval of a room if it is longer than the family's limit for reliable connections;
  /// otherwise nil.
  static func cautionedInterval(of room: Room) -> Duration? {
    cautioned(room).compactMap { setting -> Duration? in
      guard case .duration(let interval)? = room.settings[setting.name], let caution = setting.caution,
        interval > caution.longest
      else { return nil }
      return interval
    }.max()
  }

  private static func cautioned(_ room: Room) -> [SettingDescription] {
    room.family.settings.filter { setting in
      if case .duration = setting.kind { setting.caution != nil } else { false }
    }
  }
}
