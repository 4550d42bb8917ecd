/// A name that machines use for a kind of thing: a text of its own type, so that a room's cannot be taken for a
/// profile's. Frozen once released.
public struct Identifier<Subject>: Hashable, Sendable, Codable, RawRepresentable, Comparable,
  ExpressibleByStringLiteral, CustomStringConvertible
{
  /// The name.
  public var rawValue: String
  /// A name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A name.
  public init(stringLiteral value: String) { rawValue = value }
  /// The name.
  public var description: String { rawValue }
  /// Alphabetical.
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A room's stable identity: `[a-z0-9-]+`, also the name of its log file.
public typealias RoomID = Identifier<Room>

/// The machine name of a device family: `robo-sensor`.
public typealias ProfileID = Identifier<any DeviceFamily>

/// The machine name of a setting, in snake_case: `minor`, `wifi_ssid`.
public typealias SettingName = Identifier<SettingDescription>
