import Bluetooth
public import Model

/// `roboprov verify --output json`: what is on air now. Keys are frozen; what is not known is null, never missing.
public enum VerificationJSON {
  /// Name and version of the format.
  public static let schema = "roboprov/verification/1"

  /// The document.
  public static func value(
    building: String, run: String, _ rooms: [(name: String, room: RoomVerified)],
    unexpected: [UnexpectedBeacon]
  ) -> JSONValue {
    .object([
      "schema": .string(schema),
      "building": .string(building),
      "run": .string(run),
      "summary": .object(
        RoomVerified.Finding.allCases.map { finding in
          .init(finding.rawValue, .integer(rooms.count { $0.room.finding == finding }))
        } + [.init("weak", .integer(rooms.count(where: \.room.isWeak)))]),
      "rooms": .array(rooms.map { room($0.name, $0.room) }),
      "unexpected": .array(
        unexpected.map {
          .object([
            "address": .string($0.address.description), "uuid": .string($0.identity.uuid.description),
            "major": .integer(Int($0.identity.major)), "minor": .integer(Int($0.identity.minor)),
            "rssi": .optional($0.rssi),
          ])
        }),
    ])
  }

  private static func room(_ name: String, _ room: RoomVerified) -> JSONValue {
    .object([
      "id": .string(room.room.rawValue), "room": .string(name), "finding": .string(room.finding.rawValue),
      "weak": .bool(room.isWeak), "address": .optional(room.address?.description),
      "minor": .optional(room.minor.map(Int.init)), "rssi": .optional(room.rssi),
      "rssi_min": .optional(room.rssiMin), "rssi_max": .optional(room.rssiMax),
      "windows_heard": .integer(room.windowsHeard), "windows": .integer(room.windows),
      "others": .array(room.others.map { .string($0.description) }),
    ])
  }
}
