import Application
import Model
import Bluetooth
import Reporting

/// Asks the operator whether the remaining rooms follow after the first rooms.
enum CanaryQuestion {
  /// Only a clear yes is a yes; a cancelled task gets no.
  static func ask(about rooms: [CanaryCheck.Canary]) async -> Bool {
    Console.show(
      Table.text(
        header: ["ROOM", "IDENTITY", "DEVICE", "NETWORK", "OUTCOME"],
        rows: rooms.map { room in
          [
            room.name.visible, room.identity?.distinction ?? "", room.address?.description ?? "",
            room.network?.visible ?? "",
            room.outcome.rawValue,
          ]
        }) + "\n")
    Console.ask("Check that these devices work. Continue with the other rooms? [y/N] ")
    let answer = await Keyboard.line { $0 }.lowercased()
    return answer == "y" || answer == "yes"
  }
}
