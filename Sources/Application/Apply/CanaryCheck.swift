package import Bluetooth
import EventLoop
import FoundationEssentials
import Glibc
package import Model
import Reporting
import Synchronization

/// The decision of a command whether the remaining rooms follow after the first rooms.
package enum CanaryCheck {
  /// One of the first rooms in the input of the command.
  package struct Canary: Codable, Sendable {
    var room: String
    package var name: String
    package var identity: DeviceIdentity?
    package var network: String?
    package var address: BluetoothAddress?
    package var outcome: Outcome

    package init(_ finished: RoomFinished, _ building: Building) {
      let planned = building.rooms.first { $0.id == finished.room }
      room = finished.room.rawValue
      name = planned?.name ?? finished.room.rawValue
      identity = planned?.identity
      network = planned?.settings[.wifiSSID]?.shown
      address = finished.address
      outcome = finished.outcome
    }
  }

  /// The decision of the command. It has no time limit; when the run is stopped, so is the command.
  package static func allows(_ rooms: [Canary], by command: String) async -> Bool {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let input = try? encoder.encode(rooms) else { return false }
    let check = CanaryCommand(command, String(decoding: input, as: UTF8.self))
    let ending = await LoopExecutor.waitingOutside {
      await withTaskCancellationHandler {
        await withCheckedContinuation { done in
          // The command ends with the thread that started it, so this thread waits for it.
          onThreadOfItsOwn { done.resume(returning: Result { () throws(POSIXError) in try check.run() }) }
        }
      } onCancel: {
        check.cancel()
      }
    }
    switch ending {
    case .success(.exited(0)): return true
    case .success(.exited(let status)):
      Messages.say("The command of --canary-check refused: exit status \(status)")
    case .success(.killed(let signal)):
      Messages.say("The command of --canary-check refused: signal \(signal) ended it")
    case .failure(let error):
      Messages.say("The command of --canary-check could not be started: \(error.text)")
    }
    return false
  }
}

/// A run of the command of `--canary-check`.
private final class CanaryCommand: Sendable {
  private let command: String
  private let input: String
  private let state = Mutex(State())

  private struct State {
    var child: ChildProcess?
    var isCancelled = false
  }

  init(_ command: String, _ input: String) {
    self.command = command
    self.input = input
  }

  /// Runs it and blocks until its end.
  /// - Throws: The reason why it cannot be started.
  func run() throws(POSIXError) -> ChildProcess.Ending {
    let child = try ShellCommand.start(command, input: input, output: STDERR_FILENO)
    let isCancelled = state.withLock { state in
      state.child = child
      return state.isCancelled
    }
    if isCancelled { child.signal(SIGTERM) }
    return child.wait()
  }

  /// Ends it with SIGTERM, now or as soon as it has started.
  func cancel() {
    let child = state.withLock { state in
      state.isCancelled = true
      return state.child
    }
    child?.signal(SIGTERM)
  }
}

extension CanaryCheck.Canary: RecordedObject {
  package static let definition = "canary"
  package static let about = "One of the first rooms of its network."
  package static let fields = [
    "room": "Its stable id.",
    "name": "Its name for people.",
    "identity": "The identity that it is to have; absent for families without one.",
    "network": "The SSID of its WiFi; absent without one.",
    "address": "Its device, if one was bound or named.",
    "outcome": "How it ended.",
  ]
}
