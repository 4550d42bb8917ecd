/// A machine name with a type of its own, so that the compiler keeps the names of rooms and profiles apart.
/// Frozen once released.
package struct Identifier<Subject>: Hashable, Sendable, Codable, RawRepresentable, Comparable,
  ExpressibleByStringLiteral, CustomStringConvertible
{
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
  package init(stringLiteral value: String) { rawValue = value }
  package var description: String { rawValue }
  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The stable identity of a room: `[a-z0-9-]+`, also the name of its log file.
package typealias RoomID = Identifier<Room>

/// The machine name of a device family: `robo-sensor`.
package typealias FamilyID = Identifier<DeviceFamily>

/// The machine name of a setting, in snake_case: `minor`, `wifi_ssid`.
package typealias SettingName = Identifier<SettingDescription>
