import Bluetooth
import Model
import Reporting

/// Asks the operator whether the remaining rooms follow after the first rooms.
enum CanaryQuestion {
  /// Only a clear yes is a yes; a cancelled task gets no.
  static func ask(about rooms: [RoomFinished], of building: Building) async -> Bool {
    Console.show(
      Table.text(
        header: ["ROOM", "IDENTITY", "DEVICE", "NETWORK", "OUTCOME"],
        rows: rooms.map { finished in
          let room = building.rooms.first { $0.id == finished.room }
          return [
            room?.name.visible ?? "", room?.identity?.distinction ?? "", finished.address?.description ?? "",
            room?.settings[.wifiSSID]?.shown?.visible ?? "", finished.outcome.rawValue,
          ]
        }) + "\n")
    Console.ask("Check that these devices work. Continue with the other rooms? [y/N] ")
    let answer = await Keyboard.line { $0 }.lowercased()
    return answer == "y" || answer == "yes"
  }
}
