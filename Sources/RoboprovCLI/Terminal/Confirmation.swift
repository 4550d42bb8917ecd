import Engine
import Foundation
import Model
import Reporting

/// Asks the person at the terminal whether rooms may get the devices that were found for them.
enum Confirmation {
  /// Shows the list and asks; anything but a clear yes is no. A cancelled task gets no as well.
  static func ask(_ proposals: [ProposedBinding]) async -> Bool {
    Console.show(list(proposals) + "\n")
    Console.ask("Give these rooms these devices? Label them afterwards. [y/N] ")
    let answer = await Keyboard.line { $0 }.lowercased()
    return answer == "y" || answer == "yes"
  }

  /// The proposals as a table: room, minor, device and its kind.
  static func list(_ proposals: [ProposedBinding]) -> String {
    Table.text(
      header: ["ROOM", "MINOR", "DEVICE", "PROFILE", "RSSI"],
      rows: proposals.map { proposal in
        [
          proposal.room.name.visible, proposal.room.minor.map { "\($0)" } ?? "", "\(proposal.address)",
          proposal.room.profile.rawValue,
          proposal.rssi.map { "\($0) dBm" } ?? "",
        ]
      })
  }
}
