import Bluetooth
import Engine
import FoundationEssentials
import Model
import Reporting

/// The questions of a run to the person at the terminal.
enum RunQuestions {
  /// Whether rooms get the devices that were found for them: nil without consent.
  static func consent(to proposals: [ProposedBinding]) async -> Consent? {
    let rows = proposals.map { proposal in
      [
        proposal.room.name.visible, proposal.room.identity?.distinction ?? "", "\(proposal.address)",
        proposal.room.family.id.rawValue, proposal.rssi.map { "\($0) dBm" } ?? "",
      ]
    }
    let isConfirmed = await confirm(
      "Assign these devices to these rooms? Label the devices afterwards.",
      below: Table.text(header: ["ROOM", "IDENTITY", "DEVICE", "PROFILE", "RSSI"], rows: rows))
    return isConfirmed ? .answer : nil
  }

  /// Whether the remaining rooms follow after the first rooms.
  static func judgement(of rooms: [RoomFinished], in building: Building) async -> Bool {
    let rows = rooms.map { finished in
      let room = building.rooms.first { $0.id == finished.room }
      return [
        room?.name.visible ?? "", room?.identity?.distinction ?? "", finished.address?.description ?? "",
        room?.settings[.wifiSSID]?.shown?.visible ?? "", finished.outcome.rawValue,
      ]
    }
    return await confirm(
      "Check that these devices work. Continue with the other rooms?",
      below: Table.text(header: ["ROOM", "IDENTITY", "DEVICE", "NETWORK", "OUTCOME"], rows: rows))
  }

  /// The instant at which Enter was pressed: the moment of the operator's action.
  static func action(in room: Room, _ clock: any TimeSource) async -> MonotonicInstant {
    Keyboard.forgetTyped()
    Console.ask("\(room.name): press Enter at the moment of the action ")
    return await Keyboard.line { _ in clock.now }
  }

  private static func confirm(_ question: String, below table: String) async -> Bool {
    Console.show(table + "\n")
    return await Keyboard.confirms(question)
  }
}
