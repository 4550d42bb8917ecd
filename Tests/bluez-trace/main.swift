import Bluetooth
import DBus
import EventLoop
import FoundationEssentials
import Glibc
import StackTraces

/// `bluez-trace SCENARIO RUN FOLDER`: runs a scenario with the system bus's `org.bluez` and writes the
/// observations to standard output, as lines of a recording. It requests each action of the environment with
/// a file `ask-N` in FOLDER, and waits for `done-N`.

/// The environment, reached through a shared folder.
actor Surroundings {
  private let folder: String
  private var asked = 0

  init(_ folder: String) { self.folder = folder }

  func carryOut(_ event: StackScenario.LabEvent) async throws {
    asked += 1
    let name = "\(folder)/ask-\(asked)"
    try Data(event.rawValue.utf8).write(to: URL(filePath: name + ".new"))
    rename(name + ".new", name)
    while access("\(folder)/done-\(asked)", F_OK) != 0 {
      try await SystemClock().sleep(for: .milliseconds(10))
    }
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let run = Int(arguments[2]) else {
  print("usage: bluez-trace SCENARIO RUN FOLDER")
  exit(64)
}
do {
  let stackScenario = try StackScenario(contentsOf: URL(filePath: arguments[1]))
  let surroundings = Surroundings(arguments[3])
  let observations = try await Player.play(
    stackScenario, on: .system(ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"]),
    clock: SystemClock()
  ) { event in
    try await surroundings.carryOut(event)
  }
  print(try Recording.lines(for: observations, run: run), terminator: "")
} catch {
  print("bluez-trace: \(error)")
  exit(1)
}
