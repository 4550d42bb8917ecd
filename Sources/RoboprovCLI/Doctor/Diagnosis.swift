import Bluetooth
import Model

/// What follows from what is known: pure. What could not be read is said to be unknown, with the reason.
struct Diagnosis: Sendable {
  let host: HostFacts
  /// Nil where the bus was not asked.
  var radio: RadioFacts?
  /// Nil where no manifest was named.
  var building: BuildingFacts?

  /// Everything that was found out, by topics: the service, the adapters, the computer, the building.
  var findings: [Finding] {
    service + adapters + computer + needs
  }

  /// The warnings and errors of `apply` before it begins: those that need files alone.
  var beforeRun: [Finding] {
    (daemonFindings + configurationFindings + clock + storage).filter { $0.severity >= .warning }
  }

  /// The facts about Bluetooth; nil where they are another computer's.
  var bluetooth: BluetoothFacts? { host.bluetooth.value }

  /// What is known of an adapter besides the stack.
  func controller(_ name: String) -> ControllerFacts? {
    bluetooth?.controllers.first { $0.name == name }
  }
}

extension Finding.Severity: Comparable {
  static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .ok: 0
    case .note: 1
    case .warning: 2
    case .error: 3
    }
  }
}
