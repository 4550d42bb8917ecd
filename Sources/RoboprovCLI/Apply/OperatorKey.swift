import Bluetooth
import FoundationEssentials
import Model

/// Records the moment of an operator's action.
enum OperatorKey {
  /// Asks, and returns the instant at which Enter was pressed.
  static func wait(for room: Room, _ clock: any TimeSource) async -> MonotonicInstant {
    Keyboard.forgetTyped()
    Console.ask("\(room.name): press Enter at the moment of the action ")
    return await Keyboard.line { _ in clock.now }
  }
}
