package import Bluetooth
package import FoundationEssentials
package import Model

/// The result of `verify`, for a person.
package enum VerificationView {
  /// The lines: the counts, every room that requires action, and beacons of no room.
  /// - Parameters:
  ///   - adapters: the names of adapters.
  ///   - seen: when each room's device was last received as recorded.
  ///   - times: the local time.
  package static func lines(
    _ rooms: [(name: String, room: RoomVerified)], unexpected: [UnexpectedBeacon],
    adapters: [AdapterID: String] = [:], seen: [RoomID: Date] = [:],
    times: LocalTime = .utc, style: TerminalStyle
  ) -> [String] {
    let onAir = rooms.count { $0.room.finding == .onAir }
    let verifiable = rooms.count { $0.room.finding != .notVerifiable }
    let all = onAir == verifiable
    var lines = style.block("\(onAir) of \(verifiable.rooms) on air from their own device")
      .map { style.paint($0, all ? .green : .bold) }
    let notVerifiable = rooms.filter { $0.room.finding == .notVerifiable }
    if !notVerifiable.isEmpty {
      lines += style.block(
        "\(notVerifiable.count.rooms) without a beacon, which cannot be verified: "
          + notVerifiable.map(\.name.visible).joined(separator: ", "), indent: 2)
    }
    let weak = rooms.filter(\.room.isWeak)
    if !weak.isEmpty {
      let names = weak.map { "\($0.name.visible) (\($0.room.rssi ?? 0) dBm)" }.joined(separator: ", ")
      lines += style.block("Weaker than \(RoomVerified.weakBelow) dBm from here: \(names)", indent: 2)
    }
    let partly = rooms.filter { $0.room.finding == .onAir && $0.room.windowsReceived < $0.room.windows }
    if !partly.isEmpty {
      let names = partly.map { "\($0.name.visible) (\($0.room.windowsReceived) of \($0.room.windows) scans)" }
      lines += style.block("Not received in every scan: \(names.joined(separator: ", "))", indent: 2)
    }
    let findings = rooms.filter(\.room.needsAction).map {
      name, room -> (name: String, sentence: String, advice: String) in
      let unused = room.unused.map { adapters[$0]?.visible ?? "\($0)" }
      return (name.visible, sentence(room, seen[room.room].map(times.moment), unused), advice(room))
    }
    for alike in findings.chunked({ $0.sentence == $1.sentence }) {
      let names = alike.map { $0.name }.listed(most: named)
      lines +=
        [""] + style.block("\(names): \(alike[0].sentence)")
        + style.block("→ \(alike[0].advice)", indent: 4, hanging: 2)
    }
    if !unexpected.isEmpty {
      let beacons = unexpected.map { "\($0.address) with \($0.identity.distinction.visible)" }
      lines +=
        [""]
        + style.block(
          "On air with an identity like those of this building, but in no room: \(beacons.joined(separator: ", "))."
        )
    }
    return lines
  }

  /// The maximum number of names in one place.
  private static let named = 10

  private static func sentence(_ room: RoomVerified, _ seen: String?, _ unused: String?) -> String {
    let identity = expected(room)
    let others = room.others.map(\.description).joined(separator: ", ")
    return switch room.finding {
    case .onAir: "on air."
    case .notVerifiable: "its device sends no beacon."
    case .duplicate: "\(identity) is on air from its own device and from \(others)."
    case .otherDevice: "\(identity) is on air from \(others), not from the room's device."
    case .otherIdentity: otherIdentity(room, seen)
    case .waiting: "\(room.address?.description ?? "its device") waits for provisioning."
    case .missing:
      "\(room.address?.description ?? identity) was not received in \(room.windows.counted("scan"))\((room.adapters ?? []).by)."
    case .notSearched:
      "not searched with \(unused ?? "the adapter"), which received it last"
        + (others.isEmpty ? "." : "; \(identity) is on air from \(others).")
    }
  }

  /// Both sightings: the one on record, and this one.
  private static func otherIdentity(_ room: RoomVerified, _ seen: String?) -> String {
    let device = room.address?.description ?? "its device"
    let recorded = seen.map { "was last received with \(expected(room)) (\($0))" }
    let held = room.held.map { $0.shown(besides: room.identity).visible } ?? "another identity"
    return "\(device) \(recorded ?? "should send \(expected(room))"), but sends \(held) now."
  }

  private static func expected(_ room: RoomVerified) -> String {
    room.identity?.distinction.visible ?? "its identity"
  }

  private static func advice(_ room: RoomVerified) -> String {
    switch room.finding {
    case .onAir, .notVerifiable: "Nothing is left to do."
    case .duplicate, .otherDevice:
      "Find the other device by its address: it has this room's settings. Put it into provisioning mode, or switch it off."
    case .otherIdentity:
      """
      If another laptop wrote it, merge both records with `roboprov report merge FOLDER FOLDER --into reports`. If not, \
      run `roboprov apply`: it shows what must be done.
      """
    case .waiting: "Run `roboprov apply`: it writes the settings."
    case .notSearched:
      """
      Its record is unchanged. Run `roboprov verify` with that adapter, too. If its device is gone, run \
      `roboprov room replace` or `roboprov room retire`.
      """
    case .missing:
      "Stand within 10 m of the room, check the power of the device, and run `roboprov verify` again."
    }
  }
}
