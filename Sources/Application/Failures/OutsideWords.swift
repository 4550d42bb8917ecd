import Model
import Synchronization

/// Removes passwords from error texts of the stack and other services before a message quotes them. (The
/// engine does the same for what it records.)
enum OutsideWords {
  private static let redactor = Mutex(Redactor([]))

  /// Removes the building's passwords from every text quoted from now on.
  static func hide(secretsOf building: Building) {
    let new = Redactor(building.rooms.flatMap(\.secrets))
    redactor.withLock { $0 = new }
  }

  /// The text without passwords.
  static func quoted(_ text: String) -> String {
    redactor.withLock { $0 }(text)
  }
}
