import Bluetooth
package import Model

/// `roboprov verify --output json`: the devices on air now. Keys are frozen; an unknown value is null, never
/// missing.
package enum VerificationJSON {
  package static let schema = "roboprov/verification/1"

  package static func value(
    building: String, run: String, by adapters: [AdapterScan], _ rooms: [(name: String, room: RoomVerified)],
    unexpected: [UnexpectedBeacon]
  ) -> JSONValue {
    form.value(Source(building: building, run: run, adapters: adapters, rooms: rooms, unexpected: unexpected))
  }

  struct Source {
    let building: String
    let run: String
    let adapters: [AdapterScan]
    let rooms: [(name: String, room: RoomVerified)]
    let unexpected: [UnexpectedBeacon]
  }

  /// The document, field by field.
  static let form = OutputForm<Source>("verification", "What is on air from a building's devices.") {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("building", "The building's stable id.") { $0.building }
    Field("run", "The record of the verification.") { $0.run }
    Field("adapters", "The adapters that scanned.", each: AdapterScan.form) { $0.adapters }
    Field("summary", "The number of rooms with each finding.", form: summary) { $0 }
    Field("rooms", "The rooms that are in service, in the manifest's order.", each: room) { $0.rooms }
    Field(
      "unexpected",
      "Devices whose identity shares its first parts with the building's rooms, and that no room has.",
      each: beacon
    ) { $0.unexpected }
  }

  private static let summary = OutputForm<Source>("summary", "The number of rooms with each finding.") {
    RoomVerified.Finding.counts { source, finding in source.rooms.count { $0.room.finding == finding } }
    Field(
      "weak", "Rooms of `on_air` whose device is received below \(RoomVerified.weakBelow) dBm."
    ) { $0.rooms.count(where: \.room.isWeak) }
  }

  private static let room = OutputForm<(name: String, room: RoomVerified)>(
    "room", Fact.Kind("room_verified").meaning
  ) {
    Field("id", "Its stable id.") { $0.room.room }
    Field("room", "Its name for people.") { $0.name }
    Field("finding", "What was found.") { $0.room.finding }
    Field("weak", "Whether its device is received, but below \(RoomVerified.weakBelow) dBm.") {
      $0.room.isWeak
    }
    Field("address", "Its device; null if none is known.") { $0.room.address }
    Field("identity", "Its identity; null if it has none.") { $0.room.identity }
    Field("held_identity", "What its device sends instead; null unless it sends another identity.") {
      $0.room.held
    }
    Field(
      "rssi",
      "RSSI of its device in dBm: the median over the scan windows in which it was received."
    ) { $0.room.rssi }
    Field("rssi_min", "The lowest of these.") { $0.room.rssiMin }
    Field("rssi_max", "The highest of these.") { $0.room.rssiMax }
    Field(
      "windows_received",
      "The number of scan windows that received it with the room's identity."
    ) { $0.room.windowsReceived }
    Field("windows", "The number of all scan windows.") { $0.room.windows }
    Field("others", "The other devices with the room's identity.") { $0.room.others }
    Field("adapter", "The adapter that received its device most strongly, if one did.") { $0.room.adapter }
    Field(
      "unused",
      "The adapter that has proved the room and did not scan, if the room was not searched."
    ) { $0.room.unused }
  }

  private static let beacon = OutputForm<UnexpectedBeacon>("unexpected_beacon", "A beacon that no room has.")
  {
    Field("address", "The device that sends it.") { $0.address }
    Field("identity", "Its identity.") { $0.identity }
    Field("rssi", "RSSI last reported, in dBm.") { $0.rssi }
  }
}
