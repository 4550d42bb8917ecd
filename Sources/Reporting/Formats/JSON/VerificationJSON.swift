import Bluetooth
package import Model

/// `roboprov verify --output json`: the devices on air now. An unknown value is null, never missing.
package enum VerificationJSON {
  package static func value(
    building: String, run: String, by adapters: [AdapterScan], _ rooms: [(name: String, room: RoomVerified)],
    unexpected: [UnexpectedBeacon]
  ) -> JSONValue {
    var summary = RoomVerified.Finding.allCases.map { finding in
      JSONValue.Member(finding.rawValue, .integer(rooms.count { $0.room.finding == finding }))
    }
    summary.append(.init("weak", .integer(rooms.count { $0.room.isWeak })))
    let scans = adapters.map { AdapterScan.form.value($0) }
    let found = rooms.map { room($0.room, named: $0.name) }
    let others = unexpected.map { beacon -> JSONValue in
      .values(["address": beacon.address, "identity": beacon.identity, "rssi": beacon.rssi])
    }
    return .values([
      "schema": "roboprov/verification/1", "building": building, "run": run, "adapters": scans,
      "summary": JSONValue.object(summary), "rooms": found, "unexpected": others,
    ])
  }

  private static func room(_ room: RoomVerified, named name: String) -> JSONValue {
    .values([
      "id": room.room, "room": name, "finding": room.finding, "weak": room.isWeak, "address": room.address,
      "identity": room.identity, "held_identity": room.held, "rssi": room.rssi, "rssi_min": room.rssiMin,
      "rssi_max": room.rssiMax, "windows_received": room.windowsReceived, "windows": room.windows,
      "others": room.others, "adapter": room.adapter, "unused": room.unused,
    ])
  }
}
