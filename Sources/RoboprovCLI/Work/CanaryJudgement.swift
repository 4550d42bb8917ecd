import Bluetooth
import Foundation
import Model
import Reporting

/// Whether the rest of a building may follow after its first rooms: somebody at the terminal says so, or a command.
enum CanaryJudgement {
  /// Asks; anything but a clear yes is no. A cancelled task gets no as well.
  static func of(_ first: [RoomFinished], in building: Building, by command: String?) async -> Bool {
    let rooms = first.map { Canary($0, building) }
    if let command { return await check(rooms, with: command) }
    Console.show(
      Table.text(
        header: ["ROOM", "MINOR", "DEVICE", "NETWORK", "OUTCOME"],
        rows: rooms.map { room in
          [
            room.name.visible, room.minor.map { "\($0)" } ?? "", room.address?.description ?? "",
            room.network?.visible ?? "",
            room.outcome.rawValue,
          ]
        }) + "\n")
    Console.ask("See that these work as they should. Go on with the rest? [y/N] ")
    let answer = await Keyboard.line { $0 }.lowercased()
    return answer == "y" || answer == "yes"
  }

  /// One of the first rooms, as the command is told of it.
  struct Canary: Codable, Sendable {
    var room: String
    var name: String
    var minor: UInt16?
    var network: String?
    var address: BluetoothAddress?
    var outcome: Outcome

    init(_ finished: RoomFinished, _ building: Building) {
      let planned = building.rooms.first { $0.id == finished.room }
      room = finished.room.rawValue
      name = planned?.name ?? finished.room.rawValue
      minor = planned?.minor
      network = planned?.settings[.wifiSSID]?.shown
      address = finished.address
      outcome = finished.outcome
    }
  }

  /// What the command says. It may take its time; when the run is stopped, so is it.
  private static func check(_ rooms: [Canary], with command: String) async -> Bool {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let told = try? encoder.encode(rooms) else { return false }
    let (ended, end) = AsyncStream.makeStream(of: Int32.self)
    let process: Process
    do {
      process = try ShellCommand.start(command, input: told, output: .standardError) { status in
        end.yield(status)
        end.finish()
      }
    } catch {
      Console.say("The command of --canary-check could not be started: \(error.localizedDescription)")
      return false
    }
    let status = await withTaskCancellationHandler {
      for await status in ended { return status }
      return -1
    } onCancel: {
      process.terminate()
    }
    if status != 0 { Console.say("The command of --canary-check said no: it ended with \(status)") }
    return status == 0
  }
}

extension CanaryJudgement.Canary: RecordedObject {
  package static let definition = "canary"
  package static let about = "One of the first rooms of its network."
  package static let fields = [
    "room": "Its stable id.",
    "name": "Its name for people.",
    "minor": "The minor that it is to have; absent for families without one.",
    "network": "The SSID of its WiFi; absent without one.",
    "address": "Its device, where one was bound or named.",
    "outcome": "How it ended.",
  ]
}
