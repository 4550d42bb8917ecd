import Engine
import FoundationEssentials
import Model
import Reporting

/// Asks the operator whether rooms get the devices that were found for them.
enum Confirmation {
  /// Shows the list and asks. Any answer except `y` or `yes`, and a cancelled task, is a no: nil.
  static func ask(_ proposals: [ProposedBinding]) async -> Consent? {
    Console.show(list(proposals) + "\n")
    Console.ask("Assign these devices to these rooms? Label the devices afterwards. [y/N] ")
    let answer = await Keyboard.line { $0 }.lowercased()
    return answer == "y" || answer == "yes" ? .answer : nil
  }

  /// The proposals as a table.
  static func list(_ proposals: [ProposedBinding]) -> String {
    Table.text(
      header: ["ROOM", "IDENTITY", "DEVICE", "PROFILE", "RSSI"],
      rows: proposals.map { proposal in
        [
          proposal.room.name.visible, proposal.room.identity?.distinction ?? "", "\(proposal.address)",
          proposal.room.family.id.rawValue,
          proposal.rssi.map { "\($0) dBm" } ?? "",
        ]
      })
  }
}
