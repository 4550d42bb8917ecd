import Bluetooth
import Model
import Synchronization

/// What the stack and other services say, where a message quotes it: without the passwords of the manifest that the command
/// works with. (A run does the same for what it records.)
enum OutsideWords {
  private static let redactor = Mutex(Redactor([]))

  /// Takes a building's passwords out of all that is quoted from now on.
  static func hide(secretsOf building: Building) {
    let new = Redactor(building.rooms.flatMap(\.secrets))
    redactor.withLock { $0 = new }
  }

  /// A text as it may be quoted.
  static func quoted(_ text: String) -> String {
    redactor.withLock { $0 }(text)
  }
}
