import Bluetooth
import Foundation
import Model
import Reporting

/// Takes the moment of an action from the person who does it.
enum OperatorKey {
  /// Asks, and says when Enter was pressed.
  static func wait(for room: Room, _ clock: any TimeSource) async -> MonotonicInstant {
    Keyboard.forgetTyped()
    Console.ask("\(room.name): do it, and press Enter in that moment ")
    return await Keyboard.line { _ in clock.now }
  }
}
